import assert from 'node:assert/strict';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import { judgeSample } from '../../../support/check-sample.ts';

describe('running the rules on Windows pods', () => {
  it('calls no fix safe where the pod may be meant for Linux', async () => {
    const isSafe = async (spec: Readonly<Record<string, unknown>>, image = 'registry.example/web:1.0'): Promise<readonly (boolean | undefined)[]> => {
      const pod = {
        apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' },
        spec: { ...spec, volumes: [{ name: 'cache', emptyDir: { medium: 'Memory' } }], containers: [{ name: 'web', image }] },
      };
      const { findings } = await judgeSample({ yaml: JSON.stringify(pod) }, RULES);
      return findings.filter(({ rule }) => rule === 'empty-dir-in-memory').map(({ fix }) => fix?.isSafe);
    };
    const selector = { nodeSelector: { 'kubernetes.io/os': 'windows' } };
    assert.deepEqual(await isSafe(selector), [true]);
    assert.deepEqual(await isSafe({ os: { name: 'windows' } }), [true]);
    assert.deepEqual(await isSafe({}, 'registry.example/web:1.0-windowsservercore-ltsc2022'), [false]);
    assert.deepEqual(await isSafe({ ...selector, os: { name: 'linux' } }), [false]);
  });
});
