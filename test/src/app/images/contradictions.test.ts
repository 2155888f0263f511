import assert from 'node:assert/strict';
import { contradictionNotes } from '../../../../src/app/images/contradictions.ts';
import { combineEvidence } from '../../../../src/domain/image/combine-evidence.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import { index, type PreparedAnswer } from '../../../support/answering-registry.ts';

/** An item as combineEvidence, whose words are looked for, makes its notes. */
function item(image: string, registry: PreparedAnswer) {
  if (typeof registry === 'function' || registry.kind !== 'platforms') throw new Error('no platforms');
  const { confidence, notes = [] } = combineEvidence({ registry: registry.platforms, registryProblem: null, live: null, tag: TAG_PLATFORMS.platformsOf(image) });
  return { image, evidence: confidence, notes };
}

describe('contradictionNotes', () => {
  const wrong = (name: string) => item(`${name}:ltsc2019`, index(['windows/10.0.20348.1']));

  it('are none where tags are right, or say nothing', () => assert.deepEqual(contradictionNotes([item('a:ltsc2022', index(['windows/10.0.20348.1'])), item('a:1', index(['windows/10.0.20348.1'])), { image: 'a:ltsc2022', evidence: 'tag', notes: ['x'] }, { image: 'b:1', evidence: 'registry', notes: ['x'] }]), []));

  it('name the image and both builds', () => {
    assert.deepEqual(contradictionNotes([wrong('a')]), ['1 image holds other builds of Windows than its tag names: a:ltsc2019 (ltsc2019 in the tag names build 10.0.17763, and the registry holds 10.0.20348)']);
  });

  it('are one for all, with three names', () => {
    const [note = '', more] = contradictionNotes(['a', 'b', 'c', 'd', 'e'].map(wrong));
    assert.match(note, /^5 images hold other builds of Windows than their tags name: a:ltsc2019 \(.*b:ltsc2019 \(.*c:ltsc2019 \([^)]*\) and 2 more$/);
    assert.equal(more, undefined);
  });
});
