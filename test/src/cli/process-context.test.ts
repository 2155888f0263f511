import assert from 'node:assert/strict';
import { programNameOf } from '../../../src/cli/process-context.ts';

describe('programNameOf', () => {
  const cases: readonly [string, string][] = [
    ['/usr/local/bin/kubectl-win', 'kubectl win'],
    ['/x/bin/kubectl-win.js', 'kubectl win'],
    ['kubectl-windows_doctor', 'kubectl windows-doctor'],
    ['/x/kubectl-win-ops', 'kubectl win ops'],
    ['C:/x/kubectl-winops.exe', 'kubectl winops'],
    ['/x/run.js', 'kubectl win'],
    ['', 'kubectl win'],
  ];
  for (const [executable, name] of cases) {
    it(`of "${executable}" is ${name}`, () => assert.equal(programNameOf(executable), name));
  }
});
