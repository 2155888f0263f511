import assert from 'node:assert/strict';
import { judgeImage, relevantReleases, type ImageToJudge, type KnownOfImage } from '../../../../src/app/images/judge-image.ts';
import type { ImageItem } from '../../../../src/app/images/image-report.ts';
import type { RegistryAnswer } from '../../../../src/app/ports.ts';
import type { ImagePlatforms } from '../../../../src/domain/image/image-platforms.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import type { WindowsNode } from '../../../../src/domain/node/windows-node.ts';
import { index, manifest } from '../../../support/answering-registry.ts';
import { rawNode, type NodeParts } from '../../../support/fake-cluster.ts';

const DAY = new Date('2026-11-30T12:00:00Z');
const node = (name: string, parts: NodeParts = {}): WindowsNode => describeNode(rawNode(name, parts), { serverVersion: null, asOf: DAY });
const W19 = node('w19', { kernelVersion: '10.0.17763.8389' });
const W22 = node('w22');
const W25 = node('w25', { kernelVersion: '10.0.26100.32995', runtime: 'containerd://2.1.6' });
const NODES = [W19, W22, W25];
const RELEASES = relevantReleases(DAY, NODES);

const platformsOf = (answer: RegistryAnswer): ImagePlatforms => (answer.kind === 'platforms' ? answer.platforms : TAG_PLATFORMS.platformsOf('x'));
const BOTH = platformsOf(index(['windows/10.0.20348.5386', 'windows/10.0.26100.33158', 'linux/amd64'], { sizes: [10, 20, 500] }));

function judge(platforms: ImagePlatforms, used: Partial<ImageToJudge> = {}, nodes: readonly WindowsNode[] | null = NODES, known: Partial<KnownOfImage> = {}): ImageItem {
  return judgeImage(
    { image: 'registry.example/a:1', isForWindows: true, users: null, isolations: [], landing: null, ...used },
    { platforms, failure: null, reportedSize: null, ...known }, { windowsNodes: nodes, releases: RELEASES },
  );
}

describe('relevantReleases', () => {
  it('are those in support on the day, and those that nodes run', () => {
    const names = (day: string, builds: readonly number[] = []): readonly string[] => relevantReleases(new Date(day), builds.map((build) => ({ build }))).map(({ release }) => release);
    assert.deepEqual(names('2026-11-30'), ['ltsc2019', 'ltsc2022', 'ltsc2025']);
    assert.deepEqual(names('2024-01-01'), ['ltsc2019', 'ltsc2022', '23H2', 'ltsc2025']);
    assert.deepEqual(names('2030-01-01', [17763, 14393]), ['ltsc2016', 'ltsc2019', 'ltsc2022', 'ltsc2025']);
  });
});

