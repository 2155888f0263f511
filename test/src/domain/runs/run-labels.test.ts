import assert from 'node:assert/strict';
import { managedBy, NODE_ANNOTATION, ORIGIN_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../../../../src/domain/runs/run-labels.ts';

describe('run labels', () => {
  it('tell this program, and which of its commands', () => {
    assert.deepEqual(managedBy('hostprocess'), { 'app.kubernetes.io/managed-by': 'kubectl-win', 'app.kubernetes.io/component': 'hostprocess' });
    assert.notDeepEqual(managedBy('prepull'), managedBy('hostprocess'));
  });

  // Objects of earlier versions are looked for by them.
  it('stay as they are', () => {
    assert.deepEqual([RUN_LABEL, ROLE_LABEL, NODE_ANNOTATION, ORIGIN_ANNOTATION], ['kubectl-win/run', 'kubectl-win/role', 'kubectl-win/node', 'kubectl-win/origin']);
  });
});
