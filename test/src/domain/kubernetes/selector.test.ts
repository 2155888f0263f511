import assert from 'node:assert/strict';
import { DEFAULT_FIELDS, NODE_FIELDS, POD_FIELDS, SelectorSyntaxError, matchesFields, matchesLabels, parseFieldSelector, parseLabelSelector, selectableFields } from '../../../../src/domain/kubernetes/selector.ts';

const LABEL_SETS: readonly Readonly<Record<string, string>>[] = [{}, {"a": "b"}, {"a": "c"}, {"a": ""}, {"a": "2"}, {"b": "1"}, {"in": "in"}, {"x": "foo", "y": "1"}, {"kubernetes.io/os": "windows", "node.kubernetes.io/windows-build": "10.0.20348"}];

// What k8s.io/apimachinery v0.37.2 itself answered: labels.Parse and Selector.Matches, 2026-11-30.
// `matches` are indexes into LABEL_SETS.
const ANSWERS: readonly { readonly selector: string; readonly error?: string; readonly matches?: readonly number[] }[] = [
  { selector: "", matches: [0, 1, 2, 3, 4, 5, 6, 7, 8] },
  { selector: "a", matches: [1, 2, 3, 4] },
  { selector: "!a", matches: [0, 5, 6, 7, 8] },
  { selector: "a=b", matches: [1] },
  { selector: "a==b", matches: [1] },
  { selector: "a!=b", matches: [0, 2, 3, 4, 5, 6, 7, 8] },
  { selector: "a = b", matches: [1] },
  { selector: " a in (b,c) ", matches: [1, 2] },
  { selector: "a notin (b, c)", matches: [0, 3, 4, 5, 6, 7, 8] },
  { selector: "a in ()", matches: [3] },
  { selector: "a in (,)", matches: [3] },
  { selector: "x in (foo,,baz),y,z notin ()", matches: [7] },
  { selector: "a>1", matches: [4] },
  { selector: "a<1", matches: [] },
  { selector: "a>x", error: "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer" },
  { selector: "a b", error: "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt" },
  { selector: "a in b", error: "unable to parse requirement: found 'b' expected: '('" },
  { selector: "=x", error: "found '=', expected: !, identifier, or 'end of string'" },
  { selector: "a=b c", error: "found 'c', expected: ',' or 'end of string'" },
  { selector: "a,", error: "found '', expected: identifier after ','" },
  { selector: ",a", error: "found ',', expected: !, identifier, or 'end of string'" },
  { selector: "a in (x", error: "unable to parse requirement: found '', expected: ',' or ')'" },
  { selector: "a=$x", error: "unable to parse requirement: values[0][a]: Invalid value: \"$x\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')" },
  { selector: "-a=b", error: "unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')" },
  { selector: "a/b/c=d", error: "unable to parse requirement: <nil>: Invalid value: \"a/b/c\": a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')" },
  { selector: "!a,b", matches: [5] },
  { selector: "a in (x y)", error: "unable to parse requirement: found 'y', expected: ',' or ')'" },
  { selector: "a==b=c", error: "found '=', expected: ',' or 'end of string'" },
  { selector: "(a)", error: "found '(', expected: !, identifier, or 'end of string'" },
  { selector: "a!b", error: "unable to parse requirement: found '!', expected: in, notin, =, ==, !=, gt, lt" },
  { selector: "é=1", error: "unable to parse requirement: <nil>: Invalid value: \"é\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')" },
  { selector: "A_.-b=1", matches: [] },
  { selector: "/x=1", error: "unable to parse requirement: <nil>: Invalid value: \"/x\": prefix part must be non-empty" },
  { selector: "x/=1", error: "unable to parse requirement: <nil>: Invalid value: \"x/\": name part must be non-empty; name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')" },
  { selector: "a=", matches: [3] },
  { selector: "a!=", matches: [0, 1, 2, 4, 5, 6, 7, 8] },
  { selector: "in in (in)", matches: [6] },
  { selector: "notin", matches: [] },
  { selector: "a=in", matches: [] },
  { selector: "!in", matches: [0, 1, 2, 3, 4, 5, 7, 8] },
  { selector: "!!a", error: "unable to parse requirement: found '!', expected: identifier" },
  { selector: "a=!b", error: "unable to parse requirement: found '!', expected: identifier" },
  { selector: "a in (a=b)", error: "unable to parse requirement: found '=', expected: ',' or ')'" },
  { selector: "a in ((", error: "unable to parse requirement: found '(', expected: ',', ')' or identifier" },
  { selector: "kubernetes.io/os=windows,node.kubernetes.io/windows-build!=10.0.17763", matches: [8] },
  { selector: "a===b", error: "unable to parse requirement: found '=', expected: identifier" },
  { selector: "a<>b", error: "unable to parse requirement: found '>', expected: identifier" },
  { selector: "a=-x", error: "unable to parse requirement: values[0][a]: Invalid value: \"-x\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')" },
  { selector: "a=b,a=c", matches: [] },
  { selector: "Foo.Bar/x=1", error: "unable to parse requirement: <nil>: Invalid value: \"Foo.Bar/x\": prefix part a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')" },
  { selector: "a=1234567890123456789012345678901234567890123456789012345678901234", error: "unable to parse requirement: values[0][a]: Invalid value: \"1234567890123456789012345678901234567890123456789012345678901234\": must be no more than 63 bytes" },
  { selector: "a in (b),c", matches: [] },
  { selector: "a notin(b)", matches: [0, 2, 3, 4, 5, 6, 7, 8] },
  { selector: "a in(b)c", error: "found 'c', expected: ',' or 'end of string'" },
];

