import assert from 'node:assert/strict';
import { prepullSummary, type PrepullItem, type PrepullReport } from '../../../../src/app/prepull/prepull-report.ts';
import { prepullView } from '../../../../src/output/views/prepull.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';
import { planItem } from '../../../support/plan-item.ts';

const V2022 = { build: 20348, osVersion: '10.0.20348.1', digest: `sha256:${'2'.repeat(64)}` };
const planned: PrepullItem = { ...planItem({ node: 'win-1', variant: V2022, variants: [V2022], message: 'the node does not list it' }), result: 'pending', outcome: null };
const failed: PrepullItem = { ...planned, image: 'b:1', result: 'failed', outcome: { result: 'failed', reason: 'Unauthorized', message: 'the registry refuses the node', seconds: null, sizeBytes: null, digest: null } };

function view(items: readonly PrepullItem[], run: string | null = 'a1b2c3'): ReturnType<typeof prepullView> {
  const report: PrepullReport = { source: { source: 'cluster', context: 'prod', location: '' }, serverVersion: 'v1.37.2', run, namespace: run === null ? null : 'shop', phase: 'failed', items, notes: ['a note'] };
  const day = new Date('2026-11-30T12:00:00Z');
  return prepullView({ report, summary: prepullSummary(items) }, { asOf: day, generatedAt: day, toolVersion: '0.1.0' });
}

const cell = (header: string, item: PrepullItem): string | undefined => view([item]).columns.find((column) => column.header === header)?.value(item);

describe('prepullView', () => {
  it('makes the document of the schema', () => {
    for (const items of [[], [planned, failed]]) assertMatchesSchema('PrepullReport', view(items).document());
    assertMatchesSchema('PrepullReport', view([planned], null).document());
  });

  it('says of what was done why, before it says why it was planned', () => {
    assert.deepEqual([cell('REASON', planned), cell('REASON', failed), cell('MESSAGE', failed)], ['NotListed', 'Unauthorized', 'the registry refuses the node']);
  });

  it('shows what is not known as such', () => {
    assert.deepEqual([cell('SIZE', planned), cell('TIME', planned), cell('DIGEST', { ...planned, variant: null })], ['<unknown>', '', '<unknown>']);
  });

  it('says what a prediction rests on, and what to do about a failure', () => {
    assert.deepEqual([cell('EVIDENCE', { ...planned, confidence: 'tag' }), cell('REMEDY', planned), cell('REMEDY', failed)], ['tag', '', 'Give the pod imagePullSecrets that may pull it, or the nodes an identity that may.']);
  });

  it('gives remedy, evidence and content of an item, and what is fetched onto each node', () => {
    const document = view([{ ...planned, sizeBytes: 7, confidence: 'registry', evidence: ['the index says so'], registryDigest: V2022.digest }, { ...failed, node: 'win-2' }]).document() as { readonly items: readonly Readonly<Record<string, unknown>>[]; readonly nodes: readonly unknown[] };
    assert.deepEqual(document.items.map(({ remedy, confidence, evidence, registryDigest, content, isolation }) => [remedy, confidence, evidence, registryDigest, content, isolation]), [
      [null, 'registry', ['the index says so'], V2022.digest, null, 'process'], ['Give the pod imagePullSecrets that may pull it, or the nodes an identity that may.', 'unknown', [], null, null, 'process'],
    ]);
    assert.deepEqual(document.nodes, [{ node: 'win-1', plannedBytes: 7, sharedBytes: 0, unknownSizes: 0 }, { node: 'win-2', plannedBytes: 0, sharedBytes: 0, unknownSizes: 1 }]);
  });

  it('names each node once', async () => {
    const { renderings } = view([planned, failed, { ...planned, node: 'win-2\n' }]);
    assert.deepEqual([...await (renderings?.name?.({}) ?? [])], ['node/win-1\n', 'node/win-2\\n\n']);
  });
});
