/**
 * kubectl's JSONPath: not the RFC's, but templates of text and `{…}` actions, as client-go's util/jsonpath reads and
 * runs them (https://github.com/kubernetes/client-go/tree/v0.37.2/util/jsonpath, read 2026-11-30).
 *
 * Where Go walks a map in random order (`*`, `..`), keys are walked in sorted order here, so that output is stable.
 * JavaScript does not tell 1.0 from 1, so whole numbers of a document count as integers.
 */
import { UsageError } from '../errors.ts';
import { isRecord } from '../domain/kubernetes/object.ts';
import { compareGoStrings, GoFloat, isGoInteger, isGoPrintable, marshalGoJson, printGoNumber, printGoValue, quoteGoString, sortedKeys } from './go-values.ts';

interface SliceBound {
  readonly value: number;
  readonly known: boolean;
  /** true for the end of `[n]`, which was not written. */
  readonly derived: boolean;
}

type Node =
  | { readonly type: 'list'; readonly nodes: Node[] }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'field'; readonly name: string }
  | { readonly type: 'array'; readonly start: SliceBound; readonly end: SliceBound; readonly step: SliceBound }
  | { readonly type: 'filter'; readonly left: ListNode; readonly right: ListNode; readonly operator: string }
  | { readonly type: 'literal'; readonly value: number | boolean | GoFloat }
  | { readonly type: 'wildcard' }
  | { readonly type: 'recursive' }
  | { readonly type: 'union'; readonly lists: readonly ListNode[] }
  | { readonly type: 'identifier'; readonly name: string };
type ListNode = Extract<Node, { type: 'list' }>;

/** A template ready to run. */
export interface JsonPath {
  readonly template: string;
  /** true when the template has no `{…}`: kubectl prints such a template as it is, which is seldom what was meant. */
  readonly isPlainText: boolean;
  readonly nodes: readonly Node[];
}

/** What is wrong with a template or with what it met; the callers say where it came from. */
export class JsonPathError extends Error {}

/** Reads a template. Throws JsonPathError in client-go's words. */
export function parseJsonPath(template: string): JsonPath {
  const nodes = new Parser(template).parse().nodes;
  return { template, isPlainText: nodes.every((node) => node.type === 'text'), nodes };
}

export interface JsonPathOptions {
  /** A missing field is an error unless true (kubectl's --allow-missing-template-keys, true by default). */
  readonly allowMissingKeys?: boolean;
}

/** Results per action of the template, in its order. Throws JsonPathError in client-go's words. */
export function findJsonPath(path: JsonPath, data: unknown, options: JsonPathOptions = {}): unknown[][] {
  return new Evaluator(path.nodes, options.allowMissingKeys ?? true).findResults(data);
}

export interface JsonPathPrintOptions extends JsonPathOptions {
  /** kubectl's `jsonpath-as-json`: each action's results as an indented JSON array. */
  readonly asJson?: boolean;
}

/** What kubectl prints for the template, without a line end of its own. Throws UsageError. */
export function printJsonPath(path: JsonPath, data: unknown, options: JsonPathPrintOptions = {}): string {
  let results: unknown[][];
  try {
    results = findJsonPath(path, data, options);
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    throw new UsageError(`error executing jsonpath ${quoteGoString(path.template)}: Error executing template: ${error.message}`, {
      cause: error,
      suggestions: ['see the fields that there are with -o json'],
    });
  }
  return results.map((values) => (options.asJson === true ? `${marshalGoJson(values, '    ')}\n` : values.map(printResult).join(' '))).join('');
}

function printResult(value: unknown): string {
  if (value === null) return 'null';
  if (value === NO_VALUE) return '<no value>';
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return printGoNumber(value);
  if (value instanceof GoFloat) return printGoNumber(value.value);
  return typeof value === 'boolean' ? printGoValue(value) : marshalGoJson(value);
}

const END = '';
const UNKNOWN_BOUND: SliceBound = { value: 0, known: false, derived: false };
const MAXIMUM_INT64 = 2n ** 63n - 1n;

