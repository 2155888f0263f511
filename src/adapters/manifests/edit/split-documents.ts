import { scanJsonValue } from '../../inventory/json-documents.ts';

/** A part of a file that can be read for itself. The parts together are the text, and nothing is between them. */
export interface DocumentText {
  readonly text: string;
  readonly isJson: boolean;
}

/**
 * The documents of a file: what stands between `---` lines, or JSON values one after the other. A broken one does not keep
 * the others from being edited.
 */
export function splitDocuments(text: string): readonly DocumentText[] {
  if (/^\s*[{[]/.test(text)) {
    const values = splitJson(text);
    if (values !== null) return values;
  }
  const starts = [0, ...Array.from(text.matchAll(/^---(?=[ \t\r\n]|$)/gm), ({ index }) => index).filter((index) => index > 0)];
  const parts = starts.map((start, index) => text.slice(start, starts[index + 1] ?? text.length));
  // Comments and %directives before the first marker belong to the document after it.
  const [lead, first, ...others] = parts;
  const joined = lead !== undefined && first !== undefined && /^(?:[ \t]*(?:#[^\n]*|%[^\n]*)?\r?\n)*$/.test(lead) && !lead.startsWith('---') ? [lead + first, ...others] : parts;
  return joined.map((part) => ({ text: part, isJson: false }));
}

const SEPARATOR = /(?:\s|---(?=\s))*/y;

function splitJson(text: string): readonly DocumentText[] | null {
  const parts: DocumentText[] = [];
  let start = 0;
  while (start < text.length) {
    SEPARATOR.lastIndex = start;
    SEPARATOR.test(text);
    const at = SEPARATOR.lastIndex;
    if (at >= text.length) {
      parts.push({ text: text.slice(start), isJson: true });
      break;
    }
    const scan = scanJsonValue(text, at);
    if ('problem' in scan) return null;
    parts.push({ text: text.slice(start, scan.end), isJson: true });
    start = scan.end;
  }
  return parts;
}
