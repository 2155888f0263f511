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
    { image: 'registry.example/a:1', isForWindows: true, users: null, isolations: [], landing: 'all', ...used },
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
    const { runsOn, failsWhereUsed, judgement, releases, verdicts } = judge(BOTH);
    assert.deepEqual([runsOn, failsWhereUsed, judgement, releases], [['w22', 'w25'], ['w19'], 'fails-somewhere', ['ltsc2022', 'ltsc2025']]);
    assert.deepEqual(verdicts.map(({ verdict, nodes, builds, entries }) => [verdict, nodes, builds, entries]), [
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
    const { runsOn, failsWhereUsed, releases, judgement, because } = judge(TAG_PLATFORMS.platformsOf('a:1'));
    assert.deepEqual([runsOn, failsWhereUsed, releases, judgement, because], [null, null, null, 'unknown', 'the tag 1 names no build of Windows']);
  });

  it('makes no verdict of a guess', () => {
    const { isGuess, judgement, verdicts } = judge(TAG_PLATFORMS.platformsOf('a:1.0-1909'));
    assert.deepEqual([isGuess, judgement, verdicts.map(({ verdict, errorTexts }) => [verdict, errorTexts])], [true, 'unknown', [['unknown', []]]]);
  });

  it('counts failures where pods of its users can land', () => {
    const landing = new Map([['process' as const, new Set([[W22, W25]])]]);
    assert.deepEqual(judge(BOTH, { users: [], isolations: ['process'], landing }).failsWhereUsed, []);
    assert.deepEqual(judge(BOTH, { users: [], isolations: ['process'], landing: new Map([['process' as const, new Set([[W19], [W22]])]]) }).failsWhereUsed, ['w19']);
    // where the other isolation fails, and this one does not
    const old = platformsOf(manifest('windows/10.0.17763.1'));
    assert.deepEqual(judge(old, { users: [], isolations: ['process', 'host-process'], landing: new Map([['host-process' as const, new Set([NODES])]]) }).failsWhereUsed, []);
  });

  it('names the nodes where it is used, and of which of these it is not known', () => {
    const where = ({ landsOn, failsWhereUsed, unknownWhereUsed }: ImageItem): unknown => [landsOn, failsWhereUsed, unknownWhereUsed];
    const unknown = TAG_PLATFORMS.platformsOf('a:1');
    assert.deepEqual(where(judge(BOTH)), [['w19', 'w22', 'w25'], ['w19'], []]);
    assert.deepEqual(where(judge(unknown)), [['w19', 'w22', 'w25'], null, ['w19', 'w22', 'w25']]);
    const landing = new Map([['process' as const, new Set([[W22, W25], [W22]])]]);
    assert.deepEqual(where(judge(BOTH, { users: [], isolations: ['process'], landing })), [['w22', 'w25'], [], []]);
    assert.deepEqual(where(judge({ ...unknown, os: 'windows', isPartial: true, seenOn: [20348], platforms: BOTH.platforms.slice(0, 1) }, { users: [], isolations: ['process'], landing: new Map([['process' as const, new Set([[W19, W22]])]]) })), [['w19', 'w22'], [], ['w19']]);
    // not known under an isolation that nobody has there
    assert.deepEqual(where(judge(unknown, { users: [], isolations: ['process', 'host-process'], landing: new Map([['host-process' as const, new Set([[W22]])]]) })), [['w22'], null, ['w22']]);
    assert.deepEqual([where(judge(BOTH, {}, null)), where(judge(BOTH, { landing: null }))], [[null, null, null], [null, null, null]]);
  });

  it('says of an entry without os.version that its base is unknown', () => {
    const notes = (...platforms: readonly string[]): unknown => judge(platformsOf(index(platforms))).notes;
    assert.deepEqual([notes('windows', 'windows/10.0.20348.1'), notes('windows', 'windows'), notes('windows/10.0.20348.1', 'linux/amd64')], [['an entry for Windows has no os.version: its base is unknown'], ['2 entries for Windows have no os.version: their base is unknown'], []]);
  });

  it('knows what its registry does not have', () => assert.deepEqual([judge({ ...TAG_PLATFORMS.platformsOf('a:1'), missing: 'no such image' }).isMissing, judge(BOTH).isMissing], [true, false]));

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
      assert.deepEqual([judgement, verdicts.map(({ verdict }) => verdict), verdicts[0]?.errorTexts.map(({ reason }) => reason)], ['fails-everywhere', ['fails-at-pull'], ['InvalidImageName']]);
      if (because !== null) assert.equal(verdicts[0]?.because, because);
    });
  }

  it('of a sandbox image it is not known whether pods are held by it', () => {
    const { role, failsWhereUsed, runsOn, unknownOn, verdicts } = judge(BOTH, { role: 'sandbox', isolations: ['process'], landing: null }, [W19, W22]);
    assert.deepEqual([role, failsWhereUsed, runsOn, unknownOn], ['sandbox', null, ['w22'], []]);
    assert.deepEqual(verdicts[0]?.errorTexts.map(({ reason }) => reason), ['FailedCreatePodSandBox']);
  });

  it('gives all texts that may come where a tag does not tell whether it is an index', () => {
    const phases = (platforms: ImagePlatforms): unknown => judge(platforms, {}, [W19]).verdicts.map(({ isPhaseKnown }) => isPhaseKnown);
    assert.deepEqual([TAG_PLATFORMS.platformsOf('shop/web:1-ltsc2022'), BOTH, platformsOf(manifest('windows/10.0.20348.1')), platformsOf(manifest('linux/amd64'))].map(phases), [[false], [true], [true], [false]]);
    const reasons = (platforms: ImagePlatforms): unknown => judge(platforms, {}, [W19]).verdicts.map(({ verdict, errorTexts }) => [verdict, errorTexts.map(({ reason }) => reason)]);
    assert.deepEqual(reasons(TAG_PLATFORMS.platformsOf('shop/web:1-ltsc2022')), [['fails-at-start', ['ErrImagePull', 'StartError']]]);
    assert.deepEqual(reasons(BOTH), [['fails-at-pull', ['ErrImagePull']]]);
    assert.deepEqual(reasons(platformsOf(manifest('linux/amd64'))), [['fails-at-start', []]]);
  });

  it('each node runs it, fails it, or is not known', () => {
    const seen = judge({ ...TAG_PLATFORMS.platformsOf('a:1'), os: 'windows', isPartial: true, seenOn: [20348], platforms: BOTH.platforms.slice(0, 1) });
    assert.deepEqual([seen.runsOn, seen.failsWhereUsed, seen.unknownOn], [['w22', 'w25'], [], ['w19']]);
    assert.deepEqual(judge(TAG_PLATFORMS.platformsOf('a:1')).unknownOn, ['w19', 'w22', 'w25']);
    assert.deepEqual([judge(BOTH).unknownOn, judge(BOTH, {}, []).unknownOn, judge(BOTH, {}, null).unknownOn], [[], [], null]);
    // what fails under one isolation is known
    const linux = { ...TAG_PLATFORMS.platformsOf('a:1'), platforms: [] };
    const mixed = judge({ ...linux, isHostProcessBase: true, shape: 'manifest', platforms: BOTH.platforms.slice(0, 1) }, { isolations: ['process', 'host-process'] }, [W22]);
    assert.deepEqual([mixed.runsOn, mixed.failsWhereUsed, mixed.unknownOn], [[], ['w22'], []]);
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
