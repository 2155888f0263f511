import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

describe('ci-reporter', () => {
  let folder: string;
  beforeEach(() => { folder = mkdtempSync(join(tmpdir(), 'kubectl-win-reporter-')); });
  afterEach(() => { rmSync(folder, { recursive: true, force: true }); });

  function run(tests: string, environment: NodeJS.ProcessEnv = {}): { readonly code: number | null; readonly lastLine: string | undefined } {
    const file = join(folder, 'some.test.cjs');
    writeFileSync(file, tests);
    const { status, stdout } = spawnSync(process.execPath, [join(import.meta.dirname, '../../node_modules/mocha/bin/mocha.js'), '--no-config', '--reporter', join(import.meta.dirname, 'ci-reporter.ts'), file], {
      encoding: 'utf8',
      env: { ...process.env, KUBECTL_WIN_TEST_COUNTS: undefined, ...environment },
    });
    return { code: status, lastLine: stdout.trimEnd().split('\n').at(-1) };
  }

  it('ends with the counts', () => {
    assert.deepEqual(run("it('a', () => {}); it('b', () => {});"), { code: 0, lastLine: '2 passed, 0 failed' });
    assert.deepEqual(run("it('a', () => {}); it('b', () => { throw new Error('no'); }); it('c', function () { this.skip(); });"), { code: 1, lastLine: '1 passed, 1 failed, 1 skipped' });
  });

  it('counts a hook that fails', () => {
    assert.deepEqual(run("describe('s', () => { before(() => { throw new Error('no'); }); it('a', () => {}); });"), { code: 1, lastLine: '0 passed, 1 failed' });
  });

  it('writes them for run-tests.ts', () => {
    const counts = join(folder, 'counts.json');
    run("it('a', () => {});", { KUBECTL_WIN_TEST_COUNTS: counts });
    assert.deepEqual(JSON.parse(readFileSync(counts, 'utf8')), { passed: 1, failed: 0, skipped: 0 });
  });
});
