import { isRecord } from '../domain/kubernetes/object.ts';

const INDENT = '    ';
// DEL, C1 controls and characters that reorder text: JSON lets them through, a terminal should not see them. The escape reads back as the same string.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * The document as kubectl indents JSON (four spaces), fields in the document's own order, in chunks: a list is made item by item,
 * so that the text of a long one is never in memory as a whole. A list may also be an iterable that makes its items on demand,
 * at the top or in records and lists that are themselves made so.
 */
export function* renderJson(document: Readonly<Record<string, unknown>>): Iterable<string> {
  yield* lines(document, '');
  yield '\n';
}

/** A value as JSON in one line with its end: for a stream of documents. */
export function jsonLine(value: unknown): string {
  return `${escapedJson(value)}\n`;
}

/** A value as JSON in one line, without a character that could steer a terminal. */
export function escapedJson(value: unknown): string {
  return escape(JSON.stringify(value));
}

/** Whether the value is a list whose items are made as they are asked for: a generator's result, no array and no text. */
export function isLazyList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Symbol.iterator in value;
}

function* lines(document: Readonly<Record<string, unknown>>, margin: string): Iterable<string> {
  const fields = Object.entries(document).filter(([, value]) => JSON.stringify(typeof value === 'object' ? null : value) !== undefined);
  if (fields.length === 0) {
    yield '{}';
    return;
  }
  yield '{\n';
  for (const [index, [name, value]] of fields.entries()) {
    const inner = margin + INDENT;
    yield `${inner}${escape(JSON.stringify(name))}: `;
    if (Array.isArray(value) || isLazyList(value)) yield* list(value, inner);
    else if (holdsLazyList(value)) yield* lines(value, inner);
    else yield block(value, inner);
    yield index === fields.length - 1 ? `\n${margin}}` : ',\n';
  }
}

function* list(items: Iterable<unknown>, margin: string): Iterable<string> {
  const deeper = margin + INDENT;
  let isEmpty = true;
  for (const item of items) {
    const before = `${isEmpty ? '[' : ','}\n${deeper}`;
    isEmpty = false;
    if (holdsLazyList(item)) {
      yield before;
      yield* lines(item, deeper);
    } else {
      yield before + block(item, deeper);
    }
  }
  yield isEmpty ? '[]' : `\n${margin}]`;
}

function holdsLazyList(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && Object.values(value).some(isLazyList);
}

function block(value: unknown, margin: string): string {
  const text = JSON.stringify(value, null, INDENT) ?? 'null';
  return escape(isRecord(value) || Array.isArray(value) ? text.replaceAll('\n', `\n${margin}`) : text);
}

function escape(text: string): string {
  return text.replace(UNSAFE, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
