/**
 * Label and field selectors as the API server reads them, for inventories that no server filters.
 * Grammar and error texts: https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/labels/selector.go and
 * pkg/fields/selector.go, read 2026-11-30.
 */
import { booleanAt, stringAt } from './object.ts';
import { meetsOperator, parseInt64, type RequirementOperator } from './requirement.ts';

/** A selector that the API server would answer with 400; the message is the server's. */
export class SelectorSyntaxError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SelectorSyntaxError';
  }
}

type LabelOperator = 'in' | 'notin' | '=' | '==' | '!=' | 'gt' | 'lt' | 'exists' | '!';

const OPERATORS: Readonly<Record<LabelOperator, RequirementOperator>> = { in: 'In', '=': 'In', '==': 'In', notin: 'NotIn', '!=': 'NotIn', exists: 'Exists', '!': 'DoesNotExist', gt: 'Gt', lt: 'Lt' };

interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted and without repetition, as the server keeps them. */
  readonly values: readonly string[];
}

/** Requirements, all of which must hold; an empty list selects everything. */
export type LabelSelector = readonly LabelRequirement[];

/** Reads what kubectl takes after -l. Throws SelectorSyntaxError with the API server's text. */
export function parseLabelSelector(text: string): LabelSelector {
  return new LabelSelectorParser(text).parse();
}

/** Whether labels satisfy every requirement. A missing label satisfies `!=` and `notin`, as on the server. */
export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>>): boolean {
  return selector.every((requirement) => meets(requirement, Object.hasOwn(labels, requirement.key) ? labels[requirement.key] : undefined));
}

function meets({ operator, values }: LabelRequirement, value: string | undefined): boolean {
  return meetsOperator(OPERATORS[operator], values, value);
}

/** The same as the API writes it in match expressions. */
export function matchExpressionsOf(selector: LabelSelector): readonly { readonly key: string; readonly operator: RequirementOperator; readonly values?: readonly string[] }[] {
  return selector.map(({ key, operator, values }) => ({ key, operator: OPERATORS[operator], ...(values.length === 0 ? {} : { values }) }));
}

type TokenKind = 'end' | ')' | ',' | '!' | '==' | '=' | '>' | 'identifier' | 'in' | '<' | '!=' | 'notin' | '(';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const SPECIAL = new Set(['=', '!', '(', ')', ',', '>', '<']);
const OPERATOR_TOKENS = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '(']);
const WHITE_SPACE = new Set([' ', '\t', '\r', '\n']);

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    const character = text.charAt(position);
    if (WHITE_SPACE.has(character)) {
      position += 1;
    } else if (SPECIAL.has(character)) {
      const two = text.slice(position, position + 2);
      const found = OPERATOR_TOKENS.has(two) ? two : character;
      tokens.push({ kind: found as TokenKind, text: found }); // both are members of OPERATOR_TOKENS
      position += found.length;
    } else {
      const start = position;
      while (position < text.length && !SPECIAL.has(text.charAt(position)) && !WHITE_SPACE.has(text.charAt(position))) position += 1;
      const word = text.slice(start, position);
      tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
    }
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

type BinaryOperator = Exclude<LabelOperator, 'exists' | '!'>;

const BINARY_OPERATORS: ReadonlyMap<TokenKind, BinaryOperator> = new Map([['in', 'in'], ['notin', 'notin'], ['=', '='], ['==', '=='], ['!=', '!='], ['>', 'gt'], ['<', 'lt']]);

class LabelSelectorParser {
  private readonly tokens: readonly Token[];
  private position = 0;

  constructor(text: string) {
    this.tokens = tokenize(text);
  }

