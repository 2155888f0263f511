/** Where the parts of a YAML document stand in its text, from the tokens of the `yaml` package. JSON is YAML in flow style. */
import type { CST, Parser } from 'yaml';
import { resolveKubectlScalar } from '../../inventory/kubectl-scalar.ts';

export interface SourceNode {
  readonly kind: 'map' | 'list' | 'scalar' | 'alias' | 'empty';
  /** `{…}` and `[…]`. */
  readonly isFlow: boolean;
  /** `|` and `>`. */
  readonly isBlockScalar: boolean;
  /** Of the content, behind anchor and tag. For `empty` both are where a value would follow. */
  readonly start: number;
  /** Behind the content; trailing blanks, comments and, but for block scalars, the line's end are not part of it. */
  readonly end: number;
  /** Name of its anchor; null without. */
  readonly anchor: string | null;
  readonly hasTag: boolean;
  /** For an alias: what it stands for; null where that is unknown. */
  readonly target: SourceNode | null;
  readonly entries: readonly SourceEntry[];
}

export interface SourceEntry {
  /** As kubectl reads it; null for items of lists and for keys that are no plain or quoted text. */
  readonly key: string | null;
  /** `<<: …` */
  readonly isMerge: boolean;
  /** Of the key, or of the `-`; of the value in `[…]`. */
  readonly start: number;
  /** Behind the `:` or `-`; the same as start in `[…]`. */
  readonly indicatorEnd: number;
  readonly value: SourceNode;
}

export interface SourceDocument {
  readonly root: SourceNode;
  /** Names of anchors that some alias uses. */
  readonly usedAnchors: ReadonlySet<string>;
}

/** null where the tokens cannot be understood, or where there are several documents. */
export function readSource(text: string, parser: Parser): SourceDocument | null {
  const anchors = new Map<string, SourceNode>();
  const usedAnchors = new Set<string>();
  let root: SourceNode | null = null;
  for (const token of parser.parse(text)) {
    if (token.type === 'error') return null;
    if (token.type !== 'document') continue;
    if (token.value === undefined) continue;
    if (root !== null) return null;
    root = nodeOf(token.value, token.start, tokenEnd(token.start, token.offset), { anchors, usedAnchors });
  }
  return root === null ? null : { root, usedAnchors };
}

interface Known {
  readonly anchors: Map<string, SourceNode>;
  readonly usedAnchors: Set<string>;
}

type Properties = readonly CST.SourceToken[];

function tokenEnd(tokens: Properties, otherwise: number): number {
  const last = tokens.findLast(({ type }) => type === 'anchor' || type === 'tag' || type === 'map-value-ind' || type === 'seq-item-ind' || type === 'doc-start');
  return last === undefined ? otherwise : last.offset + last.source.length;
}

/** The node of a token (null: no value), with the anchor and tag that stand in the tokens before it. */
function nodeOf(token: CST.Token | null | undefined, properties: Properties, emptyAt: number, known: Known): SourceNode {
  const anchorToken = properties.findLast(({ type }) => type === 'anchor');
  const anchor = anchorToken === undefined ? null : anchorToken.source.slice(1);
  const common = { anchor, hasTag: properties.some(({ type }) => type === 'tag'), isFlow: false, isBlockScalar: false, target: null, entries: [] };
  const node = contentOf(token, common, emptyAt, known);
  if (anchor !== null) known.anchors.set(anchor, node);
  return node;
}

type Common = Pick<SourceNode, 'anchor' | 'hasTag' | 'isFlow' | 'isBlockScalar' | 'target' | 'entries'>;

