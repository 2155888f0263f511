import type { FieldPath } from './kubeconfig.ts';

/**
 * Line (from 1) of a field in a YAML or JSON text, or of the nearest field above it; null when the text has no such place.
 * Uses the `yaml` package, which keeps positions but takes three times as long to load and parse: for errors only.
 */
export async function lineOfField(text: string, path: FieldPath): Promise<number | null> {
  const { LineCounter, isMap, isNode, isScalar, isSeq, parseAllDocuments } = await import('yaml');
  const lineCounter = new LineCounter();
  const documents = parseAllDocuments(text, { version: '1.1', lineCounter, uniqueKeys: false, logLevel: 'silent' });
  let node: unknown = 'empty' in documents ? undefined : documents[0]?.contents;
  let offset = isNode(node) ? node.range?.[0] : undefined;
  for (const step of path) {
    let next: unknown;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (isScalar(pair?.key) && pair.key.range) offset = pair.key.range[0];
      next = pair?.value;
    } else if (isSeq(node) && typeof step === 'number') {
      next = node.items[step];
      if (isNode(next) && next.range) offset = next.range[0];
    }
    if (next === undefined || next === null) break;
    node = next;
  }
  return offset === undefined ? null : lineCounter.linePos(offset).line;
}