  parse(): LabelSelector {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.peek();
      if (token.kind === 'end') break;
      if (token.kind !== 'identifier' && token.kind !== '!') throw new SelectorSyntaxError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.requirement());
      const after = this.next();
      if (after.kind === 'end') break;
      if (after.kind !== ',') throw new SelectorSyntaxError(`found '${after.text}', expected: ',' or 'end of string'`);
      const following = this.peek();
      if (following.kind !== 'identifier' && following.kind !== '!') throw new SelectorSyntaxError(`found '${following.text}', expected: identifier after ','`);
    }
    return requirements;
  }

  private requirement(): LabelRequirement {
    let token = this.next();
    const negated = token.kind === '!';
    if (negated) token = this.next();
    if (token.kind !== 'identifier') throw unparsable(`found '${token.text}', expected: identifier`);
    const key = token.text;
    checkLabelKey(key);
    const after = this.peek().kind;
    if (negated) return { key, operator: '!', values: [] };
    if (after === 'end' || after === ',') return { key, operator: 'exists', values: [] };
    const operator = this.operator();
    const values = operator === 'in' || operator === 'notin' ? this.valueSet() : this.exactValue();
    if (operator === 'gt' || operator === 'lt') {
      for (const [index, value] of values.entries()) {
        if (parseInt64(value) === null) throw unparsable(`values[${index}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
      }
    }
    for (const [index, value] of values.entries()) checkLabelValue(key, value, index);
    return { key, operator, values };
  }

  private operator(): BinaryOperator {
    const token = this.next('operator');
    const operator = BINARY_OPERATORS.get(token.kind);
    if (operator === undefined) throw unparsable(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    return operator;
  }

  private valueSet(): readonly string[] {
    const open = this.next();
    if (open.kind !== '(') throw unparsable(`found '${open.text}' expected: '('`);
    const first = this.peek();
    if (first.kind === ')') {
      this.next();
      return [''];
    }
    if (first.kind !== 'identifier' && first.kind !== ',') throw unparsable(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = this.values();
    this.next(); // the closing parenthesis, which `values` stopped at
    return [...values].toSorted();
  }

  /** Values up to, not including, the closing parenthesis; nothing between commas is the empty value. */
  private values(): ReadonlySet<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.next();
      if (token.kind === 'identifier') {
        values.add(token.text);
        const after = this.peek();
        if (after.kind === ')') return values;
        if (after.kind !== ',') throw unparsable(`found '${after.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('');
        const after = this.peek();
        if (after.kind === ')') return values.add('');
        if (after.kind === ',') {
          this.next();
          values.add('');
        }
      } else {
        throw unparsable(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }

  private exactValue(): readonly string[] {
    const kind = this.peek().kind;
    if (kind === 'end' || kind === ',') return [''];
    const token = this.next();
    if (token.kind !== 'identifier') throw unparsable(`found '${token.text}', expected: identifier`);
    return [token.text];
  }

  /** `in` and `notin` are words of the language only where an operator is due. */
  private peek(where: 'value' | 'operator' = 'value'): Token {
    const token = this.tokens[this.position] ?? { kind: 'end', text: '' };
    return where === 'value' && (token.kind === 'in' || token.kind === 'notin') ? { kind: 'identifier', text: token.text } : token;
  }

  private next(where: 'value' | 'operator' = 'value'): Token {
    const token = this.peek(where);
    this.position += 1;
    return token;
  }
}

function unparsable(problem: string): SelectorSyntaxError {
  return new SelectorSyntaxError(`unable to parse requirement: ${problem}`);
}

const LABEL_NAME = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const LABEL_KEY_RULE = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${LABEL_NAME}')`;
const LABEL_VALUE_RULE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${LABEL_NAME})?')`;
const SUBDOMAIN = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const SUBDOMAIN_RULE = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`;

function checkLabelKey(key: string): void {
  const problems = labelKeyProblems(key);
  // The server prints "<nil>" for the field path that it was not given.
  if (problems.length > 0) throw unparsable(`<nil>: Invalid value: ${quote(key)}: ${problems.join('; ')}`);
}

function labelKeyProblems(key: string): readonly string[] {
  const parts = key.split('/');
  if (parts.length > 2) return [`a valid label key ${LABEL_KEY_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? parts[0] ?? '' : null;
  const problems: string[] = [];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== null) {
    if (byteLength(prefix) > 253) problems.push('prefix part must be no more than 253 bytes');
    if (!new RegExp(`^${SUBDOMAIN}$`).test(prefix)) problems.push(`prefix part ${SUBDOMAIN_RULE}`);
  }
  if (name === '') problems.push('name part must be non-empty');
  else if (byteLength(name) > 63) problems.push('name part must be no more than 63 bytes');
  if (!new RegExp(`^${LABEL_NAME}$`).test(name)) problems.push(`name part ${LABEL_KEY_RULE}`);
  return problems;
}

function checkLabelValue(key: string, value: string, index: number): void {
  const problems: string[] = [];
  if (byteLength(value) > 63) problems.push('must be no more than 63 bytes');
  if (!new RegExp(`^(${LABEL_NAME})?$`).test(value)) problems.push(LABEL_VALUE_RULE);
  if (problems.length > 0) throw unparsable(`values[${index}][${key}]: Invalid value: ${quote(value)}: ${problems.join('; ')}`);
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

interface FieldRequirement {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Requirements, all of which must hold; an empty list selects everything. */
export type FieldSelector = readonly FieldRequirement[];

/** How a kind answers the fields that its API lets one select on. */
export type SelectableFields = Readonly<Record<string, (object: unknown) => string>>;

// https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/apis/core/v1/conversion.go, read 2026-11-30
export const NODE_FIELDS = {
  'metadata.name': (node) => stringAt(node, 'metadata', 'name') ?? '',
  'spec.unschedulable': (node) => String(booleanAt(node, 'spec', 'unschedulable') ?? false),
} as const satisfies SelectableFields;

export const POD_FIELDS = {
  'metadata.name': (pod) => stringAt(pod, 'metadata', 'name') ?? '',
  'metadata.namespace': (pod) => stringAt(pod, 'metadata', 'namespace') ?? '',
  'spec.nodeName': (pod) => stringAt(pod, 'spec', 'nodeName') ?? '',
  'spec.restartPolicy': (pod) => stringAt(pod, 'spec', 'restartPolicy') ?? '',
  'spec.schedulerName': (pod) => stringAt(pod, 'spec', 'schedulerName') ?? '',
  'spec.serviceAccountName': (pod) => stringAt(pod, 'spec', 'serviceAccountName') ?? '',
  'spec.hostNetwork': (pod) => String(booleanAt(pod, 'spec', 'hostNetwork') ?? false),
  'status.phase': (pod) => stringAt(pod, 'status', 'phase') ?? '',
  'status.podIP': (pod) => stringAt(pod, 'status', 'podIP') ?? '',
  'status.nominatedNodeName': (pod) => stringAt(pod, 'status', 'nominatedNodeName') ?? '',
} as const satisfies SelectableFields;

/** What any other kind lets one select on. */
export const DEFAULT_FIELDS = { 'metadata.name': POD_FIELDS['metadata.name'], 'metadata.namespace': POD_FIELDS['metadata.namespace'] } as const satisfies SelectableFields;

/** https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/registry/core/event/strategy.go (ToSelectableFields), read 2026-11-30 */
const EVENT_FIELDS: SelectableFields = {
  ...DEFAULT_FIELDS,
  ...Object.fromEntries(['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'].map((field) => [`involvedObject.${field}`, (object: unknown) => stringAt(object, 'involvedObject', field) ?? ''])),
  reason: (object) => stringAt(object, 'reason') ?? '',
  reportingComponent: (object) => stringAt(object, 'reportingComponent') ?? '',
  source: (object) => stringAt(object, 'source', 'component') ?? stringAt(object, 'reportingComponent') ?? '',
  type: (object) => stringAt(object, 'type') ?? '',
};

/** Fields of a kind; kinds that are not listed have their name and namespace. */
export function selectableFields(kind: string): SelectableFields {
  if (kind === 'Node') return NODE_FIELDS;
  if (kind === 'Event') return EVENT_FIELDS;
  return kind === 'Pod' ? POD_FIELDS : DEFAULT_FIELDS;
}

/** Reads what kubectl takes after --field-selector. Throws SelectorSyntaxError with the API server's text, also for a field the kind does not have. */
export function parseFieldSelector(text: string, fields: SelectableFields): FieldSelector {
  return splitTerms(text).filter((term) => term !== '').map((term) => {
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
    if (match === null) throw new SelectorSyntaxError(`invalid selector: '${text}'; can't understand '${term}'`);
    const [, field = '', operator, value = ''] = match;
    const unescaped = unescapeValue(value);
    if (!Object.hasOwn(fields, field)) throw new SelectorSyntaxError(`field label not supported: ${field}`);
    return { field, operator: operator === '!=' ? '!=' : '=', value: unescaped };
  });
}

/** Whether an object satisfies every requirement of a selector that was parsed with the same fields. */
export function matchesFields(selector: FieldSelector, object: unknown, fields: SelectableFields): boolean {
  return selector.every(({ field, operator, value }) => (fields[field]?.(object) === value) === (operator === '='));
}

/** Terms between commas; a backslash keeps the comma that follows it. */
function splitTerms(text: string): readonly string[] {
  const terms: string[] = [];
  let start = 0;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\') index += 1;
    else if (text[index] === ',') {
      terms.push(text.slice(start, index));
      start = index + 1;
    }
  }
  terms.push(text.slice(start));
  return terms.toSorted();
}

function unescapeValue(value: string): string {
  let text = '';
  for (let index = 0; index < value.length; index += 1) {
    const character = value.charAt(index);
    if (character === '\\') {
      const escaped = value.charAt(index + 1);
      if (escaped === '' || !'\\,='.includes(escaped)) throw new SelectorSyntaxError(`invalid field selector: invalid escape sequence: \\${escaped}`);
      text += escaped;
      index += 1;
    } else if (character === '=' || character === ',') {
      throw new SelectorSyntaxError(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    } else {
      text += character;
    }
  }
  return text;
}
