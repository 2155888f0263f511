import assert from 'node:assert/strict';
import { fuzzManifests } from '../../../fuzz/fuzz-manifests.ts';
import { testSeed } from '../../../support/random.ts';

describe('mutated manifests', () => {
  const seed = testSeed();
  it(`are read without a crash, and what cannot be read has a line (KUBECTL_WIN_SEED=${seed})`, async function () {
    this.timeout(120_000);
    const { objects, unreadable, problems } = await fuzzManifests(5_000, seed);
    assert.ok(objects > 1_000 && unreadable > 1_000 && problems > 500, `${objects} objects, ${unreadable} unreadable, ${problems} problems`);
  });
});
