import assert from 'node:assert/strict';
import { windowsImages } from '../../../../src/app/images/wanted-images.ts';
import { subjectsOf } from '../../../../src/domain/check/judge-object.ts';
import { factsOfObjects } from '../../../../src/domain/check/facts-of-objects.ts';
import { NO_PLATFORMS } from '../../../../src/domain/image/no-platforms.ts';

const FACTS = factsOfObjects([], { kubernetesVersion: null, asOf: new Date('2026-11-30'), images: NO_PLATFORMS, completeness: () => 'none' });

function wantedOf(spec: Readonly<Record<string, unknown>>, namespace?: string) {
  return windowsImages(subjectsOf({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', ...(namespace === undefined ? {} : { namespace }) }, spec }, FACTS));
}

describe('windowsImages', () => {
  const containers = [{ name: 'a', image: 'a:1' }, { name: 'b', image: '' }, { name: 'c' }];

  it('are those of pods for Windows, with whose secrets they are pulled', () => {
    assert.deepEqual(wantedOf({ os: { name: 'windows' }, initContainers: [{ name: 'i', image: 'i:1' }], containers, imagePullSecrets: [{ name: 's' }] }, 'shop'), ['i:1', 'a:1'].map((image) => ({ image, scope: { namespace: 'shop', serviceAccount: 'default', secretNames: ['s'] } })));
  });

  it('and of pods that contradict themselves', () => {
    assert.deepEqual(wantedOf({ os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'linux' }, containers }).map(({ image }) => image), ['a:1']);
  });

  for (const [what, spec] of [['Linux', { os: { name: 'linux' } }], ['neither', {}]] as const) it(`not of pods for ${what}`, () => assert.deepEqual(wantedOf({ ...spec, containers }), []));
});
