import assert from 'node:assert/strict';
import { after, before, describe, it } from 'mocha';
import { parseYamlDocuments } from '../../../../src/adapters/inventory/yaml-documents.ts';
import { KUBECTL_DUMP_SCHEMA } from '../../../../src/adapters/inventory/yaml-schema.ts';
import { valueAt } from '../../../../src/domain/kubernetes/object.ts';
import { dump } from 'js-yaml';
import { seededRandom, testSeed } from '../../../support/random.ts';
import type { Random } from '../../../support/random.ts';
import { realKubectl } from '../../../support/real-kubectl.ts';
import type { RealKubectl } from '../../../support/real-kubectl.ts';

const HEAD = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n';
const NUMERIC = ['0', '1', '7', '8', '9', '12', '00', '0x', '0X', '0b', '0o', 'F', '_', '.', '-', '+', 'e', 'E'];
const PIECES = [...NUMERIC, 'a', ':', 'y', 'Y', 'n', 'yes', 'On', 'off', 'true', 'null', '~', 'inf', '.nan', 'T', 'Z', '2026-11-30', '18446744073709551615', '9223372036854775807', '1e308', ' '];
const FIXED = ['yes', 'on', 'y', 'Y', 'n', 'NO', 'oN', '~', 'null', 'Null', '014', '0o14', '0O17', '-014', '089', '1_000', '0x1F', '0x_1F', '-0x1f', '0b101', '-0b11', '+0b1', '0b2', '1e3', '1.5', '.5', '5.', '1:30', '2020-01-01', '1e400', '.0_5', '.5_', '._5', '.1e1_0', '0b+1', '0b-1', '-0b-1', '0B+1', '18446744073709551616', '-9223372036854775809', '0777777777777777777777777', '0xFFFFFFFFFFFFFFFFFF', '!!str 12', '!!int "12"', '!!float 1', '!!bool "yes"', '!!null ""', '!!binary aGk=', '!foo bar', '! 12', '<<', '='];

function scalar(random: Random): string {
  const mostly = random.chance(60) ? NUMERIC : PIECES;
  let text = '';
  for (let count = 1 + random.below(4); count > 0; count--) text += random.pick(mostly);
  return text.trim();
}

/** Plain scalars only: no indicator that would make a list, a comment or a key of it, and none that JSON cannot hold. */
function isPlain(text: string): boolean {
  return text !== '' && !/^[-?:](?: |$)|: |:$| #|^[.+-]*\.?(?:inf|Inf|INF|nan|NaN|NAN)$/.test(text);
}