/** client-go's parser.go, function by function: its oddities (nested `}` in filters, quotes) are what people's templates rely on. */
class Parser {
  readonly #input: string;
  readonly #root: ListNode = { type: 'list', nodes: [] };
  #position = 0;
  #start = 0;
  #width = 0;

  constructor(input: string) {
    this.#input = input;
  }

  parse(): ListNode {
    this.#parseText();
    return this.#root;
  }

  #next(): string {
    const code = this.#input.codePointAt(this.#position);
    const character = code === undefined ? END : String.fromCodePoint(code);
    this.#width = character.length;
    this.#position += this.#width;
    return character;
  }

  #backup(): void {
    this.#position -= this.#width;
  }

  #peek(): string {
    const character = this.#next();
    this.#backup();
    return character;
  }

  #consume(): string {
    const text = this.#input.slice(this.#start, this.#position);
    this.#start = this.#position;
    return text;
  }

  // Loops where client-go recurses: a template of many actions must not exhaust the stack.
  #parseText(): void {
    for (;;) {
      const open = this.#input.indexOf('{', this.#position);
      this.#position = open === -1 ? this.#input.length : open;
      if (this.#position > this.#start) this.#root.nodes.push({ type: 'text', text: this.#consume() });
      if (open === -1) return;
      this.#position += 1;
      this.#consume();
      const action: ListNode = { type: 'list', nodes: [] };
      this.#root.nodes.push(action);
      this.#parseAction(action.nodes);
    }
  }

  #parseAction(nodes: Node[]): void {
    for (;;) {
      if (this.#input.startsWith('}', this.#position)) {
        this.#position += 1;
        this.#consume();
        return;
      }
      if (this.#input.startsWith('[?(', this.#position)) {
        this.#parseFilter(nodes);
        continue;
      }
      if (this.#input.startsWith('..', this.#position)) {
        this.#parseRecursive(nodes);
        continue;
      }
      const character = this.#next();
      if (character === END || isEndOfLine(character)) throw new JsonPathError('unclosed action');
      if (character === ' ' || character === '@' || character === '$') {
        this.#consume();
      } else if (character === '[') {
        this.#parseArray(nodes);
      } else if (character === '"' || character === "'") {
        this.#parseQuote(nodes, character);
      } else if (character === '.') {
        this.#parseField(nodes);
      } else if (character === '+' || character === '-' || isDigit(character)) {
        this.#backup();
        this.#parseNumber(nodes);
      } else if (isAlphaNumeric(character)) {
        this.#backup();
        this.#parseIdentifier(nodes);
      } else {
        throw new JsonPathError(`unrecognized character in action: ${printRune(character)}`);
      }
    }
  }

  #parseIdentifier(nodes: Node[]): void {
    while (!isTerminator(this.#next()));
    this.#backup();
    const name = this.#consume();
    nodes.push(name === 'true' || name === 'false' ? { type: 'literal', value: name === 'true' } : { type: 'identifier', name });
  }

  #parseRecursive(nodes: Node[]): void {
    if (nodes.at(-1)?.type === 'recursive') throw new JsonPathError('invalid multiple recursive descent');
    this.#position += 2;
    this.#consume();
    nodes.push({ type: 'recursive' });
    if (isAlphaNumeric(this.#peek())) this.#parseField(nodes);
  }

  #parseNumber(nodes: Node[]): void {
    const sign = this.#peek();
    if (sign === '+' || sign === '-') this.#next();
    for (;;) {
      const character = this.#next();
      if (character !== '.' && !isDigit(character)) {
        this.#backup();
        break;
      }
    }
    const text = this.#consume();
    const whole = parseInt64(text);
    if (whole !== null) nodes.push({ type: 'literal', value: whole });
    else if (/^[+-]?(\d+\.?\d*|\.\d+)$/.test(text) && Number.isFinite(Number(text))) nodes.push({ type: 'literal', value: new GoFloat(Number(text)) });
    else throw new JsonPathError(`cannot parse number ${text}`);
  }

  #parseArray(nodes: Node[]): void {
    for (;;) {
      const character = this.#next();
      if (character === END || character === '\n') throw new JsonPathError('unterminated array');
      if (character === ']') break;
    }
    const inside = this.#consume().slice(1, -1);
    const text = inside === '*' ? ':' : inside;

    const parts = text.split(',');
    if (parts.length > 1) {
      nodes.push({ type: 'union', lists: parts.map((part) => parseOneAction(`[${part.replace(/^ +| +$/g, '')}]`)) });
      return;
    }

    const key = /^'([^']*)'$/.exec(text);
    if (key !== null) {
      nodes.push(...parseOneAction(`.${key[1]}`).nodes);
      return;
    }

    const slice = /^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$/.exec(text);
    if (slice === null) throw new JsonPathError(`invalid array index ${text}`);
    const [, first = '', second = '', third = ''] = slice;
    const start = first === '' ? UNKNOWN_BOUND : parseBound(first);
    const end = second === '' ? { value: start.value + 1, known: true, derived: true } : parseBound(second.slice(1));
    const step = third === '' ? UNKNOWN_BOUND : parseBound(third.slice(1));
    nodes.push({ type: 'array', start, end, step });
  }

  #parseFilter(nodes: Node[]): void {
    this.#position += 3;
    this.#consume();
    let quote = '';
    let closed = false;
    for (;;) {
      const character = this.#next();
      if (character === END || character === '\n') throw new JsonPathError('unterminated filter');
      if (character === '"' || character === "'") {
        if (quote === '') quote = character;
        else if (this.#input[this.#position - 2] !== '\\' && character === quote) closed = true;
      } else if (character === ')' && (quote !== '') === closed) {
        break;
      }
    }
    if (this.#next() !== ']') throw new JsonPathError('unclosed array expect ]');
    const text = this.#consume().slice(0, -2);
    const comparison = /^([^!<>=]+)([!<>=]+)([^\n]+?)$/.exec(text);
    if (comparison === null) {
      nodes.push({ type: 'filter', left: parseOneAction(text), right: { type: 'list', nodes: [] }, operator: 'exists' });
      return;
    }
    const [, left = '', operator = '', right = ''] = comparison;
    nodes.push({ type: 'filter', left: parseOneAction(left), right: parseOneAction(right), operator });
  }

  #parseQuote(nodes: Node[], quote: string): void {
    for (;;) {
      const character = this.#next();
      if (character === END || character === '\n') throw new JsonPathError('unterminated quoted string');
      if (character === quote && this.#input[this.#position - 2] !== '\\') break;
    }
    const quoted = this.#consume();
    const text = unquote(quoted);
    if (text === null) throw new JsonPathError(`unquote string ${quoted} error invalid syntax`);
    nodes.push({ type: 'text', text });
  }

  #parseField(nodes: Node[]): void {
    this.#consume();
    for (;;) {
      const character = this.#next();
      if (character === '\\') {
        this.#next();
      } else if (isTerminator(character)) {
        this.#backup();
        break;
      }
    }
    const name = this.#consume();
    nodes.push(name === '*' ? { type: 'wildcard' } : { type: 'field', name: name.replaceAll('\\', '') });
  }
}

