/** Bytes as people say them: `1.9Gi`, `312.0Mi`. */
export function sizeText(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)}Gi` : `${(bytes / 2 ** 20).toFixed(1)}Mi`;
}