describe('YAML against the real kubectl', () => {
  let kubectl: RealKubectl;
  before(async function () {
    this.timeout(600_000);
    kubectl = await realKubectl();
  });
  after(() => kubectl?.close());

  async function asKubectl(yaml: string): Promise<unknown> {
    const { exitCode, stdout, stderr } = await kubectl.run(['label', '--local', '-f', kubectl.write('f.yaml', yaml), 'a=b', '-o', 'json']);
    assert.equal(exitCode, 0, stderr);
    return valueAt(JSON.parse(stdout) as unknown, 'data');
  }

  const ours = (yaml: string): unknown => valueAt(parseYamlDocuments(yaml, 'f.yaml')[0]?.value, 'data');
  /** JSON.parse keeps the sign of the -0 that Go may print; nobody can tell the two apart in a manifest. */
  const normal = (value: unknown): unknown => JSON.parse(JSON.stringify(value)) as unknown;

  const seed = testSeed();
  it(`reads generated values as kubectl does (KUBECTL_WIN_SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    const values = [...FIXED, ...new Set(Array.from({ length: 4000 }, () => scalar(random)))].filter(isPlain);
    assert.ok(values.length > 2000);
    const yaml = HEAD + values.map((value, index) => `  k${index}: ${value}\n`).join('');
    const expected = normal(await asKubectl(yaml));
    const actual = normal(ours(yaml));
    for (const [index, value] of values.entries()) assert.deepEqual(valueAt(actual, `k${index}`), valueAt(expected, `k${index}`), `value ${value}`);
    assert.ok(values.filter((_, index) => typeof valueAt(expected, `k${index}`) === 'number').length > 200, 'too few numbers were generated');
  });

  it('reads keys as kubectl does', async () => {
    for (const key of ['yes', 'on', 'y', 'n', '014', '0o14', '1_000', '0x1F', '1e3', '1.5', '0.1', '3.14159265358979', '12345678901', '2020-01-01', '1:30', '"yes"', '"014"', '<<x', 'a.b/c']) {
      const yaml = `${HEAD}  ${key}: v\n`;
      assert.deepEqual(ours(yaml), await asKubectl(yaml), `key ${key}`);
    }
  }).timeout(60_000);

  it('reads structures as kubectl does', async () => {
    for (const body of ['  a: &x {b: 1}\n  c: *x\n', '  base: &x {a: 1, b: 2}\n  c: {<<: *x, b: 3}\n', '  a: |\n    x\n     y\n\n  b: >-\n    one\n    two\n', '  a: "\\x41\\u00e9\\\n    z"\n', "  a: 'it''s'\n", '  ? a\n  : b\n', '  a: [1, yes, ~, {b: off}]\n', '  a: !!set {x, y}\n', '  a: !x {b: 014}\n', '  a:\n  - b\n  -\n  - c: d\n']) {
      const yaml = HEAD + body;
      assert.deepEqual(ours(yaml), await asKubectl(yaml), body);
    }
  }).timeout(60_000);

  it('takes lines in brackets and quotes that are indented as little as kubectl takes them, and comments right after them', async () => {
    for (const body of [
      '  a: [\n    b\n  ]\n', '  a: [\nb\n]\n', '  a: [b,\nc]\n', '  a: {\n    b: c\n  }\n', '  a: [\n\t\tb\n  ]\n', '  a: "x\n y"\n', '  a: "x\ny"\n', "  a: 'x\n y'\n", '  a: {b: "x\n y"}\n', '  a: [b c\nd]\n', '  a: "b"#c\n', '  a: [b]#c\n', '  a: [\n    # c\n  ]\n',
      '  a: [\n\n    b\n\n]\n  c: d\n', '  a: ["b" , "c"\n,"d"]\n', '  a: {b: c,\n\td: e}\n', '  a: "x\\\n y"\n', '  a: [{\n  b: c\n  }, {\n  d: e\n  }]\n  f: |\n    g\n',
    ]) {
      const yaml = HEAD + body;
      assert.deepEqual(ours(yaml), await asKubectl(yaml), body);
    }
  }).timeout(60_000);

  it('refuses what kubectl refuses', async () => {
    for (const body of ['  a: .inf\n', '  ~: x\n', '  [a]: b\n', '  a: !!int foo\n', '  a: !!null foo\n', '  a: &x [*x]\n', '  a: "x\n', '  a: b\n c: d\n', '  a: - b\n']) {
      const yaml = HEAD + body;
      assert.throws(() => ours(yaml), { name: 'InputError' }, body);
      assert.equal((await kubectl.run(['label', '--local', '-f', kubectl.write('f.yaml', yaml), 'a=b', '-o', 'json'])).exitCode, 1, body);
    }
  }).timeout(60_000);

  it('writes text that kubectl reads back as the same text', async () => {
    const random = seededRandom(seed + 1);
    const values = [...FIXED, ...Array.from({ length: 3000 }, () => scalar(random)), '', ' a', 'a\n', 'a\nb', '- a', 'a: b', 'ä✓', "it's"];
    const data = Object.fromEntries(values.map((value, index) => [`k${index}`, value]));
    const keys = Object.fromEntries([...new Set(values)].filter((value) => value !== '' && value !== '<<').map((value) => [value, 'v']));
    const yaml = dump({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { ...data, keys } }, { schema: KUBECTL_DUMP_SCHEMA, noRefs: true, lineWidth: -1 });
    assert.deepEqual(await asKubectl(yaml), { ...data, keys });
  });
});