describe('judgeImage', () => {
  it('names the nodes on which it runs, and on which it fails', () => {
    const { runsOn, failsOn, judgement, releases, verdicts } = judge(BOTH);
    assert.deepEqual([runsOn, failsOn, judgement, releases], [['w22', 'w25'], ['w19'], 'fails-somewhere', ['ltsc2022', 'ltsc2025']]);
    assert.deepEqual(verdicts.map(({ outcome, nodes, builds, entries }) => [outcome, nodes, builds, entries]), [
      ['fails-at-pull', ['w19'], [17763], []], ['runs', ['w22'], [20348], ['10.0.20348.5386']], ['runs', ['w25'], [26100], ['10.0.26100.33158', '10.0.20348.5386']],
    ]);
  });

  it('judges releases where nodes are not known, and where there are none for Windows', () => {
    for (const nodes of [null, []]) {
      const { runsOn, releases, verdicts, judgement } = judge(BOTH, {}, nodes);
      assert.deepEqual([runsOn, releases, judgement], [nodes === null ? null : [], ['ltsc2022', 'ltsc2025'], 'fails-somewhere']);
      assert.deepEqual(verdicts.map(({ nodes: names, builds }) => [names, builds])[0], [[], [17763]]);
    }
  });

  it('knows nothing of an image of which nothing is known', () => {
    const { runsOn, failsOn, releases, judgement, because } = judge(TAG_PLATFORMS.platformsOf('a:1'));
    assert.deepEqual([runsOn, failsOn, releases, judgement, because], [null, null, null, 'unknown', 'the tag 1 names no build of Windows']);
  });

  it('makes no verdict of a guess', () => {
    const { isGuess, judgement, verdicts } = judge(TAG_PLATFORMS.platformsOf('a:1.0-1909'));
    assert.deepEqual([isGuess, judgement, verdicts.map(({ outcome, errorText }) => [outcome, errorText])], [true, 'unknown', [['unknown', null]]]);
  });

  it('counts failures where pods of its users can land', () => {
    const landing = new Map([['process' as const, new Set([[W22, W25]])]]);
    assert.deepEqual(judge(BOTH, { users: [], isolations: ['process'], landing }).failsOn, []);
    assert.deepEqual(judge(BOTH, { users: [], isolations: ['process'], landing: new Map([['process' as const, new Set([[W19], [W22]])]]) }).failsOn, ['w19']);
    // where the other isolation fails, and this one does not
    const old = platformsOf(manifest('windows/10.0.17763.1'));
    assert.deepEqual(judge(old, { users: [], isolations: ['process', 'host-process'], landing: new Map([['host-process' as const, new Set([NODES])]]) }).failsOn, []);
  });

  it('HostProcess containers run whatever build a single manifest is of, and others do not: both are said', () => {
    const old = platformsOf(manifest('windows/10.0.17763.1'));
    assert.deepEqual(judge(old, { isolations: ['host-process'] }).runsOn, ['w19', 'w22', 'w25']);
    const mixed = judge(old, { isolations: ['process', 'host-process'] });
    assert.deepEqual([mixed.runsOn, mixed.judgement], [['w19'], 'fails-somewhere']);
    assert.deepEqual(mixed.notes, ['HostProcess containers use it, and others: it counts as running where both do']);
  });

  for (const [image, because] of [['Nginx:1', 'it is no image reference: the repository "library/Nginx" has capital letters'], ['a:b:c', null], [' a', null]] as const) {
    it(`${JSON.stringify(image)} is never pulled`, () => {
      const { verdicts, judgement } = judge(TAG_PLATFORMS.platformsOf(image), { image });
      assert.deepEqual([judgement, verdicts.map(({ outcome }) => outcome), verdicts[0]?.errorText?.reason], ['fails-everywhere', ['fails-at-pull'], 'InvalidImageName']);
      if (because !== null) assert.equal(verdicts[0]?.because, because);
    });
  }

  it('a sandbox image that fails keeps every pod from its nodes', () => {
    const { role, failsOn, verdicts } = judge(BOTH, { role: 'sandbox', isolations: ['process'], landing: new Map([['process' as const, new Set([[W19, W22]])]]) });
    assert.deepEqual([role, failsOn, verdicts[0]?.errorText?.reason], ['sandbox', ['w19'], 'FailedCreatePodSandBox']);
  });

  it('takes sizes of the registry for Windows, else what nodes report', () => {
    const sizes = ({ sizeBytes, sizeFrom }: ImageItem): unknown => [sizeBytes, sizeFrom];
    assert.deepEqual(sizes(judge(BOTH, {}, NODES, { reportedSize: 7 })), [20, 'registry']);
    assert.deepEqual(sizes(judge(platformsOf(index(['linux/amd64'], { sizes: [5] })))), [5, 'registry']);
    assert.deepEqual(sizes(judge(platformsOf(index(['windows/10.0.20348.1'])), {}, NODES, { reportedSize: 7 })), [7, 'nodes']);
    assert.deepEqual(sizes(judge(platformsOf(index(['windows/10.0.20348.1'])))), [null, null]);
  });

  it('takes the digest of the reference where nothing else tells', () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    assert.equal(judge(TAG_PLATFORMS.platformsOf(`a@${digest}`), { image: `a@${digest}` }).digest, digest);
    assert.equal(judge(TAG_PLATFORMS.platformsOf('a:1'), { image: 'a:1' }).digest, null);
  });

  it('hands on builds of platforms, notes and what the registry said', () => {
    const { platforms, registryFailure, notes } = judge({ ...BOTH, notes: ['x'] }, {}, NODES, { failure: { reason: 'Timeout', registry: 'r', message: 'late', suggestions: ['wait'] } });
    assert.deepEqual([platforms.map(({ build }) => build), registryFailure, notes], [[20348, 26100, null], { reason: 'Timeout', message: 'late' }, ['x']]);
  });
});
