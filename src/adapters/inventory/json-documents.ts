import { InputError } from '../../errors.ts';
import { NESTING_LIMIT, isNestedDeeper } from './parsed-document.ts';
import type { ParsedDocument } from './parsed-document.ts';

export interface JsonDocument extends ParsedDocument {
  /** Where its value begins in the text. */
  readonly start: number;
}

/**
 * The documents of a JSON text: one value, or several one after the other (`kubectl get … -o json >> file` twice, one
 * object per line, `---` lines between). Throws InputError with line and column at the first error.
 */
export function parseJsonDocuments(text: string, file: string): JsonDocument[] {
  // First of all: JSON.parse takes half a minute and gigabytes for a hundred million opening brackets.
  if (opensTooDeep(text.slice(0, DEPTH_SAMPLE_CHARACTERS))) throw tooDeep(file, lineAt(text, skipSpace(text, 0)));
  const whole = tryParse(text);
  const start = skipSpace(text, 0);
  const documents = whole === undefined ? parseEach(text, file) : [{ value: whole.value, line: lineAt(text, start), start }];
  for (const { value, line } of documents) {
    if (isNestedDeeper(value, NESTING_LIMIT)) throw tooDeep(file, line);
  }
  return documents;
}

/** Start of a text whose brackets are counted before it is parsed. */
const DEPTH_SAMPLE_CHARACTERS = 65_536;

function opensTooDeep(start: string): boolean {
  let depth = 0;
  // A string is one match, so that brackets in it do not count.
  for (const [token] of start.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"?|[[{}\]]/gs)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    if (depth > NESTING_LIMIT) return true;
  }
  return false;
}

function tooDeep(file: string, line: number): InputError {
  return new InputError({ file, line }, `the document is nested deeper than ${NESTING_LIMIT} levels`);
}

function tryParse(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function parseEach(text: string, file: string): JsonDocument[] {
  const documents: JsonDocument[] = [];
  let position = skipSeparators(text, 0);
  while (position < text.length) {
    const scan = scanJsonValue(text, position);
    if ('problem' in scan) throw jsonError(text, file, scan);
    const parsed = tryParse(text.slice(position, scan.end));
    if (parsed === undefined) throw new InputError({ file, line: lineAt(text, position) }, 'not valid JSON');
    documents.push({ value: parsed.value, line: lineAt(text, position), start: position });
    position = skipSeparators(text, scan.end);
  }
  return documents;
}

function jsonError(text: string, file: string, { offset, problem }: JsonProblem): InputError {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const place = { file, line: lineAt(text, offset), column: offset - lineStart + 1 };
  if (offset < text.length) return new InputError(place, `not valid JSON: ${problem}`);
  return new InputError(place, 'the JSON is cut off: the file ends in the middle of an object', {
    suggestions: ['the command that wrote it was probably interrupted: run it again and check its exit code'],
  });
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at !== -1 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

function skipSpace(text: string, from: number): number {
  let position = from;
  while (position < text.length && ' \t\r\n'.includes(text.charAt(position))) position++;
  return position;
}

function skipSeparators(text: string, from: number): number {
  let position = skipSpace(text, from);
  while (text.startsWith('---', position) && (position === 0 || text[position - 1] === '\n')) position = skipSpace(text, position + 3);
  return position;
}

interface JsonProblem {
  readonly offset: number;
  readonly problem: string;
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /true|false|null/y;

/**
 * End of the JSON value at `from`, or where it goes wrong. Engines word their SyntaxErrors differently and give positions
 * only in text, so the place of an error is found here; it is used only for texts that JSON.parse refused.
 */
export function scanJsonValue(text: string, from: number): { readonly end: number } | JsonProblem {
  const open: ('{' | '[')[] = [];
  let position = from;
  let expected: 'value' | 'valueOrEnd' | 'key' | 'keyOrEnd' | 'commaOrEnd' = 'value';
  for (;;) {
    position = skipSpace(text, position);
    const character = text.charAt(position);
    if (character === '') return { offset: position, problem: 'unexpected end' };
    if (expected === 'commaOrEnd') {
      if (open.length === 0) return { end: position };
      const isMap = open.at(-1) === '{';
      if (character === ',') {
        position++;
        expected = isMap ? 'key' : 'value';
        continue;
      }
      if (character !== (isMap ? '}' : ']')) return { offset: position, problem: `expected "," or "${isMap ? '}' : ']'}" instead of ${shown(character)}` };
      open.pop();
      position++;
    } else if ((expected === 'keyOrEnd' && character === '}') || (expected === 'valueOrEnd' && character === ']')) {
      open.pop();
      position++;
      expected = 'commaOrEnd';
    } else if (expected === 'key' || expected === 'keyOrEnd') {
      if (character !== '"') return { offset: position, problem: `expected a key in quotes instead of ${shown(character)}` };
      const key = scanString(text, position, 'this key');
      if ('problem' in key) return key;
      const colon = skipSpace(text, key.end);
      if (text.charAt(colon) !== ':') return { offset: colon, problem: `expected ":" after a key instead of ${shown(text.charAt(colon))}` };
      position = colon + 1;
      expected = 'value';
    } else if (character === '{' || character === '[') {
      open.push(character);
      position++;
      expected = character === '{' ? 'keyOrEnd' : 'valueOrEnd';
    } else if (character === '"') {
      const string = scanString(text, position, 'this text');
      if ('problem' in string) return string;
      position = string.end;
      expected = 'commaOrEnd';
    } else {
      const end = matchAt(character === '-' || (character >= '0' && character <= '9') ? NUMBER : WORD, text, position);
      if (end === -1) return endOr(text, position, `expected a value instead of ${shown(character)}`);
      position = end;
      expected = 'commaOrEnd';
    }
    if (open.length === 0 && expected === 'commaOrEnd') return { end: position };
  }
}

function matchAt(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : -1;
}

/** Goes through a string by hand: a regular expression runs out of stack on strings of many megabytes. */
function scanString(text: string, position: number, what: string): { readonly end: number } | JsonProblem {
  for (let at = position + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return { end: at + 1 };
    if (code < 0x20) return { offset: at, problem: `a line break or control character inside ${what}` };
    if (code !== 0x5c) continue;
    const escape = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(at, at + 6))?.[0];
    if (escape !== undefined) at += escape.length - 1;
    else if (!/^\\(?:u[0-9a-fA-F]{0,3})?$/.test(text.slice(at, at + 6))) return { offset: at, problem: `unknown escape ${shown(text.slice(at, at + 2))} inside ${what}` };
  }
  return { offset: text.length, problem: 'unexpected end' };
}

/** A word or number that the end of the file cuts (`tru`) is an end, not a wrong character. */
function endOr(text: string, position: number, problem: string): JsonProblem {
  const rest = text.slice(position, position + 6).trimEnd();
  const cut = position + rest.length >= text.trimEnd().length && (rest === '-' || ['true', 'false', 'null'].some((word) => word.startsWith(rest)));
  return cut ? { offset: text.length, problem: 'unexpected end' } : { offset: position, problem };
}

function shown(text: string): string {
  return text === '' ? 'the end' : JSON.stringify(text);
}
