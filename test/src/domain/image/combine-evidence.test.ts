import assert from 'node:assert/strict';
import { combineEvidence, windowsBuildsOf } from '../../../../src/domain/image/combine-evidence.ts';
import { imageOnNode } from '../../../../src/domain/image/image-on-node.ts';
import type { ImagePlatform, ImagePlatforms } from '../../../../src/domain/image/image-platforms.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import { parseContainerdVersion } from '../../../../src/domain/windows/containerd.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const OLD_DIGEST = `sha256:${'b'.repeat(64)}`;

function platform(os: string, osVersion: string | null = null, digest: string | null = null): ImagePlatform {
  return { os, architecture: 'amd64', osVersion, digest, sizeBytes: null };
}

function registry(...platforms: readonly ImagePlatform[]): ImagePlatforms {
  return { shape: 'index', confidence: 'registry', platforms, os: null, digest: DIGEST, because: 'the registry has an index' };
}

function live(...seenOn: readonly number[]): ImagePlatforms {
  return {
    shape: 'unknown', confidence: 'observed', os: 'windows', isPartial: true, seenOn, digest: DIGEST, because: `seen on ${seenOn.join()}`,
    platforms: seenOn.filter((build) => build <= 20348).map((build) => platform('windows', `10.0.${build}`)),
  };
}

const UNTOLD = TAG_PLATFORMS.platformsOf('registry.example/web:1.4');
const LTSC2019 = TAG_PLATFORMS.platformsOf('registry.example/web:1.4-ltsc2019');
const LTSC2022 = TAG_PLATFORMS.platformsOf('registry.example/web:1.4-ltsc2022');
const NONE = { registry: null, registryProblem: null, live: null } as const;
const onBuild = (platforms: ImagePlatforms, build: number): string => imageOnNode(platforms, { build, revision: null, containerd: parseContainerdVersion('2.0.4') }, 'process').outcome;

