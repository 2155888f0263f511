import assert from 'node:assert/strict';
import { fullestDisk, readNodeFacts, type NodeDisk } from '../../../../../src/domain/hostprocess/recipes/node-facts.ts';
import type { RecipeDocument } from '../../../../../src/domain/hostprocess/recipes/read-output.ts';
import { emptyRecipeOutput, RECIPE_OUTPUTS } from '../../../../support/recipe-outputs.ts';

const WHOLE = RECIPE_OUTPUTS['node-facts'] as RecipeDocument;
const facts = (parts: Readonly<Record<string, unknown>> = {}): ReturnType<typeof readNodeFacts> => readNodeFacts({ ...WHOLE, ...parts } as RecipeDocument);

describe('facts of a node', () => {
  it('are read from the document of the recipe', () => {
    assert.deepEqual(facts(), {
      takenAt: '2026-11-30T09:15:02Z', lastBootAt: '2026-10-14T03:02:11Z',
      hotfixes: [{ id: 'KB5094128', installedOn: '2026-10-13' }, { id: 'KB5088051', installedOn: null }],
      pendingReboot: { isPending: true, reasons: ['WindowsUpdate', 'FileRename'] },
      disks: [{ drive: 'C:', sizeBytes: 136_265_592_832, freeBytes: 61_203_283_968 }],
      imageCache: { images: 31, usedBytes: 28_991_029_248, compressedBytes: null },
      problems: [],
    });
  });

  it('are null where they could not be read, with the reasons', () => {
    const { takenAt: _, problems, ...parts } = readNodeFacts(emptyRecipeOutput('node-facts') as RecipeDocument);
    assert.deepEqual(parts, { hotfixes: null, lastBootAt: null, pendingReboot: null, disks: null, imageCache: null });
    assert.ok(problems.some(({ part }) => part === 'disks'));
  });

  it('are null where they have another type, and leave out items that say nothing', () => {
    const { hotfixes, pendingReboot, lastBootAt, disks } = facts({ hotfixes: [{ id: 7 }, null, { id: 'KB1' }], pendingReboot: 'yes', lastBootAt: 12, disks: [{ drive: 'C:' }] });
    assert.deepEqual([hotfixes, pendingReboot, lastBootAt, disks], [[{ id: 'KB1', installedOn: null }], null, null, []]);
  });

  it('list the newest update first, of a day the one with the higher number', () => {
    const day = '2026-10-13';
    const { hotfixes } = facts({ hotfixes: [{ id: 'KB999999', installedOn: day }, { id: 'KB1' }, { id: 'KB5094128', installedOn: day }, { id: 'KB2', installedOn: '2026-11-01' }] });
    assert.deepEqual(hotfixes?.map(({ id }) => id), ['KB2', 'KB5094128', 'KB999999', 'KB1']);
  });
});

describe('the fullest disk', () => {
  const disk = (drive: string, freeBytes: number, sizeBytes: number): NodeDisk => ({ drive, freeBytes, sizeBytes });
  const cases: readonly [string, readonly NodeDisk[] | null, string | null][] = [
    ['is that with the least room for its size', [disk('C:', 50, 100), disk('D:', 40, 1000), disk('E:', 30, 40)], 'D:'],
    ['is the first of equal ones', [disk('C:', 50, 100), disk('D:', 5, 10)], 'C:'],
    ['is no drive without a medium', [disk('A:', 0, 0), disk('C:', 99, 100)], 'C:'],
    ['is not known without disks', [], null],
    ['is not known where they could not be read', null, null],
  ];
  for (const [name, disks, drive] of cases) it(name, () => assert.equal(fullestDisk({ ...facts(), disks })?.drive ?? null, drive));
});
