import assert from 'node:assert/strict';
import { CORE_SCHEMA, load, YAML11_SCHEMA } from 'js-yaml';
import { parse } from 'yaml';
import { renderYaml } from '../../../src/output/yaml.ts';
import { seededRandom, testSeed } from '../../support/random.ts';
import { AMBIGUOUS, documentOf, randomStrings } from './yaml-strings.ts';

const readers = {
  'the yaml package, YAML 1.1': (text) => parse(text, { version: '1.1' }),
  'the yaml package, YAML 1.2': (text) => parse(text, { version: '1.2' }),
  'js-yaml, YAML 1.1': (text) => load(text, { schema: YAML11_SCHEMA }),
  'js-yaml, YAML 1.2 core': (text) => load(text, { schema: CORE_SCHEMA }),
} as const satisfies Readonly<Record<string, (text: string) => unknown>>;

async function yaml(document: Readonly<Record<string, unknown>>): Promise<string> {
  return [...(await renderYaml(document))].join('');
}

describe('renderYaml', () => {
  const seed = testSeed();
  for (const [name, read] of Object.entries(readers)) {
    for (const text of AMBIGUOUS) {
      it(`${JSON.stringify(text).slice(0, 40)} reads back by ${name}`, async () => {
        const document = { value: text, list: [text, text], [text]: 1, nested: { [text]: { [text]: text } } };
        assert.deepEqual(read(await yaml(document)), document);
      });
    }
    it(`generated strings read back by ${name} (KUBECTL_WIN_SEED=${seed})`, async () => {
      const document = documentOf([...new Set(randomStrings(seededRandom(seed), 500))]);
      assert.deepEqual(read(await yaml(document)), document);
    });
  }

  it('keeps null, order and layout as kubectl has them', async () => {
    const document = { kind: 'X', b: null, a: { z: 1, w: [{ c: [1], d: {} }, 'x'] }, items: [], none: undefined };
    assert.equal(await yaml(document), 'kind: X\nb: null\na:\n  z: 1\n  w:\n  - c:\n    - 1\n    d: {}\n  - x\nitems: []\n');
    assert.equal(await yaml({}), '{}\n');
  });

  it('makes one chunk per item, so that a long list is never one text', async () => {
    const chunks = [...(await renderYaml({ kind: 'X', items: [1, 2, 3] }))];
    assert.deepEqual(chunks, ['kind: X\n', 'items:\n', '- 1\n', '- 2\n', '- 3\n']);
  });

  it('takes iterables for lists', async () => {
    const document = { kind: 'X', items: [1, { a: 2 }].values(), none: [].values(), z: 1 };
    assert.equal(await yaml(document), 'kind: X\nitems:\n- 1\n- a: 2\nnone: []\nz: 1\n');
  });

  it('writes strings of millions of characters', async () => {
    const long = { a: 'x y: "z"\n'.repeat(400_000), b: ['x'.repeat(3_000_000)], c: '\u001b\u009b\u007f\u202e'.repeat(20_000) };
    const text = [...(await renderYaml(long))].join('');
    assert.ok(text.startsWith('a: "x y: \\"z\\"\\n'), text.slice(0, 40));
    const { load } = await import('js-yaml');
    assert.deepEqual(load(text), long);
    assert.match(text, /^[\n\x20-\x7e]*$/);
  });
});
