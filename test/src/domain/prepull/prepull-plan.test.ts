import assert from 'node:assert/strict';
import type { ImagePlatforms } from '../../../../src/domain/image/image-platforms.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { imagesOf } from '../../../../src/domain/node/node-images.ts';
import { NodeImageList } from '../../../../src/domain/prepull/image-presence.ts';
import { planPrepull, type ImageToPrepull, type NodeToPrepull, type PlanItem, type PlanOptions } from '../../../../src/domain/prepull/prepull-plan.ts';
import { rawNode, type NodeParts } from '../../../support/fake-cluster.ts';

const GIB = 2 ** 30;
const digest = (letter: string): string => `sha256:${letter.repeat(64)}`;
const INDEX = digest('1');

function platforms(entries: readonly (readonly [osVersion: string | null, digest: string | null, sizeBytes: number | null])[], more: Partial<ImagePlatforms> = {}): ImagePlatforms {
  return { shape: 'index', confidence: 'registry', os: null, because: 'the registry says so', digest: INDEX, platforms: entries.map(([osVersion, own, sizeBytes]) => ({ os: 'windows', architecture: 'amd64', osVersion, digest: own, sizeBytes })), ...more };
}

const NOTHING: ImagePlatforms = { shape: 'none', confidence: 'unknown', os: null, because: 'nothing is known of it', platforms: [] };
const ALL = platforms([['10.0.17763.8000', digest('a'), 1 * GIB], ['10.0.20348.5000', digest('b'), 2 * GIB], ['10.0.26100.7000', digest('c'), 3 * GIB]]);

function node(name: string, parts: NodeParts & { readonly unschedulable?: boolean; readonly space?: NodeToPrepull['space']; readonly readyStatus?: string; readonly diskPressure?: string } = {}): NodeToPrepull {
  const raw = rawNode(name, parts);
  const spec = { ...raw['spec'] as object, ...(parts.unschedulable === true ? { unschedulable: true } : {}) };
  const conditions = [{ type: 'Ready', status: parts.readyStatus ?? ((parts.ready ?? true) ? 'True' : 'False') }, { type: 'DiskPressure', status: parts.diskPressure ?? 'False' }];
  const status = { ...raw['status'] as object, conditions };
  const described = describeNode({ ...raw, spec, status }, { asOf: new Date('2026-11-30T12:00:00Z'), serverVersion: null });
  return { node: described, images: new NodeImageList(imagesOf(raw)), space: parts.space ?? null };
}

const image = (name: string, own: ImagePlatforms = ALL, more: Partial<ImageToPrepull> = {}): ImageToPrepull => ({ image: name, platforms: own, isolation: 'process', ...more });

function plan(images: readonly ImageToPrepull[], nodes: readonly NodeToPrepull[], options: Partial<PlanOptions> = {}): readonly PlanItem[] {
  return planPrepull(images, nodes, { skipsCordoned: true, minFree: null, pulledBefore: () => null, asOf: new Date('2026-11-30T12:00:00Z'), ...options });
}

const short = (items: readonly PlanItem[]): readonly string[] => items.map(({ node: name, action, reason }) => `${name} ${action} ${reason}`);
const ONE = 'r.example/x:1';

