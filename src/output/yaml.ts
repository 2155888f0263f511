/**
 * The document as YAML in kubectl's layout: list items at the margin of their field, no folding of long lines, fields in the
 * document's own order. Strings that a reader of YAML 1.1 or 1.2 would take for something else (`yes`, `012`, dates)
 * are quoted: js-yaml's default schema for writing covers both.
 * js-yaml is loaded by the first use only.
 */
export async function renderYaml(document: Readonly<Record<string, unknown>>): Promise<Iterable<string>> {
  const { dump } = await import('js-yaml');
  const write = (value: unknown): string =>
    dump(JSON.parse(JSON.stringify(value)), { lineWidth: -1, noRefs: true, seqNoIndent: true, quoteStyle: 'double' });
  return chunks(document, write);
}

/** One chunk per field, and per item of a list: the text of a long list is never in memory as a whole. */
function* chunks(document: Readonly<Record<string, unknown>>, write: (value: unknown) => string): Iterable<string> {
  let empty = true;
  for (const [name, value] of Object.entries(document)) {
    if (value === undefined) continue;
    empty = false;
    if (Array.isArray(value) && value.length > 0) {
      const field = write({ [name]: [] });
      yield `${field.slice(0, field.lastIndexOf(':') + 1)}\n`;
      for (const item of value) yield write([item ?? null]);
    } else {
      yield write({ [name]: value });
    }
  }
  if (empty) yield '{}\n';
}