describe('one answer from all evidence of an image', () => {
  it('is the registry\'s own object where nothing contradicts it', () => {
    const answer = registry(platform('windows', '10.0.20348.1'));
    for (const tag of [UNTOLD, LTSC2022, TAG_PLATFORMS.platformsOf('x/curl:1803')]) assert.equal(combineEvidence({ ...NONE, registry: answer, tag }), answer);
    assert.equal(combineEvidence({ ...NONE, registry: answer, live: live(20348, 26100), tag: UNTOLD }), answer);
  });

  it('keeps the registry\'s answer where the tag says otherwise, and tells it', () => {
    const answer = combineEvidence({ ...NONE, registry: registry(platform('windows', '10.0.20348.1')), tag: LTSC2019 });
    assert.equal(onBuild(answer, 20348), 'runs');
    assert.equal(onBuild(answer, 17763), 'fails-at-pull');
    assert.deepEqual(answer.notes, ['ltsc2019 in the tag names build 10.0.17763, and the registry holds 10.0.20348']);
    assert.deepEqual(combineEvidence({ ...NONE, registry: registry(platform('linux')), tag: LTSC2019 }).notes, ['ltsc2019 in the tag names build 10.0.17763, and the registry holds no image for Windows']);
    assert.equal(combineEvidence({ ...NONE, registry: registry(platform('windows', null)), tag: LTSC2019 }).notes, undefined, 'an entry without os.version may be of that build');
  });

  it('keeps the registry\'s answer where pods run nevertheless, and says whether the tag has moved', () => {
    const held = registry(platform('linux'), platform('windows', '10.0.20348.1', `sha256:${'c'.repeat(64)}`));
    const moved = combineEvidence({ ...NONE, registry: held, live: live(17763), digestsOn: () => [OLD_DIGEST], tag: UNTOLD });
    assert.deepEqual(moved.notes, [`containers of it run on build 10.0.17763 as another image, ${OLD_DIGEST}: the tag has moved since, and a new pull there fails`]);
    for (const digests of [[DIGEST], [`sha256:${'c'.repeat(64)}`], []]) {
      assert.deepEqual(combineEvidence({ ...NONE, registry: held, live: live(17763), digestsOn: () => digests, tag: UNTOLD }).notes, ['containers of it were seen running on build 10.0.17763, which the image in the registry does not fit']);
    }
    assert.equal(onBuild(moved, 17763), 'fails-at-pull');
  });

  it('takes what runs for a proof of the very image that the registry has, where that leaves open whether it runs', () => {
    for (const open of [registry(platform('windows', null)), { ...registry(platform('windows', null, `sha256:${'c'.repeat(64)}`)), shape: 'manifest' as const }]) {
      assert.equal(onBuild(open, 20348), 'unknown');
      const proven = combineEvidence({ ...NONE, registry: open, live: live(20348), digestsOn: (build) => (build === 20348 ? [open.platforms[0]?.digest ?? DIGEST] : []), tag: UNTOLD });
      assert.deepEqual([proven.confidence, proven.seenOn, proven.notes, onBuild(proven, 20348), onBuild(proven, 17763)], ['registry', [20348], undefined, 'runs', 'unknown']);
      const other = combineEvidence({ ...NONE, registry: open, live: live(20348), digestsOn: () => [OLD_DIGEST], tag: UNTOLD });
      assert.equal(onBuild(other, 20348), 'unknown', 'another image under this name proves nothing of the one in the registry');
    }
  });

  it('falls back to the tag when the registry does not tell, and says why it did not', () => {
    const answer = combineEvidence({ ...NONE, registryProblem: { message: 'registry.example answered 403 Forbidden', isMissing: false }, tag: LTSC2022 });
    assert.deepEqual([answer.confidence, answer.notes, onBuild(answer, 20348)], ['tag', ['registry.example answered 403 Forbidden'], 'runs']);
    const unknown = combineEvidence({ ...NONE, registryProblem: { message: 'registry.example answered 403 Forbidden', isMissing: false }, tag: UNTOLD });
    assert.deepEqual([unknown.confidence, unknown.because, onBuild(unknown, 20348)], ['unknown', 'the tag 1.4 names no build of Windows, and registry.example answered 403 Forbidden', 'unknown']);
    assert.equal(combineEvidence({ ...NONE, tag: UNTOLD }), UNTOLD);
  });

  it('says that the registry has no such image, which runs nowhere but where it runs', () => {
    const gone = { message: 'registry.example has none', isMissing: true };
    const answer = combineEvidence({ ...NONE, registryProblem: gone, tag: LTSC2022 });
    assert.deepEqual([answer.missing, answer.confidence, answer.os, onBuild(answer, 20348)], ['registry.example has none', 'unknown', 'windows', 'unknown']);
    const running = combineEvidence({ ...NONE, registryProblem: gone, live: live(20348), tag: LTSC2022 });
    assert.deepEqual([running.missing, running.confidence, onBuild(running, 20348), onBuild(running, 17763)], ['registry.example has none', 'observed', 'runs', 'unknown']);
    assert.equal(combineEvidence({ ...NONE, registryProblem: { message: 'no answer', isMissing: false }, tag: LTSC2022 }).missing, undefined);
  });

  it('proves what runs by what was seen running, and nothing of other builds', () => {
    const answer = combineEvidence({ ...NONE, live: live(17763), tag: UNTOLD });
    assert.deepEqual([onBuild(answer, 17763), onBuild(answer, 20348), onBuild(answer, 26100)], ['runs', 'unknown', 'unknown']);
    const older = combineEvidence({ ...NONE, live: live(20348), tag: UNTOLD });
    assert.deepEqual([onBuild(older, 17763), onBuild(older, 20348), onBuild(older, 26100)], ['unknown', 'runs', 'runs-down-level']);
    const newest = combineEvidence({ ...NONE, live: live(26100), tag: UNTOLD });
    assert.deepEqual([onBuild(newest, 20348), onBuild(newest, 26100)], ['unknown', 'runs']);
  });

  it('lets the tag tell of the builds on which nothing runs yet, where both hold', () => {
    const answer = combineEvidence({ ...NONE, live: live(20348), registryProblem: { message: 'no answer', isMissing: false }, tag: LTSC2022 });
    assert.deepEqual([answer.confidence, answer.notes], ['tag', ['seen on 20348', 'no answer']]);
    assert.deepEqual([onBuild(answer, 17763), onBuild(answer, 20348), onBuild(answer, 26100)], ['fails-at-start', 'runs', 'runs-down-level']);
  });

  it('believes what runs against the tag', () => {
    const answer = combineEvidence({ ...NONE, live: live(20348), tag: LTSC2019 });
    assert.equal(answer.confidence, 'observed');
    assert.deepEqual(answer.notes, ['ltsc2019 in the tag names build 10.0.17763, which does not run there']);
    assert.deepEqual([onBuild(answer, 17763), onBuild(answer, 20348)], ['unknown', 'runs']);
  });

  it('takes a guess for good where containers bear it out, and drops it where they do not', () => {
    const guess = TAG_PLATFORMS.platformsOf('registry.example/web:8.4.0-1809');
    assert.equal(guess.isGuess, true);
    const confirmed = combineEvidence({ ...NONE, live: live(17763), tag: guess });
    assert.deepEqual([confirmed.isGuess, confirmed.confidence, confirmed.os, onBuild(confirmed, 17763), onBuild(confirmed, 20348)], [undefined, 'tag', 'windows', 'runs', 'fails-at-start']);
    assert.equal(confirmed.because, 'the tag means build 10.0.17763');
    for (const seen of [live(20348), live(26100)]) {
      const dropped = combineEvidence({ ...NONE, live: seen, tag: guess });
      assert.deepEqual([dropped.isGuess, dropped.confidence, dropped.notes], [undefined, 'observed', undefined]);
    }
  });

  it('does not call a HostProcess container\'s pull refused by what was merely seen', () => {
    const host = { build: 17763, revision: null, containerd: parseContainerdVersion('2.0.4') };
    assert.equal(imageOnNode(live(20348), host, 'host-process').outcome, 'unknown');
  });

  it('lists builds of Windows once, ascending', () => {
    assert.deepEqual(windowsBuildsOf({ platforms: [platform('windows', '10.0.26100.1'), platform('linux', '10.0.5.1'), platform('windows', '10.0.17763.2'), platform('windows', '10.0.17763.9'), platform('windows', null)] }), [17763, 26100]);
  });
});