describe('label selectors', () => {
  for (const { selector, error, matches } of ANSWERS) {
    it(`${JSON.stringify(selector)} ${error === undefined ? 'selects as the API server does' : 'is refused with the API server\'s words'}`, () => {
      if (error !== undefined) {
        assert.throws(() => parseLabelSelector(selector), (thrown) => thrown instanceof SelectorSyntaxError && thrown.message === error);
        return;
      }
      const parsed = parseLabelSelector(selector);
      assert.deepEqual(LABEL_SETS.flatMap((labels, index) => (matchesLabels(parsed, labels) ? [index] : [])), matches);
    });
  }

  it('does not take properties of every object for labels', () => {
    assert.equal(matchesLabels(parseLabelSelector('constructor'), {}), false);
    assert.equal(matchesLabels(parseLabelSelector('!constructor'), {}), true);
  });
});

describe('field selectors', () => {
  const node = { metadata: { name: 'win-1' }, spec: { unschedulable: true } };
  const cases: readonly (readonly [selector: string, selects: boolean])[] = [
    ['', true], [',', true], ['metadata.name=win-1', true], ['metadata.name==win-1', true], ['metadata.name!=win-1', false],
    ['spec.unschedulable=true', true], ['spec.unschedulable=false', false], ['metadata.name=win-1,spec.unschedulable!=true', false],
    ['metadata.name=a\\,b', false],
  ];
  for (const [selector, selects] of cases) {
    it(`${JSON.stringify(selector)} ${selects ? 'selects' : 'passes over'} a cordoned node`, () => {
      assert.equal(matchesFields(parseFieldSelector(selector, NODE_FIELDS), node, NODE_FIELDS), selects);
    });
  }

  it('takes a node that says nothing of spec.unschedulable for schedulable', () => {
    assert.equal(matchesFields(parseFieldSelector('spec.unschedulable=false', NODE_FIELDS), { metadata: { name: 'a' } }, NODE_FIELDS), true);
  });

  const refused: readonly (readonly [selector: string, message: string])[] = [
    ['x', "invalid selector: 'x'; can't understand 'x'"],
    ['a!b', "invalid selector: 'a!b'; can't understand 'a!b'"],
    ['metadata.name=b\\', 'invalid field selector: invalid escape sequence: \\'],
    ['metadata.name=b\\x', 'invalid field selector: invalid escape sequence: \\x'],
    ['metadata.name=b=c', 'invalid field selector: unescaped character in value: 61'],
    ['status.phase=Running', 'field label not supported: status.phase'],
    ['constructor=x', 'field label not supported: constructor'],
  ];
  for (const [selector, message] of refused) {
    it(`${JSON.stringify(selector)} is refused`, () => {
      assert.throws(() => parseFieldSelector(selector, NODE_FIELDS), (thrown) => thrown instanceof SelectorSyntaxError && thrown.message === message);
    });
  }

  it('knows the fields of pods and of any other kind', () => {
    const pod = { metadata: { name: 'a', namespace: 'b' }, spec: { nodeName: 'win-1' }, status: { phase: 'Running' } };
    assert.equal(matchesFields(parseFieldSelector('spec.nodeName=win-1,status.phase!=Failed', POD_FIELDS), pod, POD_FIELDS), true);
    assert.equal(selectableFields('Pod'), POD_FIELDS);
    assert.equal(selectableFields('Node'), NODE_FIELDS);
    assert.equal(selectableFields('DaemonSet'), DEFAULT_FIELDS);
  });
});