describe('the plan of a prepull', () => {
  it('predicts the variant of each node, and its size', () => {
    const nodes = [node('w19', { kernelVersion: '10.0.17763.8000' }), node('w22'), node('w25', { kernelVersion: '10.0.26100.1', runtime: 'containerd://2.3.5' }), node('w25-first-entry', { kernelVersion: '10.0.26100.1', runtime: 'containerd://2.0.4' })];
    assert.deepEqual(plan([image(ONE)], nodes).map(({ node: name, variant, sizeBytes, action }) => [name, variant?.build, variant?.digest?.at(-1), sizeBytes, action]), [
      ['w19', 17763, 'a', GIB, 'pull'], ['w22', 20348, 'b', 2 * GIB, 'pull'], ['w25', undefined, undefined, 3 * GIB, 'pull'], // this one or that of 20348: the larger is reckoned with
      // It takes the first entry that fits (facts: windows.md §1.3).
      ['w25-first-entry', 20348, 'b', 2 * GIB, 'pull'],
    ]);
  });

  it('names both variants where the version of containerd does not tell which is taken', () => {
    const two = platforms([['10.0.20348.1', digest('b'), 2 * GIB], ['10.0.20348.5000', digest('c'), 3 * GIB]]);
    const [item] = plan([image(ONE, two)], [node('w22', { runtime: 'containerd://1.9.9' })]);
    if ((item?.variants.length ?? 0) > 1) assert.deepEqual([item?.variant, item?.sizeBytes], [null, 3 * GIB]);
    const twins = platforms([['10.0.20348.1', digest('b'), 2 * GIB], ['10.0.20348.1', digest('c'), 3 * GIB]]);
    const [twin] = plan([image(ONE, twins)], [node('w22')]);
    assert.deepEqual([twin?.variant?.osVersion, twin?.variant?.digest, twin?.sizeBytes], ['10.0.20348.1', null, 3 * GIB]);
  });

  it('refuses impossible pairs with the reason', () => {
    const only22 = platforms([['10.0.20348.5000', digest('b'), GIB]]);
    assert.deepEqual(short(plan([image(ONE, only22)], [node('w19', { kernelVersion: '10.0.17763.8000' }), node('w22')])), ['w19 refuse NoMatchForPlatform', 'w22 pull NotListed']);
    const single = platforms([['10.0.17763.8000', digest('a'), GIB]], { shape: 'manifest' });
    const [item] = plan([image(ONE, single)], [node('w22')]);
    assert.deepEqual([item?.action, item?.reason], ['refuse', 'OsMismatch']);
    assert.match(item?.message ?? '', /it would say/);
    assert.deepEqual(short(plan([image('Not An Image'), image('${IMAGE}')], [node('w22')])), ['w22 refuse InvalidImageName', 'w22 refuse InvalidImageName']);
  });

  it('pulls what is not known, and says so', () => {
    const [item] = plan([image(ONE, NOTHING)], [node('w22')]);
    assert.deepEqual([item?.action, item?.reason, item?.variant, item?.variants, item?.sizeBytes], ['unknown', 'PlatformsUnknown', null, [], null]);
    assert.match(item?.message ?? '', /the pull will show/);
  });

  it('refuses nodes that take no pod, unless the image is there', () => {
    const listed = { images: [{ names: [ONE, `r.example/x@${INDEX}`], sizeBytes: 7 }] };
    assert.deepEqual(short(plan([image(ONE)], [
      node('down', { ready: false }), node('silent', { readyStatus: 'Unknown' }), node('cordoned', { unschedulable: true }), node('down-with', { ready: false, ...listed }), node('cordoned-with', { unschedulable: true, ...listed }),
    ])), ['down refuse NodeNotReady', 'silent refuse NodeNotReady', 'cordoned refuse NodeCordoned', 'down-with skip Present', 'cordoned-with skip Present']);
    assert.deepEqual(short(plan([image(ONE)], [node('cordoned', { unschedulable: true })], { skipsCordoned: false })), ['cordoned pull NotListed']);
  });

  it('of a node with 60 images, whose kubelet lists 50: nothing that is there is called missing, and nothing missing is called there', () => {
    const names = Array.from({ length: 60 }, (_, index) => `r.example/team/app-${index}:1`);
    const listed = names.slice(0, 50).map((name, index) => ({ names: [name, `${name.slice(0, -2)}@${digest('d')}`], sizeBytes: 10_000 - index }));
    const items = plan([...names, 'r.example/never:1'].map((name) => image(name, NOTHING)), [node('w22', { images: listed })]);
    assert.deepEqual(items.filter(({ reason }) => reason === 'Present').map((item) => item.image).toSorted(), names.slice(0, 50).toSorted());
    // Absence from the list proves nothing: a pull will tell, and ends at once where the image is there.
    assert.deepEqual([...new Set(items.filter(({ reason }) => reason !== 'Present').map(({ action }) => action))], ['unknown']);
    assert.equal(items.length, 61);
  });

  it('tells a tag that has moved from the same content, by the digest of the index or of an entry', () => {
    const holding = (own: string): NodeToPrepull => node('w22', { images: [{ names: [ONE, `r.example/x@${own}`], sizeBytes: 5 }] });
    assert.deepEqual([INDEX, digest('b'), digest('f')].flatMap((own) => short(plan([image(ONE)], [holding(own)]))), ['w22 skip Present', 'w22 skip Present', 'w22 pull TagMoved']);
    const known = { ...ALL, confidence: 'observed' as const };
    assert.deepEqual(short(plan([image(ONE, known)], [holding(digest('f'))])), ['w22 skip Present']);
    assert.deepEqual(short(plan([image(`r.example/x@${digest('f')}`)], [holding(digest('f'))])), ['w22 skip Present']);
  });

  it('believes what a kubelet lists more than what is reckoned of the pull, and not that it starts', () => {
    const only25 = platforms([['10.0.26100.1', digest('c'), GIB]]);
    const listed = { images: [{ names: [ONE, `r.example/x@${INDEX}`], sizeBytes: 5 }] };
    assert.deepEqual(short(plan([image(ONE, only25)], [node('w22', listed)])), ['w22 skip Present']);
    assert.deepEqual(short(plan([image(ONE, platforms([['10.0.17763.1', digest('a'), GIB]], { shape: 'manifest' }))], [node('w22', listed)])), ['w22 refuse OsMismatch']);
  });

  describe('what an earlier run has pulled', () => {
    const before = (at: string, own: string | null = null): Partial<PlanOptions> => ({ pulledBefore: (name) => (name === 'w22' ? { at, digest: own } : null) });
    const JUST_NOW = '2026-11-30T11:55:00Z';
    const HOURS_AGO = '2026-11-30T02:00:00Z';
    const listing = (count: number, sizeBytes = 9 * GIB): NodeToPrepull => node('w22', { images: Array.from({ length: count }, (_, index) => ({ names: [`r.example/other-${index}:1`], sizeBytes })) });

    it('is skipped as long as the node may not have told of it', () => {
      assert.deepEqual(short(plan([image(ONE)], [node('w22'), node('other')], before(JUST_NOW))), ['w22 skip PulledBefore', 'other pull NotListed']);
      assert.deepEqual(short(plan([image(ONE)], [node('w22')], before(HOURS_AGO))), ['w22 pull NotListed']);
    });

    it('counts by the time that the node tells, whatever this machine believes', () => {
      const told = (reportedAt: string | null): readonly string[] => short(plan([image(ONE)], [{ ...node('w22'), reportedAt }], before(HOURS_AGO)));
      assert.deepEqual([told('2026-11-30T02:05:00Z'), told('2026-11-30T11:59:00Z'), told(null), told('no time')], [['w22 skip PulledBefore'], ['w22 pull NotListed'], ['w22 pull NotListed'], ['w22 pull NotListed']]);
    });

    it('is skipped later where the list of the node may leave it out, and pulled where it is gone', () => {
      assert.deepEqual(short(plan([image(ONE)], [listing(50)], before(HOURS_AGO))), ['w22 skip PulledBefore']);
      assert.deepEqual(short(plan([image(ONE)], [listing(49)], before(HOURS_AGO))), ['w22 pull NotListed']);
      // 2 GiB, which would stand before all of these
      assert.deepEqual(short(plan([image(ONE)], [listing(50, GIB)], before(HOURS_AGO))), ['w22 pull NotListed']);
    });

    it('is pulled where the tag has moved since', () => {
      assert.deepEqual(short(plan([image(ONE)], [node('w22')], before(JUST_NOW, digest('f')))), ['w22 pull TagMoved']);
      assert.deepEqual([INDEX, digest('b')].flatMap((own) => short(plan([image(ONE)], [node('w22')], before(JUST_NOW, own)))), ['w22 skip PulledBefore', 'w22 skip PulledBefore']);
      assert.deepEqual(short(plan([image(ONE, NOTHING)], [node('w22')], before(JUST_NOW, digest('f')))), ['w22 skip PulledBefore']);
      assert.deepEqual(short(plan([image(ONE)], [node('w22', { images: [{ names: [ONE, `r.example/x@${digest('f')}`] }] })], before(JUST_NOW))), ['w22 pull TagMoved']);
    });

    it('proves nothing of a younger node of the same name', () => assert.deepEqual(short(plan([image(ONE)], [node('w22')], before('2026-11-20T11:59:59Z'))), ['w22 pull NotListed']));
  });

  describe('a tag', () => {
    const tagged = (name: string, nodes = [node('w19', { kernelVersion: '10.0.17763.8000' }), node('w22'), node('w25', { kernelVersion: '10.0.26100.1', runtime: 'containerd://2.3.5' })], more: Partial<ImageToPrepull> = {}): readonly PlanItem[] => plan([image(name, TAG_PLATFORMS.platformsOf(name), more)], nodes);

    it('refuses nothing by itself: the pull will show', () => {
      for (const name of ['ghcr.io/x/csi-proxy:v1-ltsc2019', 'harbor.example/mcr/windows/servercore:ltsc2019', 'mcr.microsoft.com/dotnet/framework/aspnet:4.8-windowsservercore-ltsc2019']) {
        const items = tagged(name);
        assert.deepEqual(short(items), ['w19 pull NotListed', 'w22 unknown TagOfOtherBuild', 'w25 unknown TagOfOtherBuild'], name);
        assert.match(items[1]?.message ?? '', /^by its tag alone \(ltsc2019 in the tag names build 10\.0\.17763\) .*10\.0\.17763 does not start on build 20348: whether it is one, the pull will show$/);
        assert.deepEqual(items.map(({ confidence, evidence }) => [confidence, evidence[0]]), Array.from({ length: 3 }, () => ['tag', TAG_PLATFORMS.platformsOf(name).because]));
      }
    });

    it('is no more than a question where it is only guessed at', () => {
      assert.deepEqual(short(tagged('r.example/app:1.0-1809')), ['w19 unknown PlatformsUnknown', 'w22 unknown TagOfOtherBuild', 'w25 unknown TagOfOtherBuild']);
    });

    it('proves the build of base images in their own repositories', () => {
      assert.deepEqual(short(tagged('mcr.microsoft.com/windows/servercore:ltsc2019')), ['w19 pull NotListed', 'w22 refuse NoMatchForPlatform', 'w25 refuse NoMatchForPlatform']);
      const [single] = tagged('mcr.microsoft.com/windows/nanoserver:1809-amd64', [node('w22')]);
      assert.deepEqual([single?.action, single?.reason], ['refuse', 'OsMismatch']);
      assert.match(single?.message ?? '', /it would say: The container operating system does not match/);
    });

    it('matters nothing to HostProcess containers of a single image', () => {
      assert.deepEqual(short(tagged('ghcr.io/x/csi-proxy:v1-ltsc2019', [node('w22')], { isolation: 'host-process' })).map((text) => text.replace(/ \S+$/, '')), ['w22 unknown']);
    });

    it('is not held against what the node has', () => {
      assert.deepEqual(short(tagged('ghcr.io/x/csi-proxy:v1-ltsc2019', [node('w22', { images: [{ names: ['ghcr.io/x/csi-proxy:v1-ltsc2019'], sizeBytes: 5 }] })])), ['w22 skip Present']);
    });
  });

  it('says what the prediction rests on', () => {
    const seen: ImagePlatforms = { ...NOTHING, shape: 'unknown', confidence: 'observed', isPartial: true, seenOn: [20348], because: 'containers of it were seen running on build 10.0.20348', notes: ['the registry was not asked'] };
    const [first, second, third] = plan([image('r/a:1'), image('r/b:1', seen), image('r/c:1', NOTHING, { isolation: 'host-process' })], [node('w22')]);
    assert.deepEqual([first, second, third].map((item) => [item?.confidence, item?.evidence, item?.registryDigest, item?.isolation]), [
      ['registry', ['the registry says so'], INDEX, 'process'], ['observed', [seen.because, 'the registry was not asked'], null, 'process'], ['unknown', [NOTHING.because], null, 'host-process'],
    ]);
  });

  it('has the largest image first, and nodes in their order', () => {
    const sized = (size: number | null): ImagePlatforms => platforms([['10.0.20348.5000', digest('b'), size]]);
    const items = plan([image('r/small:1', sized(1)), image('r/unknown:1', sized(null)), image('r/large:1', sized(9))], [node('b'), node('a')]);
    assert.deepEqual(items.map((item) => `${item.image} ${item.node}`), ['r/large:1 b', 'r/large:1 a', 'r/small:1 b', 'r/small:1 a', 'r/unknown:1 b', 'r/unknown:1 a']);
  });

  describe('layers', () => {
    const layered = (own: string, size: number, base: string): ImagePlatforms => {
      const one = platforms([['10.0.20348.5000', digest('b'), size * GIB]]);
      return { ...one, platforms: one.platforms.map((platform) => ({ ...platform, layers: [{ digest: base, sizeBytes: 2 * GIB }, { digest: own, sizeBytes: (size - 2) * GIB }] })) };
    };

    it('that others have come first among images of one size', () => {
      const images = [image('r/lonely:1', layered('lonely', 3, 'other')), image('r/web:1', layered('web', 3, 'base')), image('r/api:1', layered('api', 3, 'base')), image('r/large:1', layered('large', 4, 'another'))];
      assert.deepEqual(plan(images, [node('w22')]).map((item) => item.image), ['r/large:1', 'r/web:1', 'r/api:1', 'r/lonely:1']);
    });

    it('need room once on a node', () => {
      // 3 GiB and 1 GiB more, three times as much unpacked
      const tight = node('w22', { space: { availableBytes: 27 * GIB, capacityBytes: 100 * GIB } });
      assert.deepEqual(short(plan([image('r/web:1', layered('web', 3, 'base')), image('r/api:1', layered('api', 3, 'base'))], [tight], { minFree: 0.15 })), ['w22 pull NotListed', 'w22 pull NotListed']);
      assert.deepEqual(short(plan([image('r/web:1', layered('web', 3, 'base')), image('r/api:1', layered('api', 3, 'other'))], [tight], { minFree: 0.15 })), ['w22 pull NotListed', 'w22 refuse NotEnoughSpace']);
    });

    it('need none where they are there', () => {
      const holding = node('w22', { space: { availableBytes: 18.5 * GIB, capacityBytes: 100 * GIB }, images: [{ names: ['r/web:1', `r/web@${INDEX}`], sizeBytes: 5 }] });
      const [, api] = plan([image('r/web:1', layered('web', 3, 'base')), image('r/api:1', layered('api', 3, 'base'))], [holding], { minFree: 0.15 });
      assert.deepEqual([api?.image, api?.action], ['r/api:1', 'pull']);
    });
  });

  it('keeps the floor of free space over all images of a node, and only over those that are for it', () => {
    const nodes = [node('roomy', { space: { availableBytes: 100 * GIB, capacityBytes: 100 * GIB } }), node('tight', { space: { availableBytes: 25 * GIB, capacityBytes: 100 * GIB } }), node('under', { space: { availableBytes: 10 * GIB, capacityBytes: 100 * GIB } }), node('unknown')];
    const items = plan([image('r/x:1'), image('r/y:1')], nodes, { minFree: 0.15 });
    assert.deepEqual(short(items), [
      'roomy pull NotListed', 'tight pull NotListed', 'under refuse NotEnoughSpace', 'unknown pull NotListed', 'roomy pull NotListed', 'tight refuse NotEnoughSpace', 'under refuse NotEnoughSpace', 'unknown pull NotListed',
    ]);
    assert.match(items.find(({ node: name }) => name === 'under')?.message ?? '', /at or below the floor of 15%/);
    assert.match(items.findLast(({ node: name }) => name === 'tight')?.message ?? '', /about 6\.0 GiB unpacked, and the node has 4\.0 GiB above the floor of 15%/);
    const elsewhere = plan([image('r/x:1', ALL, { nodes: new Set(['roomy']) }), image('r/y:1')], nodes, { minFree: 0.15 });
    assert.deepEqual(short(elsewhere.filter(({ node: name }) => name === 'tight')), ['tight pull NotListed']);
    assert.equal(elsewhere.filter((item) => item.image === 'r/x:1').length, 1);
  });

  it('R154: a full disk refuses whatever DiskPressure says, and DiskPressure whatever its disk says', () => {
    const [full, empty] = [{ availableBytes: 0, capacityBytes: 128 * GIB }, { availableBytes: 128 * GIB, capacityBytes: 128 * GIB }];
    const nodes = [node('full-and-silent', { space: full }), node('pressed', { space: empty, diskPressure: 'True' }), node('pressed-unknown', { diskPressure: 'True' }), node('unknown', { diskPressure: 'Unknown' }), node('fine', { space: empty })];
    assert.deepEqual(short(plan([image(ONE)], nodes, { minFree: 0.15 })), [
      'full-and-silent refuse NotEnoughSpace', 'pressed refuse DiskPressure', 'pressed-unknown refuse DiskPressure', 'unknown pull NotListed', 'fine pull NotListed',
    ]);
    const listed = { images: [{ names: [ONE, `r.example/x@${INDEX}`], sizeBytes: 5 }], diskPressure: 'True' };
    // what is there is there; a pod that would hold it is not taken
    for (const isHeld of [false, true]) assert.deepEqual(short(plan([image(ONE)], [node('pressed-with', listed)], { isHeld })), ['pressed-with skip Present']);
  });

  it('of nothing is nothing', () => {
    assert.deepEqual(plan([], [node('w22')]), []);
    assert.deepEqual(plan([image(ONE)], []), []);
  });
});