function parseOneAction(text: string): ListNode {
  const [first] = new Parser(`{${text}}`).parse().nodes;
  // The text begins with '{', so the first node is the list of that action.
  return first as ListNode;
}

function parseBound(text: string): SliceBound {
  if (text === '') return UNKNOWN_BOUND;
  const value = parseInt64(text);
  if (value === null) throw new JsonPathError(`array index ${text} is not a number`);
  return { value, known: true, derived: false };
}

/** Go's strconv.Atoi; null for what is no integer or does not fit 64 bits. */
function parseInt64(text: string): number | null {
  if (!/^[+-]?[0-9]+$/.test(text)) return null;
  const value = BigInt(text.replace(/^\+/, ''));
  return value > MAXIMUM_INT64 || value < -MAXIMUM_INT64 - 1n ? null : Number(value);
}

function isTerminator(character: string): boolean {
  return character === END || ' \t\r\n.,[]$@{}'.includes(character);
}

function isEndOfLine(character: string): boolean {
  return character === '\r' || character === '\n';
}

function isDigit(character: string): boolean {
  return /^\p{Nd}$/u.test(character);
}

function isAlphaNumeric(character: string): boolean {
  return /^[_\p{L}\p{Nd}]$/u.test(character);
}

/** Go's %#U: `U+0023 '#'`. */
function printRune(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return isGoPrintable(character) ? `U+${code} '${character}'` : `U+${code}`;
}

