import assert from 'node:assert/strict';
import { ColumnWriter, type ColumnRow, type ColumnWriterOptions } from '../../../src/output/column-writer.ts';

const rowsOf = (...rows: readonly (readonly string[])[]): ColumnRow[] => rows.map((cells) => ({ cells }));

async function table(headers: readonly string[], rows: readonly ColumnRow[], options: ColumnWriterOptions = {}): Promise<string> {
  return [...(await new ColumnWriter(headers, options).format(rows))].join('');
}

describe('ColumnWriter', () => {
  it('puts three spaces between columns, none at the end of a line, and makes no column narrower than kubectl', async () => {
    assert.equal(await table(['A', 'NAME', 'LAST'], rowsOf(['x', 'longer-name', 'y'], ['z', 'n', 'w'])), 'A     NAME          LAST\nx     longer-name   y\nz     n             w\n');
  });

  it('shows <none> for an empty or missing cell', async () => {
    assert.equal(await table(['NAME', 'POOL'], rowsOf(['a', ''], ['b'])), 'NAME   POOL\na      <none>\nb      <none>\n');
  });

  it('prints nothing, and no headers, without rows', async () => assert.equal(await table(['NAME'], []), ''));

  it('leaves out headers when told, and their width with them', async () => {
    assert.equal(await table(['A-LONG-HEADER', 'B'], rowsOf(['abcdef', 'b']), { noHeaders: true }), 'abcdef   b\n');
  });

  it('measures wide characters by the columns they take', async () => {
    assert.equal(await table(['POOL', 'X'], rowsOf(['節点', '1'], ['😀', '2'], ['e\u0301clair', '3'])), 'POOL     X\n節点     1\n😀       2\ne\u0301clair   3\n');
  });

  it('remembers widths and prints headers once, as a watch needs it', async () => {
    const writer = new ColumnWriter(['NAME', 'STATUS']);
    const print = async (...rows: readonly (readonly string[])[]): Promise<string> => [...(await writer.format(rowsOf(...rows)))].join('');
    assert.equal(await print(), '');
    assert.equal(await print(['a-long-name', 'Ready']), 'NAME          STATUS\na-long-name   Ready\n');
    assert.equal(await print(['b', 'NotReady']), 'b             NotReady\n');
    assert.equal(await print(['a-still-longer-name', 'Ready']), 'a-still-longer-name   Ready\n');
    assert.equal(await print(['c', 'Ready']), 'c                     Ready\n');
  });

  it('makes cells harmless: one line each, no controls, tabs shown', async () => {
    assert.equal(
      await table(['NAME', 'X'], rowsOf(['\u001b[31mred\u001b[0m', 'a\nb'], ['tab\there', 'a\rb'], ['\u009b2J', '\u202eevil'])),
      'NAME             X\n^[[31mred^[[0m   a...\ntab\\there        a...\n\\u009b2J         \\u202eevil\n',
    );
  });

  it('pads outside of the colour, and colours only when told', async () => {
    const rows: ColumnRow[] = [{ cells: ['a', 'Ready'], tones: ['plain', 'good'] }, { cells: ['b', 'No'], tones: ['bad', 'plain'] }];
    assert.equal(await table(['N', 'S'], rows, { colour: true }), 'N     S\na     \u001b[32mReady\u001b[0m\n\u001b[31mb\u001b[0m     No\n');
    assert.equal(await table(['N', 'S'], rows), 'N     S\na     Ready\nb     No\n');
  });

  it('yields long tables in chunks of whole lines', async () => {
    const chunks = [...(await new ColumnWriter(['N']).format(rowsOf(...Array.from({ length: 1000 }, (_, index) => [String(index)]))))];
    assert.ok(chunks.length > 2);
    assert.ok(chunks.every((chunk) => chunk.endsWith('\n')));
    assert.equal(chunks.join('').split('\n').length, 1002);
  });
});
