import assert from 'node:assert/strict';
import { CopyLedger } from '../../../../../src/app/hostprocess/copy/copy-ledger.ts';
import type { CopyPlan } from '../../../../../src/domain/hostprocess/copy/copy-plan.ts';

const file = (path: string, sizeBytes = 10): CopyPlan['files'][number] => ({ path, sizeBytes, modifiedMs: 0 });
const PLAN: CopyPlan = { folders: ['', 'd'], files: [file('a'), file('d/b', 20)], left: [{ path: 'l', result: 'skipped', message: 'a link' }] };
const HASH = 'ab'.repeat(32);

function planned(plan: CopyPlan = PLAN): CopyLedger {
  const ledger = new CopyLedger();
  ledger.plan(plan);
  return ledger;
}

describe('CopyLedger', () => {
  it('knows what is open, done and left', () => {
    const ledger = planned();
    ledger.done('a', 'copied', { sha256: HASH, sizeBytes: 11 });
    assert.deepEqual(ledger.open(PLAN.files).map(({ path }) => path), ['d/b']);
    assert.deepEqual(ledger.items.map(({ path, result, sizeBytes, sha256 }) => [path, result, sizeBytes, sha256]), [['a', 'copied', 11, HASH], ['d/b', 'pending', 20, null], ['l', 'skipped', null, null]]);
    assert.equal(ledger.folders, 2);
  });

  it('counts bytes that are there, those of files under way included, and those that were sent in all attempts', () => {
    const ledger = planned();
    ledger.done('a', 'unchanged', { sha256: HASH, sizeBytes: 10 });
    ledger.begin('d/b', 5);
    ledger.sent('d/b', 4);
    assert.deepEqual(ledger.totals, { files: 2, sizeBytes: 30, sentBytes: 4, doneBytes: 19, doneFiles: 1 });
    ledger.begin('d/b', 8);
    ledger.sent('d/b', 12);
    assert.deepEqual([ledger.totals.sentBytes, ledger.totals.doneBytes], [16, 30]);
  });

  it('keeps what is done when it is planned once more, after a connection was lost', () => {
    const ledger = planned();
    ledger.done('a', 'copied', { sha256: HASH, sizeBytes: 10 });
    ledger.begin('d/b', 0);
    ledger.sent('d/b', 3);
    ledger.plan({ ...PLAN, files: [file('a'), file('d/b', 25), file('new')] });
    assert.deepEqual(ledger.items.map(({ path, result, sizeBytes, sentBytes }) => [path, result, sizeBytes, sentBytes]), [['a', 'copied', 10, 0], ['d/b', 'pending', 25, 3], ['l', 'skipped', null, 0], ['new', 'pending', 10, 0]]);
  });

  it('takes what failed, was refused or not reached for a problem, and what was skipped for none', () => {
    const ledger = planned({ folders: [], files: [file('a')], left: PLAN.left });
    assert.equal(ledger.problem, '1 file not copied');
    ledger.done('a', 'copied', { sha256: HASH, sizeBytes: 10 });
    assert.equal(ledger.problem, null);
    const other = planned({ folders: [], files: [file('a'), file('b')], left: [{ path: 'nul', result: 'refused', message: 'a device' }] });
    other.fail('a', 'denied');
    assert.equal(other.problem, '2 files not copied, 1 file refused');
  });

  it('knows nothing of what was not planned', () => assert.throws(() => planned().fail('x', 'y'), /nothing is planned for x/));
});
