import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { unifiedDiff } from '../../../src/output/diff.ts';
import { seededRandom, testSeed } from '../../support/random.ts';

const diffOf = (before: string, after: string, file = 'a.yaml'): string => [...unifiedDiff(file, before, after)].join('');
const numbers = (from: number, to: number): string => Array.from({ length: to - from + 1 }, (_none, index) => `${from + index}\n`).join('');

function isInstalled(program: string): boolean {
  try {
    execFileSync(program, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a unified diff', () => {
  it('has three lines around a change', () => {
    assert.equal(diffOf(numbers(1, 9), numbers(1, 9).replace('5\n', 'five\n')), '--- a/a.yaml\n+++ b/a.yaml\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n');
  });

  it('has one hunk for changes that are near each other, and two for others', () => {
    const hunks = (gap: number): number => diffOf(numbers(1, 40), numbers(1, 40).replace('10\n', '').replace(`${10 + gap}\n`, 'x\n')).match(/^@@/gm)?.length ?? 0;
    assert.deepEqual([1, 6, 7, 8, 20].map(hunks), [1, 1, 1, 2, 2]);
  });

  it('says where a file has no line break at its end', () => {
    assert.equal(diffOf('a\nb', 'a\nb\n'), '--- a/a.yaml\n+++ b/a.yaml\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n');
  });

  it('is nothing for the same text', () => {
    assert.equal(diffOf('a\n', 'a\n'), '');
  });

  it('names files from the root of the repository, quoted where git would', () => {
    const header = (file: string): string => diffOf('a\n', 'b\n', file).split('\n')[0] ?? '';
    assert.deepEqual(['./x/a.yaml', '/tmp/a.yaml', String.raw`x\a.yaml`, 'a"b.yaml'].map(header), ['--- a/x/a.yaml', '--- a/tmp/a.yaml', '--- a/x/a.yaml', String.raw`--- "a/a\"b.yaml"`]);
  });

  it('is coloured by line where that is wanted', () => {
    assert.equal([...unifiedDiff('a', 'x\ny\n', 'x\nz\n', { colour: true })].join(''), '\u001b[31m--- a/a\u001b[0m\n\u001b[32m+++ b/a\u001b[0m\n\u001b[2m@@ -1,2 +1,2 @@\u001b[0m\n x\n\u001b[31m-y\u001b[0m\n\u001b[32m+z\u001b[0m\n');
  });

  it('ends soon for large texts that have nothing in common', () => {
    const diff = diffOf(numbers(1, 20_000), numbers(100_000, 120_000));
    assert.match(diff, /^@@ -1,20000 \+1,20001 @@$/m);
  });

  describe('is taken by git apply and patch', function () {
    this.timeout(60_000);
    let folder: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'kubectl-win-diff-'));
      execFileSync('git', ['init', '-q'], { cwd: folder });
    });
    after(() => { rmSync(folder, { recursive: true, force: true }); });

    const seed = testSeed();
    it(`for random changes, with line ends of Windows and names with blanks (KUBECTL_WIN_SEED=${seed})`, () => {
      const random = seededRandom(seed);
      for (let turn = 0; turn < 25; turn++) {
        const end = random.pick(['\n', '\r\n']);
        const old = Array.from({ length: random.below(40) + 1 }, () => random.pick(['a', 'b', '', '  c: d', '- x', '--- a', '+++ b']));
        const changed = old.flatMap((line) => (random.chance(15) ? [] : random.chance(15) ? [line, 'new'] : random.chance(10) ? ['other'] : [line]));
        const before = old.join(end) + random.pick(['', end]);
        const after = changed.join(end) + random.pick(['', end]);
        if (before === after || before === '' || after === '') continue;
        const file = random.pick(['a.yaml', 'folder/b c.yaml', 'ä/ü.yaml']);
        mkdirSync(dirname(join(folder, file)), { recursive: true });
        for (const [program, args] of [['git', ['apply', '--unidiff-zero', 'change.diff']], ['patch', ['--binary', '-s', '-p1', '-i', 'change.diff']]] as const) {
          writeFileSync(join(folder, file), before);
          writeFileSync(join(folder, 'change.diff'), diffOf(before, after, file));
          if (program === 'git') execFileSync('git', ['apply', '--check', 'change.diff'], { cwd: folder, stdio: 'pipe' });
          if (!isInstalled(program)) continue;
          execFileSync(program, args, { cwd: folder, stdio: 'pipe' });
          assert.equal(readFileSync(join(folder, file), 'utf8'), after, JSON.stringify({ before, after, program }));
        }
      }
    });
  });
});
