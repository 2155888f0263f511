import assert from 'node:assert/strict';
import type { SweepItem } from '../../../../src/app/sweep-runs.ts';
import { sweepView } from '../../../../src/output/views/sweep.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';

const AT = new Date('2026-11-30T12:00:00Z');
const ITEM: SweepItem = {
  resource: 'pods', namespace: 'default', name: 'web-1', uid: 'u', run: '', node: null, origin: null, createdAt: null, judgement: 'forged', isAlive: false, endsBy: null,
  because: 'it has the labels of a run, but no run has such an id', result: 'left', message: null,
};
const view = (item: Partial<SweepItem>): ReturnType<typeof sweepView> => sweepView(
  { source: { source: 'cluster', context: 'test', location: 'https://cluster.test' }, items: [{ ...ITEM, ...item }], forgotten: ['a1b2c3'], hasSeenAll: true, refusals: [], notes: [] }, 'nothing', { asOf: AT, generatedAt: AT, toolVersion: '0.1.0' },
);
const cell = (header: string, item: Partial<SweepItem> = {}): string | undefined => view(item).columns.find((column) => column.header === header)?.value({ ...ITEM, ...item });

describe('sweepView', () => {
  it('shows what is not known as that', () => {
    assert.deepEqual(['RUN', 'OBJECT', 'NODE', 'ALIVE', 'AGE', 'ENDS-IN', 'ORIGIN'].map((header) => cell(header)), ['<none>', 'pod/web-1', '<unknown>', 'no', '<unknown>', '<unknown>', '<unknown>']);
    assertMatchesSchema('SweepReport', view({}).document());
  });

  it('counts down to the end and not beyond', () => {
    assert.equal(cell('ENDS-IN', { endsBy: '2026-11-30T12:09:30Z' }), '9m30s');
    assert.equal(cell('ENDS-IN', { endsBy: '2026-11-30T11:00:00Z' }), '0s');
  });

  it('says why: the message where there is one', () => {
    assert.deepEqual([cell('WHY'), cell('WHY', { message: 'refused' })], [ITEM.because, 'refused']);
  });
});
