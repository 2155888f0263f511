import assert from 'node:assert/strict';
import { prepullSummary, type PrepullItem, type PrepullPhase } from '../../../../src/app/prepull/prepull-report.ts';
import { prepullFooter, prepullGate, variantOf, variantText, type CountedPrepull } from '../../../../src/output/views/prepull-texts.ts';
import { planItem } from '../../../support/plan-item.ts';

const V2022 = { build: 20348, osVersion: '10.0.20348.1', digest: 'sha256:22' };
const V2025 = { build: 26100, osVersion: '10.0.26100.1', digest: 'sha256:25' };
const ANY = { build: null, osVersion: null, digest: 'sha256:00' };

function item(parts: Partial<PrepullItem> = {}): PrepullItem {
  return { ...planItem({ node: 'win-1', variant: V2022, variants: [V2022], sizeBytes: 2 ** 30 }), result: 'pending', outcome: null, ...parts };
}

function counted(phase: PrepullPhase, items: readonly PrepullItem[]): CountedPrepull {
  return { report: { source: { source: 'cluster', context: null, location: '' }, serverVersion: null, run: null, namespace: null, phase, items, notes: [] }, summary: prepullSummary(items) };
}

describe('texts about pulls', () => {
  it('name the variant, or all that may be taken', () => {
    assert.deepEqual([
      variantText(item()), variantText(item({ variant: null, variants: [V2025, V2022] })), variantText(item({ variant: ANY, variants: [ANY] })),
      variantText(item({ variant: null, variants: [] })), variantText(item({ variant: null, variants: [], action: 'refuse' })),
    ], ['ltsc2022', 'ltsc2025|ltsc2022', 'any', '<unknown>', '']);
  });

  it('name the one that came, where the node names it and not its index', () => {
    const outcome = { result: 'pulled', reason: 'Pulled', message: '', seconds: 1, sizeBytes: 1, digest: 'sha256:22' } as const;
    assert.equal(variantOf(item({ variant: null, variants: [V2025, V2022], outcome })), V2022);
    assert.equal(variantOf(item({ outcome: { ...outcome, digest: 'sha256:of-the-index' } })), V2022);
  });

  it('sum a plan up, and what was done', () => {
    const items = [item(), item({ action: 'unknown', sizeBytes: null }), item({ action: 'skip', result: 'skipped' }), item({ action: 'refuse', result: 'refused' })];
    assert.equal(prepullFooter(counted('planned', items)), '1 image on 1 Windows node: 2 to pull (about 1.0Gi, 1 of unknown size), of 1 it is not known whether they run, 1 skipped, 1 refused');
    const base = { digest: 'base', sizeBytes: 2 ** 29 };
    const shared = ['win-1', 'win-2'].flatMap((node) => ['a:1', 'b:1'].map((image) => item({ node, image, layers: [base, { digest: image, sizeBytes: 2 ** 29 }] })));
    assert.equal(prepullFooter(counted('planned', shared)), '2 images on 2 Windows nodes: 4 to pull (about 3.0Gi, at most 1.5Gi onto a node, 1.0Gi less for layers that images share)');
    const done = [item({ result: 'pulled', node: 'win-2' }), item({ result: 'failed' })];
    assert.equal(prepullFooter(counted('failed', done)), '1 image on 2 Windows nodes: 1 pulled, 1 failed; 1.0Gi pulled');
  });

  describe('gate', () => {
    const [pulled, failed, refused, pending, unknown] = [item({ result: 'pulled' }), item({ result: 'failed' }), item({ action: 'refuse', result: 'refused' }), item(), item({ action: 'unknown' })];
    for (const [name, phase, items, minSuccess, reason] of [
      ['without an item', 'planned', [], 0, 'no node matched, so nothing is warm'],
      ['of a plan that will do', 'planned', [pending], 1, null],
      ['of a plan that does not know', 'planned', [unknown, pending], 1, '50% of the images on nodes would be warm, and 100% are asked for: 1 not known'],
      ['of a plan with a refusal', 'planned', [refused, pending], 1, '50% of the images on nodes would be warm, and 100% are asked for: 1 refused'],
      ['of a run that did', 'succeeded', [pulled], 1, null],
      ['of a run with a failure', 'failed', [pulled, failed, refused], 1, '33.3% of the images on nodes are warm, and 100% are asked for: 1 failed, 1 refused'],
      ['of a third, which is asked for', 'failed', [pulled, failed, refused], 1 / 3, null],
      ['of a run that did not end', 'interrupted', [pulled, pending], 1, '50% of the images on nodes are warm, and 100% are asked for: 1 pending'],
    ] as const) {
      it(name, () => assert.deepEqual(prepullGate(counted(phase, items), minSuccess), { failed: reason !== null, reason }));
    }

    it('never calls 999 of 1000 all', () => {
      const items = [...Array.from({ length: 9_999 }, () => pulled), failed];
      assert.match(prepullGate(counted('failed', items), 1).reason ?? '', /^99\.9% of /);
    });
  });
});
