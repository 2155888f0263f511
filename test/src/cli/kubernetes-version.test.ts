import assert from 'node:assert/strict';
import { readKubernetesVersion } from '../../../src/cli/kubernetes-version.ts';

describe('readKubernetesVersion', () => {
  for (const [text, expected] of [[undefined, null], ['1.34', 'v1.34'], ['v1.34.2', 'v1.34.2'], [' 1.36.0 ', 'v1.36.0'], ['1.31.4-gke.1372000', 'v1.31.4-gke.1372000'], ['v1.26.0+rke2r2', 'v1.26.0+rke2r2']] as const) {
    it(`reads ${JSON.stringify(text)}`, () => assert.equal(readKubernetesVersion(text), expected));
  }

  for (const text of ['', 'latest', '1', '1.x', '34', '1.34.2.1', '--windows']) {
    it(`refuses ${JSON.stringify(text)}, and says how to write it`, () => {
      assert.throws(() => readKubernetesVersion(text), { name: 'UsageError', message: `invalid argument ${JSON.stringify(text)} for "--kubernetes-version" flag: must be a version of Kubernetes`, suggestions: ['give it as 1.34 or v1.34.2'] });
    });
  }
});
