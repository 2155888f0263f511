/** Whether a text may be the name of a namespace: a label as in RFC 1123 (https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-label-names, read 2026-11-30). */
export function isDnsLabel(text: string): boolean {
  return /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(text);
}
