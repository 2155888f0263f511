import { parseJsonDocuments, scanJsonValue } from '../../inventory/json-documents.ts';

/** A part of a file that can be read for itself. The parts together are the text, and nothing is between them. */
export interface DocumentText {
  readonly text: string;
  readonly isJson: boolean;
}

/**
 * The documents of a file: what stands between `---` lines, or JSON values one after the other. A broken one does not keep
 * the others from being edited. Throws InputError for lines that are longer than any manifest's.
 */
export async function splitDocuments(text: string): Promise<readonly DocumentText[]> {
  if (/^\s*[{[]/.test(text)) {
    const values = splitJson(text);
    if (values !== null) return values;
  }
  const { splitAtMarkers } = await import('../../inventory/yaml-documents.ts');
  return Array.from(splitAtMarkers(text, 'text'), (chunk) => ({ text: chunk.text, isJson: false }));
}

export interface DocumentValues {
  readonly values: readonly unknown[];
  /** Whether some map of a YAML document has a key twice. */
  readonly hasDuplicates: boolean;
}

/** What a document holds as kubectl reads it: of a key that is given twice the last one. Throws InputError. */
export async function readDocument({ text, isJson }: DocumentText): Promise<DocumentValues> {
  if (isJson) return { values: text.trim() === '' ? [] : parseJsonDocuments(text, 'text').map(({ value }) => value), hasDuplicates: false };
  const { parseYamlChunk } = await import('../../inventory/yaml-documents.ts');
  const { documents, hasDuplicates } = parseYamlChunk({ text, line: 1 }, 'text', 'kept');
  return { values: documents.filter((value) => value !== null), hasDuplicates };
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
