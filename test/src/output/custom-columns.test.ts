import assert from 'node:assert/strict';
import { UsageError } from '../../../src/errors.ts';
import { parseCustomColumns, parseCustomColumnsFile, relaxJsonPath, renderCustomColumns } from '../../../src/output/custom-columns.ts';

async function table(spec: string, objects: readonly unknown[], noHeaders = false): Promise<string> {
  return [...(await renderCustomColumns(parseCustomColumns(spec), objects, { noHeaders }))].join('');
}

// What kubectl prints for the same: custom-columns.cluster.test.ts asks it.
describe('renderCustomColumns', () => {
  const objects = [
    { name: 'a', list: [1, 'x', { k: null }], map: { b: 1, a: [true] }, empty: '', text: 'one\ntwo', none: null },
    { name: 'b' },
  ];
  it('joins values by commas, prints maps as Go does, <none> for what is missing', async () => {
    assert.equal(
      await table('NAME:.name,EACH:.list[*],LIST:.list,MAP:{.map},NONE:none', objects),
      'NAME   EACH             LIST                MAP                 NONE\na      1,x,map[k:<nil>]   [1 x map[k:<nil>]]   map[a:[true] b:1]   <nil>\nb      <none>             <none>               <none>              <none>\n'
        .replace('EACH             LIST                MAP ', 'EACH               LIST                 MAP '),
    );
  });
  it('leaves an empty string empty', async () => assert.equal(await table('E:.empty,N:.name', objects), 'E        N\n         a\n<none>   b\n'));
  it('cuts text of several lines', async () => assert.equal(await table('T:.text', objects, true), 'one...\n<none>\n'));
  it('prints headers even above nothing', async () => {
    assert.equal(await table('NAME:.name,B:.b', []), 'NAME   B\n');
    assert.equal(await table('NAME:.name', [], true), '');
  });
  it('says which column does not fit an object', async () => {
    await assert.rejects(table('X:.name[0]', objects), new UsageError('string is not array or slice, in the custom column {.name[0]}'));
  });
});

describe('relaxJsonPath', () => {
  for (const expression of ['metadata.name', '.metadata.name', '{metadata.name}', '{.metadata.name}']) {
    it(`reads ${expression}`, () => assert.equal(relaxJsonPath(expression), '{.metadata.name}'));
  }
  for (const expression of ['{a}{b}', '{', 'a}', '{.a} ']) it(`refuses ${expression}`, () => assert.throws(() => relaxJsonPath(expression), UsageError));
});

describe('parseCustomColumnsFile', () => {
  it('reads two lines of words and ignores the rest', () => {
    const columns = parseCustomColumnsFile('NAME\tOS  X\r\n.name {.os} x\nmore');
    assert.deepEqual(columns.map(({ header, path }) => [header, path.template]), [['NAME', '{.name}'], ['OS', '{.os}'], ['X', '{.x}']]);
  });
  const expected = 'Expected format is one line of space separated headers, one line of space separated column specs.';
  const malformed = [
    ['', `invalid template, missing header line. ${expected}`],
    ['NAME\n', `invalid template, missing spec line. ${expected}`],
    ['A B\n.a', "number of headers (2) and field specifications (1) don't match"],
  ] as const;
  for (const [text, message] of malformed) it(`refuses ${JSON.stringify(text)}`, () => assert.throws(() => parseCustomColumnsFile(text), new UsageError(message)));
});
