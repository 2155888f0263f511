import assert from 'node:assert/strict';
import type { RunStatus } from '../../../../src/app/prepull/run-status.ts';
import { prepullCleanupView } from '../../../../src/output/views/prepull-cleanup.ts';
import { prepullRunsView, runGate, runProgressLine } from '../../../../src/output/views/prepull-runs.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';

const day = new Date('2026-11-30T12:00:00Z');
const OPTIONS = { asOf: day, generatedAt: day, toolVersion: '0.1.0' };
const SOURCE = { source: 'cluster', context: 'prod', location: '' } as const;
const bare: RunStatus = { run: 'a1b2c3', namespace: 'shop', origin: null, startedAt: null, phase: 'abandoned', planned: 0, ready: null, images: [], results: [], counts: { pulled: 0, present: 0, failed: 0 }, refused: null, skipped: null, active: [], held: [], removedBy: null };

describe('prepullRunsView', () => {
  it('makes the document of the schema, also where nothing is known', () => {
    for (const runs of [[], [bare], [{ ...bare, startedAt: '2026-11-30T11:00:00Z', counts: { pulled: 0, present: 0, failed: 1 }, results: [{ node: 'win-1', image: 'a:1', result: 'failed' as const, reason: 'Timeout' }] }]]) {
      assertMatchesSchema('PrepullRunList', prepullRunsView(runs, SOURCE, '', OPTIONS).document());
    }
  });

  it('shows what is not known as such, and what is due as none', () => {
    const cells = (run: RunStatus): readonly string[] => prepullRunsView([run], SOURCE, '', OPTIONS).columns.filter(({ header }) => ['AGE', 'REMOVED-IN', 'ORIGIN'].includes(header)).map(({ value }) => value(run));
    assert.deepEqual(cells(bare), ['<unknown>', '<unknown>', '<unknown>']);
    assert.deepEqual(cells({ ...bare, startedAt: '2026-11-30T11:00:00Z', removedBy: '2026-11-30T11:59:00Z', origin: 'x' }), ['60m', '0s', 'x']);
  });
});

describe('a run whose record had no room for all names', () => {
  const large: RunStatus = { ...bare, planned: 60_000, counts: { pulled: 50_000, present: 7, failed: 3 }, results: [{ node: 'win-1', image: 'a:1', result: 'failed', reason: 'Timeout' }] };

  it('is counted whole', () => {
    const view = prepullRunsView([large], SOURCE, '', OPTIONS);
    const cells = Object.fromEntries(view.columns.map(({ header, value }) => [header, value(large)]));
    assert.deepEqual([cells['DONE'], cells['FAILED'], cells['FAILED-ON']], ['50007/60000', '3', 'win-1(Timeout) and 2 more']);
    const document = view.document() as { readonly items: readonly Readonly<Record<string, unknown>>[] };
    assertMatchesSchema('PrepullRunList', document);
    assert.deepEqual([document.items[0]?.['pulled'], document.items[0]?.['unnamedResults']], [50_000, 50_009]);
  });
});

describe('what stands', () => {
  const failure = (node: string, image: string): RunStatus['active'][number] => ({ node, image, reason: 'Unauthorized', message: 'no' });
  const failures = [failure('win-1', 'a:1'), failure('win-1', 'b:1'), failure('win-2', 'a:1')];
  const standing: RunStatus = { ...bare, phase: 'standing', planned: 3, ready: 0, counts: { pulled: 0, present: 0, failed: 2 }, results: failures.map(({ node, image, reason }) => ({ node, image, result: 'failed', reason })), active: [...failures, { node: 'win-3', image: 'a:1', reason: null, message: null }] };
  const shown = (run: RunStatus): Readonly<Record<string, string>> => Object.fromEntries(prepullRunsView([run], SOURCE, '', OPTIONS).columns.map(({ header, value }) => [header, value(run)]));
  const documentOf = (run: RunStatus): Readonly<Record<string, unknown>> => {
    const document = prepullRunsView([run], SOURCE, '', OPTIONS).document() as { readonly items: readonly Readonly<Record<string, unknown>>[] };
    assertMatchesSchema('PrepullRunList', document);
    return document.items[0] ?? {};
  };

  it('counts pods that fail, and names their images by node', () => {
    const cells = shown(standing);
    assert.deepEqual([cells['FAILED'], cells['PULLING'], cells['PULLING-ON'], cells['FAILED-ON']], ['2', '1', 'win-3', 'win-1(Unauthorized), win-2(Unauthorized)']);
    assert.equal(runProgressLine(standing), 'a1b2c3: 0/3 done, 2 failed (win-1(Unauthorized), win-2(Unauthorized)), 1 pulling');
    assert.deepEqual([documentOf(standing)['failed'], documentOf(standing)['unnamedResults']], [2, 0]);
  });

  it('is not known of where its pods may not be listed', () => {
    const unseen: RunStatus = { ...standing, counts: bare.counts, results: [], active: [], isUnseen: true };
    const cells = shown(unseen);
    assert.deepEqual(['FAILED', 'PULLING', 'PULLING-ON', 'FAILED-ON'].map((header) => cells[header]), Array.from({ length: 4 }, () => '<unknown>'));
    assert.deepEqual([documentOf(unseen)['failed'], documentOf(unseen)['active'], runProgressLine(unseen)], [null, null, 'a1b2c3: 0/3 done, failures not known']);
  });
});

describe('runGate', () => {
  const counts = (pulled: number, failed: number): RunStatus['counts'] => ({ pulled, present: 0, failed });
  for (const [name, parts, minSuccess, reason] of [
    ['all are there', { planned: 2, counts: counts(2, 0) }, 1, null], ['what was skipped is warm', { planned: 1, skipped: 3, counts: counts(0, 1) }, 0.75, null], ['nothing was meant', {}, 0, 'no node is meant, so nothing is warm'],
    ['what was refused is not', { phase: 'succeeded', planned: 1, refused: 1, counts: counts(1, 0) }, 1, '50% of the images on nodes are warm, and 100% are asked for: 1 refused'],
    ['some were never begun', { phase: 'interrupted', planned: 4, counts: counts(1, 1) }, 0.5, '25% of the images on nodes are warm, and 50% are asked for: 1 failed, 2 never begun'],
    ['of what stands, pods', { phase: 'standing', planned: 3, ready: 2 }, 1, '66.6% of the images on nodes are warm, and 100% are asked for: 1 not yet there'],
  ] as const) it(name, () => assert.deepEqual(runGate({ ...bare, ...parts }, minSuccess), { failed: reason !== null, reason }));
});

describe('runProgressLine', () => {
  it('says what is not nothing', () => {
    assert.equal(runProgressLine({ ...bare, planned: 4, counts: { pulled: 1, present: 1, failed: 1 }, active: [{ node: 'n', image: 'a:1', reason: null, message: null }] }), 'a1b2c3: 2/4 done, 1 failed, 1 pulling');
    assert.equal(runProgressLine({ ...bare, planned: 4, ready: 3 }), 'a1b2c3: 3/4 done');
  });
});

describe('prepullCleanupView', () => {
  it('makes the document of the schema', () => {
    for (const removed of [[], [{ run: 'a1b2c3', namespace: 'shop', jobs: 3, daemonSets: 1 }]]) assertMatchesSchema('PrepullCleanup', prepullCleanupView(removed, SOURCE, '', OPTIONS).document());
  });
});
