import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const inProject = (path: string): string => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

interface Row {
  readonly defect: string;
  readonly sources: readonly string[];
  readonly tests: readonly { readonly file: string; readonly titles: readonly string[] }[];
}

/** Rows of the table of defects: `| number | … | `source` | `test`: "title", "title"; `test`: "title" |`. */
function readRows(): readonly Row[] {
  const lines = readFileSync(inProject('docs/decisions/0001-client-layer.md'), 'utf8').split('\n').filter((line) => /^\| \d+ \|/.test(line));
  return lines.map((line) => {
    const [, defect = '', , ours = '', proof = ''] = line.split('|').map((cell) => cell.trim());
    return {
      defect,
      sources: [...ours.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path),
      tests: [...proof.matchAll(/`([^`]+)`: ((?:"[^"]+"(?:, )?)+)/g)].map(([, file = '', titles = '']) => ({ file, titles: [...titles.matchAll(/"([^"]+)"/g)].map(([, title = '']) => title) })),
    };
  });
}

describe('docs/decisions/0001-client-layer.md', () => {
  const rows = readRows();

  it('has a row for each of the 24 defects', () => {
    assert.deepEqual(rows.map(({ defect }) => Number(defect)), Array.from({ length: 24 }, (_, index) => index + 1));
  });

  for (const { defect, sources, tests } of rows) {
    it(`#${defect}: source and tests are there`, () => {
      assert.ok(sources.length > 0 && tests.length > 0, 'no source or no test was read from the row');
      for (const source of sources) assert.ok(existsSync(inProject(source)), source);
      for (const { file, titles } of tests) {
        assert.ok(titles.length > 0, `no title for ${file}`);
        const text = readFileSync(inProject(file), 'utf8');
        for (const title of titles) assert.ok(text.includes(`it('${title}'`) || text.includes(`it("${title}"`), `${file} has no test with the title ${JSON.stringify(title)}`);
      }
    });
  }
});