const SIMPLE_ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, f: 12, n: 10, r: 13, t: 9, v: 11, '\\': 92 };

/** Go's strconv.Unquote for either quote; null where Go says "invalid syntax". `\x` and octal escapes are bytes of UTF-8. */
function unquote(quoted: string): string | null {
  const quote = quoted[0] ?? '';
  if (quoted.length < 2 || quote !== quoted.at(-1)) return null;
  const text = quoted.slice(1, -1);
  if (!text.includes('\\') && !text.includes(quote)) return text;
  const encoder = new TextEncoder();
  const bytes: number[] = [];
  let index = 0;
  while (index < text.length) {
    const character = String.fromCodePoint(text.codePointAt(index) ?? 0);
    index += character.length;
    if (character === quote) return null;
    if (character !== '\\') {
      bytes.push(...encoder.encode(character));
      continue;
    }
    const escape = text[index] ?? '';
    index += 1;
    const simple = SIMPLE_ESCAPES[escape];
    if (simple !== undefined) {
      bytes.push(simple);
    } else if (escape === quote) {
      bytes.push(quote.charCodeAt(0));
    } else if (escape === 'x' || escape === 'u' || escape === 'U') {
      const length = escape === 'x' ? 2 : escape === 'u' ? 4 : 8;
      const digits = text.slice(index, index + length);
      if (!/^[0-9a-fA-F]+$/.test(digits) || digits.length < length) return null;
      index += length;
      const code = Number.parseInt(digits, 16);
      if (escape === 'x') bytes.push(code);
      else if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return null;
      else bytes.push(...encoder.encode(String.fromCodePoint(code)));
    } else if (escape >= '0' && escape <= '7') {
      const digits = text.slice(index - 1, index + 2);
      if (!/^[0-7]{3}$/.test(digits)) return null;
      index += 2;
      const code = Number.parseInt(digits, 8);
      if (code > 255) return null;
      bytes.push(code);
    } else {
      return null;
    }
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

/** Go's invalid reflect.Value: what an action inside an empty `range` works on. */
const NO_VALUE = Symbol('no value');

/** Ranges in ranges; each takes a place on the stack. */
const DEEPEST_RANGE = 500;

/** client-go's jsonpath.go. It runs over what follows a `range` once per element and leaves the loop at `end`. */
class Evaluator {
  #nodes: readonly Node[];
  readonly #allowMissingKeys: boolean;
  #beginRange = 0;
  #inRange = 0;
  #endRange = 0;
  #lastEnd: Node | null = null;

  constructor(nodes: readonly Node[], allowMissingKeys: boolean) {
    this.#nodes = nodes;
    this.#allowMissingKeys = allowMissingKeys;
  }

  findResults(data: unknown): unknown[][] {
    const input = [data];
    const nodes = this.#nodes;
    const found: unknown[][] = [];
    for (let index = 0; index < nodes.length; index += 1) {
      const node = nodes[index];
      if (node === undefined) break;
      const results = this.#walk(input, node);
      if (this.#endRange > 0 && this.#endRange <= this.#inRange) {
        this.#endRange -= 1;
        this.#lastEnd = node;
        break;
      }
      if (this.#beginRange > 0) {
        this.#beginRange -= 1;
        this.#inRange += 1;
        if (this.#inRange > DEEPEST_RANGE) throw new JsonPathError(`ranges are nested more than ${DEEPEST_RANGE} deep`);
        const rest = nodes.slice(index + 1);
        // Without elements the body still has to be passed over, to find its end.
        for (const element of results.length > 0 ? results : [null]) {
          this.#nodes = rest;
          const inner = this.findResults(element ?? NO_VALUE);
          if (results.length > 0) for (const values of inner) found.push(values);
        }
        this.#inRange -= 1;
        const end = this.#lastEnd === null ? -1 : nodes.indexOf(this.#lastEnd, index + 1);
        if (end !== -1) index = end;
        continue;
      }
      found.push(results);
    }
    return found;
  }

  #walk(input: unknown[], node: Node): unknown[] {
    switch (node.type) {
      case 'list':
        return this.#walkList(input, node);
      case 'text':
        return [node.text];
      case 'literal':
        return input.map(() => node.value);
      case 'field':
        return this.#walkField(input, node.name);
      case 'array':
        return slicesOf(input, node);
      case 'filter':
        return input.flatMap((value) => this.#filter(value, node));
      case 'wildcard':
        return input.flatMap(childrenOf);
      case 'recursive': {
        const found: unknown[] = [];
        for (const value of input) collectRecursively(value, found);
        return found;
      }
      case 'union':
        return node.lists.flatMap((list) => this.#walkList(input, list));
      case 'identifier':
        return this.#walkIdentifier(input, node.name);
    }
  }

  #walkList(input: unknown[], list: ListNode): unknown[] {
    let current = input;
    for (const node of list.nodes) current = this.#walk(current, node);
    return current;
  }

  #walkIdentifier(input: unknown[], name: string): unknown[] {
    if (name === 'range') {
      this.#beginRange += 1;
      return input;
    }
    if (name !== 'end') throw new JsonPathError(`unrecognized identifier ${name}`);
    if (this.#inRange === 0) throw new JsonPathError('not in range, nothing to end');
    this.#endRange += 1;
    return [];
  }

  #walkField(input: unknown[], name: string): unknown[] {
    if (input.length === 0) return [];
    const found: unknown[] = [];
    for (const value of input) {
      if (isRecord(value) && Object.hasOwn(value, name) && value[name] !== undefined) found.push(value[name]);
    }
    if (found.length === 0 && !this.#allowMissingKeys) throw new JsonPathError(`${name} is not found`);
    return found;
  }

  #filter(list: unknown, node: Extract<Node, { type: 'filter' }>): unknown[] {
    if (!Array.isArray(list)) {
      throw new JsonPathError(`${list === NO_VALUE ? '<invalid reflect.Value>' : printGoValue(list)} is not array or slice and cannot be filtered`);
    }
    return list.filter((element) => {
      if (node.operator === 'exists') return this.#exists(element, node.left);
      const lefts = this.#walkList([element], node.left);
      if (lefts.length === 0) return false;
      if (lefts.length > 1) throw new JsonPathError('can only compare one element at a time');
      const rights = this.#walkList([element], node.right);
      if (rights.length === 0) return false;
      if (rights.length > 1) throw new JsonPathError('can only compare one element at a time');
      return compare(lefts[0], rights[0], node.operator);
    });
  }

  #exists(element: unknown, list: ListNode): boolean {
    // client-go asks for the results before it looks at the error; with an error, what the failing step was given is the result.
    let current: unknown[] = [element];
    for (const node of list.nodes) {
      try {
        current = this.#walk(current, node);
      } catch (error) {
        if (!(error instanceof JsonPathError)) throw error;
        return resultsAtError(node, current) > 0;
      }
    }
    return current.length > 0;
  }
}

/** How many values client-go returns beside an error: most steps hand their input back, a missing field hands back nothing. */
function resultsAtError(node: Node, input: readonly unknown[]): number {
  return node.type === 'field' || node.type === 'recursive' || (node.type === 'identifier' && node.name === 'end') ? 0 : input.length;
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  // A string is a slice of bytes to Go's reflection.
  if (typeof value === 'string') return [...new TextEncoder().encode(value)];
  return isRecord(value) ? sortedKeys(value).map((key) => value[key]) : [];
}

/** Every value that holds others, outermost first; strings count as such in Go, unless empty. */
function collectRecursively(value: unknown, found: unknown[]): void {
  if (typeof value === 'string') {
    if (value !== '') found.push(value);
    return;
  }
  const children = childrenOf(value);
  if (children.length === 0) return;
  found.push(value);
  for (const child of children) collectRecursively(child, found);
}

function slicesOf(input: readonly unknown[], node: Extract<Node, { type: 'array' }>): unknown[] {
  const found: unknown[] = [];
  for (const value of input) {
    if (value === null || value === NO_VALUE) continue;
    const slice = sliceOf(value, node);
    // client-go ends the step at the first slice of no elements, whatever lists follow (jsonpath.go, evalArray).
    if (slice === null) break;
    for (const element of slice) found.push(element);
  }
  return found;
}

/** null where start and end are the same. */
function sliceOf(value: unknown, node: Extract<Node, { type: 'array' }>): unknown[] | null {
  if (!Array.isArray(value)) throw new JsonPathError(`${goTypeOf(value)} is not array or slice`);
  const length = value.length;
  const start = !node.start.known ? 0 : node.start.value < 0 ? node.start.value + length : node.start.value;
  const written = node.end.known ? node.end.value : length;
  const end = written < 0 || (written === 0 && node.end.derived) ? written + length : written;
  if (start === end) return null;
  if (start >= length || start < 0) throw new JsonPathError(`array index out of bounds: index ${start}, length ${length}`);
  if (end > length || end < 0) throw new JsonPathError(`array index out of bounds: index ${end - 1}, length ${length}`);
  if (start > end) throw new JsonPathError(`starting index ${start} is greater than ending index ${end}`);
  const step = node.step.known ? node.step.value : 1;
  if (step <= 0) throw new JsonPathError('step must be > 0');
  return value.slice(start, end).filter((_, index) => index % step === 0);
}

function goTypeOf(value: unknown): string {
  if (typeof value === 'string') return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number') return isGoInteger(value) ? 'int64' : 'float64';
  if (value instanceof GoFloat) return 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

type Comparable = { readonly kind: 'bool'; readonly value: boolean } | { readonly kind: 'int' | 'float'; readonly value: number } | { readonly kind: 'string'; readonly value: string };

function comparable(value: unknown): Comparable {
  if (typeof value === 'boolean') return { kind: 'bool', value };
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'number') return { kind: isGoInteger(value) ? 'int' : 'float', value };
  if (value instanceof GoFloat) return { kind: 'float', value: value.value };
  throw new JsonPathError('invalid type for comparison');
}

/** text/template's comparisons: no conversion between strings, floats, integers and booleans. */
function compare(left: unknown, right: unknown, operator: string): boolean {
  switch (operator) {
    case '==':
      return isEqual(left, right);
    case '!=':
      return !isEqual(left, right);
    case '<':
      return isLess(left, right);
    case '>':
      return !(isLess(left, right) || isEqual(left, right));
    case '<=':
      return isLess(left, right) || isEqual(left, right);
    case '>=':
      return !isLess(left, right);
    default:
      throw new JsonPathError(`unrecognized filter operator ${operator}`);
  }
}

function isEqual(left: unknown, right: unknown): boolean {
  const first = comparable(left);
  const second = comparable(right);
  if (first.kind !== second.kind) throw new JsonPathError('incompatible types for comparison');
  return first.value === second.value;
}

function isLess(left: unknown, right: unknown): boolean {
  const first = comparable(left);
  const second = comparable(right);
  if (first.kind !== second.kind) throw new JsonPathError('incompatible types for comparison');
  if (first.kind === 'bool') throw new JsonPathError('invalid type for comparison');
  if (first.kind === 'string') return compareGoStrings(first.value, String(second.value)) < 0;
  return first.value < Number(second.value);
}
