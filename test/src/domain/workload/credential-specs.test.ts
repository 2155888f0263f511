import assert from 'node:assert/strict';
import { credentialSpecNames } from '../../../../src/domain/workload/credential-specs.ts';

const options = (gmsaCredentialSpecName: unknown): Readonly<Record<string, unknown>> => ({ securityContext: { windowsOptions: { gmsaCredentialSpecName } } });

describe('credentialSpecNames', () => {
  const cases: readonly (readonly [string, Readonly<Record<string, unknown>>, readonly string[]])[] = [
    ['none', { containers: [{ name: 'a' }] }, []],
    ['the pod\'s', { ...options('web'), containers: [{ name: 'a' }] }, ['web']],
    ['a container\'s and an init container\'s, each once', { ...options('web'), initContainers: [{ name: 'i', ...options('db') }], containers: [{ name: 'a', ...options('web') }] }, ['web', 'db']],
    ['no empty name, no number, no null', { ...options(''), containers: [{ name: 'a', ...options(7) }, { name: 'b', ...options(null) }] }, []],
  ];
  for (const [title, spec, want] of cases) it(title, () => assert.deepEqual(credentialSpecNames(spec), want));
});
