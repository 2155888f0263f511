import assert from 'node:assert/strict';
import { bySeverity } from '../../../src/domain/severity.ts';

describe('bySeverity', () => {
  it('worst first, else as found', () => {
    const issues = (['info', 'warning', 'error', 'warning', 'info'] as const).map((severity, index) => ({ id: String(index), severity, facts: [], message: '', remedy: '', reference: '' }));
    assert.deepEqual(bySeverity(issues).map(({ id }) => id), ['2', '1', '3', '0', '4']);
  });
});
