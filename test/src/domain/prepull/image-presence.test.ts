import assert from 'node:assert/strict';
import { NodeImageList } from '../../../../src/domain/prepull/image-presence.ts';

const OLD = `sha256:${'a'.repeat(64)}`;
const NEW = `sha256:${'b'.repeat(64)}`;
const LIST = new NodeImageList([
  { names: [`mcr.microsoft.com/windows/nanoserver@${OLD}`, 'mcr.microsoft.com/windows/nanoserver:ltsc2022'], sizeBytes: 120 },
  { names: ['docker.io/library/golang:1.25'], sizeBytes: null },
  { names: ['not a reference', 'UPPER/case:1'], sizeBytes: 5 },
]);

const CASES: readonly (readonly [image: string, digests: readonly string[], presence: string])[] = [
  ['mcr.microsoft.com/windows/nanoserver:ltsc2022', [OLD], 'present'],
  ['mcr.microsoft.com/windows/nanoserver:ltsc2022', [NEW, OLD], 'present'],
  ['mcr.microsoft.com/windows/nanoserver:ltsc2022', [NEW], 'stale'],
  ['mcr.microsoft.com/windows/nanoserver:ltsc2022', [], 'present'],
  [`mcr.microsoft.com/windows/nanoserver@${OLD}`, [NEW], 'present'],
  [`mcr.microsoft.com/windows/nanoserver:any@${OLD}`, [], 'present'],
  [`mcr.microsoft.com/windows/nanoserver@${NEW}`, [], 'not-listed'],
  ['mcr.microsoft.com/windows/nanoserver:ltsc2025', [OLD], 'not-listed'],
  ['golang:1.25', [NEW], 'present'],
  ['docker.io/golang:1.25', [], 'present'],
  ['golang', [], 'not-listed'],
  ['not a reference', [], 'not-listed'],
  ['', [], 'not-listed'],
];

describe('what a node lists', () => {
  for (const [image, digests, presence] of CASES) it(`${JSON.stringify(image)} for ${digests.map((one) => one.slice(7, 9)).join(', ') || 'any content'}: ${presence}`, () => assert.equal(LIST.presenceOf(image, digests), presence));

  it('tells sizes', () => {
    assert.deepEqual(['mcr.microsoft.com/windows/nanoserver:ltsc2022', 'golang:1.25', 'x', 'not a reference'].map((image) => LIST.sizeOf(image)), [120, null, null, null]);
  });

  it('knows all content of a name that stands in the list twice', () => {
    const list = new NodeImageList([{ names: ['r/x:1', `r/x@${OLD}`], sizeBytes: 1 }, { names: ['r/x:1', `r/x@${NEW}`], sizeBytes: 2 }]);
    assert.deepEqual([list.presenceOf('r/x:1', [OLD]), list.presenceOf('r/x:1', [NEW])], ['present', 'present']);
  });

  it('may leave an image out that is no larger than the smallest that it names, where it is as long as a kubelet makes it', () => {
    const listOf = (count: number, sizeBytes: number | null = 100): NodeImageList => new NodeImageList(Array.from({ length: count }, (_, index) => ({ names: [`r/x-${index}:1`], sizeBytes: sizeBytes === null ? null : sizeBytes + index })));
    assert.deepEqual([99, 100, 101, null].map((size) => listOf(50).mayOmit(size)), [true, true, false, true]);
    assert.deepEqual([99, null].map((size) => listOf(49).mayOmit(size)), [false, false]);
    assert.deepEqual([99, 1e12, null].map((size) => listOf(50, null).mayOmit(size)), [true, true, true]);
    assert.equal(new NodeImageList([]).mayOmit(null), false);
  });
});