function contentOf(token: CST.Token | null | undefined, common: Common, emptyAt: number, known: Known): SourceNode {
  if (token?.type === 'alias') {
    const name = token.source.slice(1);
    known.usedAnchors.add(name);
    return { ...common, kind: 'alias', start: token.offset, end: token.offset + token.source.length, target: known.anchors.get(name) ?? null };
  }
  if (token?.type === 'scalar' || token?.type === 'single-quoted-scalar' || token?.type === 'double-quoted-scalar') {
    return { ...common, kind: 'scalar', start: token.offset, end: token.offset + token.source.length };
  }
  if (token?.type === 'block-scalar') {
    const header = token.props.map((part) => ('source' in part ? part.source : '')).join('');
    const keepsBlankLines = /^[|>][0-9]*\+/.test(header);
    const content = keepsBlankLines ? token.source : token.source.replace(/(?:[ \t]*\r?\n)+$/, (blank) => blank.slice(0, blank.indexOf('\n') + 1));
    return { ...common, kind: 'scalar', isBlockScalar: true, start: token.offset, end: token.offset + header.length + content.length };
  }
  if (token?.type === 'block-map' || token?.type === 'block-seq') {
    const entries = token.type === 'block-seq' ? token.items.flatMap((item) => dashOf(item, known))
      : token.items.filter((item) => item.key != null || item.sep !== undefined).map((item) => pairOf(item, token.offset, known));
    const last = entries.at(-1);
    const kind = token.type === 'block-seq' ? 'list' : 'map';
    return { ...common, kind, start: entries[0]?.start ?? token.offset, end: last === undefined ? token.offset : Math.max(last.value.end, last.indicatorEnd), entries };
  }
  if (token?.type === 'flow-collection') {
    const isMap = token.start.source === '{';
    const entries = token.items.filter((item) => item.key != null || item.value != null || item.sep !== undefined).map((item) => (isMap ? pairOf(item, token.offset, known) : itemOf(item, known)));
    const close = token.end.find(({ type }) => type === 'flow-map-end' || type === 'flow-seq-end');
    return { ...common, kind: isMap ? 'map' : 'list', isFlow: true, start: token.offset, end: close === undefined ? token.offset : close.offset + 1, entries };
  }
  return { ...common, kind: 'empty', start: emptyAt, end: emptyAt };
}

function dashOf(item: CST.BlockSequence['items'][number], known: Known): readonly SourceEntry[] {
  const dash = item.start.findLast(({ type }) => type === 'seq-item-ind');
  if (dash === undefined) return [];
  const indicatorEnd = dash.offset + 1;
  const properties = item.start.slice(item.start.indexOf(dash));
  return [{ key: null, isMerge: false, start: dash.offset, indicatorEnd, value: nodeOf(item.value, properties, tokenEnd(properties, indicatorEnd), known) }];
}

type Item = CST.BlockMap['items'][number] | CST.FlowCollection['items'][number];

function itemOf(item: Item, known: Known): SourceEntry {
  // `[a: b]` is a map of one pair, without braces that could be edited.
  const value = item.key != null || item.sep !== undefined ? nodeOf(null, [], 0, known) : nodeOf(item.value, item.start, 0, known);
  const first = item.start.find(({ type }) => type === 'anchor' || type === 'tag');
  const start = first?.offset ?? value.start;
  return { key: null, isMerge: false, start, indicatorEnd: start, value };
}

function pairOf(item: Item, offset: number, known: Known): SourceEntry {
  const explicit = item.start.some(({ type }) => type === 'explicit-key-ind');
  const hasProperties = item.start.some(({ type }) => type === 'anchor' || type === 'tag');
  if (hasProperties) nodeOf(item.key, item.start, offset, known);
  const start = item.start.find(({ type }) => type === 'anchor' || type === 'tag')?.offset ?? (item.key == null ? offset : item.key.offset);
  const separator = item.sep ?? [];
  const keyEnd = item.key != null && 'source' in item.key ? item.key.offset + item.key.source.length : start;
  const colon = separator.find(({ type }) => type === 'map-value-ind');
  const indicatorEnd = colon === undefined ? keyEnd : colon.offset + 1;
  const key = explicit || hasProperties || colon === undefined ? null : keyText(item.key);
  return { key, isMerge: item.key?.type === 'scalar' && item.key.source === '<<', start, indicatorEnd, value: nodeOf(item.value, separator, tokenEnd(separator, indicatorEnd), known) };
}

function keyText(token: CST.Token | null | undefined): string | null {
  if (token == null || !('source' in token) || token.source.includes('\n')) return null;
  if (token.type === 'scalar') return String(resolveKubectlScalar(token.source));
  if (token.type === 'single-quoted-scalar') return token.source.slice(1, -1).replaceAll("''", "'");
  if (token.type !== 'double-quoted-scalar') return null;
  try {
    return JSON.parse(token.source) as string; // a double-quoted token is a string, or no JSON
  } catch {
    return null;
  }
}
