import type { DumpOptions, ScalarStyleRule } from 'js-yaml';
import { escapedJson, isLazyList } from './json.ts';

/**
 * The document as YAML in kubectl's layout: list items at the margin of their field, no folding of long lines, fields in the
 * document's own order. Strings that a reader of YAML 1.1 or 1.2 would take for something else (`yes`, `012`, dates)
 * are quoted: js-yaml's default schema for writing covers both.
 * js-yaml is loaded by the first use only.
 */
export async function renderYaml(document: Readonly<Record<string, unknown>>): Promise<Iterable<string>> {
  const { dump, DEFAULT_SCALAR_STYLE_RULES, SCALAR_STYLE } = await import('js-yaml');
  const quoteWhatMisleads: ScalarStyleRule = (layout) => {
    const { tag, value } = layout.node;
    // numbers, booleans and null come as scalars too, with tags of their own
    if (tag !== STRING_TAG) return;
    if (MISREAD.test(value) || (value.includes('\n') && !PLAIN_LINES.test(value))) layout.style = SCALAR_STYLE.DOUBLE_QUOTED;
  };
  const options: DumpOptions = {
    lineWidth: -1,
    noRefs: true,
    seqNoIndent: true,
    quoteStyle: 'double',
    scalarStyleRules: [quoteWhatMisleads, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)],
  };
  return chunks(document, (value) => {
    const long: string[] = [];
    const mark = `long-${crypto.randomUUID()}-`;
    const plain: unknown = JSON.parse(JSON.stringify(value), (_key, inner: unknown) => (typeof inner === 'string' && inner.length > LONGEST_EXAMINED ? `${mark}${long.push(inner) - 1}-` : inner));
    const text = dump(plain, options);
    // a JSON string is a double-quoted YAML one: https://yaml.org/spec/1.2.2/#13-terminology (JSON is a subset), read 2026-11-30
    const whole = long.length === 0 ? text : text.replace(new RegExp(`${mark}(\\d+)-`, 'g'), (_match, index: string) => escapedJson(long[Number(index)]));
    return whole.replace(DIRECTION_CONTROLS, escapeUnicode);
  });
}

/** Characters of a string that js-yaml examines; its expressions overflow the stack on millions. */
const LONGEST_EXAMINED = 65_536;

const STRING_TAG = 'tag:yaml.org,2002:str';

/**
 * What js-yaml leaves plain though some reader takes it for something else: octal and binary numbers with a capital letter (kubectl's parser), digits with an
 * exponent or point of any form and dates of single digits (YAML 1.1 in the `yaml` package), document markers; and characters that reorder
 * text, for their escapes need double quotes.
 */
const MISREAD = /^(---|\.\.\.)|^[-+]?0[OXB]|^[-+]?[\d_]*\.?[\d_]*([eE][-+]?\d+)?$|^\d{4}-\d{1,2}-\d{1,2}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** Lines that a block scalar keeps in every reader: none begins the text with a blank or ends with one, no empty line at the end. */
const PLAIN_LINES = /^\S(?:[^\n]*\S)?(?:\n(?:[^\n]*\S)?)*$(?<!\n\n)/;
const DIRECTION_CONTROLS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

function escapeUnicode(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/** One chunk per field, and per item of a list: the text of a long list is never in memory as a whole. */
function* chunks(document: Readonly<Record<string, unknown>>, write: (value: unknown) => string): Iterable<string> {
  let empty = true;
  for (const [name, value] of Object.entries(document)) {
    if (value === undefined) continue;
    empty = false;
    if (Array.isArray(value) || isLazyList(value)) {
      const field = write({ [name]: [] });
      let isEmpty = true;
      for (const item of value) {
        if (isEmpty) yield `${field.slice(0, field.lastIndexOf(':') + 1)}\n`;
        isEmpty = false;
        yield write([item ?? null]);
      }
      if (isEmpty) yield field;
    } else {
      yield write({ [name]: value });
    }
  }
  if (empty) yield '{}\n';
}
