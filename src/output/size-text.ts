/** Bytes as people say them: `1.9Gi`, `312.0Mi`. */
export function sizeText(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)}Gi` : `${(bytes / 2 ** 20).toFixed(1)}Mi`;
}

/** As sizeText, for what may be small: `5B`, `1.5Ki`. */
export function fileSizeText(bytes: number): string {
  if (bytes < 2 ** 10) return `${Math.round(bytes)}B`;
  return bytes < 2 ** 20 ? `${(bytes / 2 ** 10).toFixed(1)}Ki` : sizeText(bytes);
}
