import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const MODULE = join(import.meta.dirname, '../../../src/cli/small-heap.ts');

/** Makes garbage that outlives young generations, keeping a sixth of what it makes; prints the largest resident memory in MB. */
const PROGRAM = `
import { keepHeapSmall } from ${JSON.stringify(MODULE)};
if (process.argv[1] === 'watched') keepHeapSmall();
let peak = 0;
const kept = [];
for (let round = 0; round < 250; round++) {
  kept.push(Array.from({ length: 20_000 }, (_, index) => ({ round, index, text: 'x' + round + '/' + index })));
  if (kept.length > 40) kept.shift();
  if (round % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 25));
  peak = Math.max(peak, process.memoryUsage.rss());
}
process.stdout.write(String(Math.round(peak / 1e6)));
`;

describe('keepHeapSmall', function () {
  this.timeout(60_000);
  const peakOf = async (how: string): Promise<number> => Number((await promisify(execFile)(process.execPath, ['--input-type=module', '-e', PROGRAM, how])).stdout);

  it('keeps a long run that keeps little from growing, and lets it end', async () => {
    const [watched, free] = [await peakOf('watched'), await peakOf('free')];
    assert.ok(watched < 0.85 * free, `${watched} MB watched, ${free} MB without`);
  });
});
