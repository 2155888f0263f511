import assert from 'node:assert/strict';
import type { ImageItem, ImageReport, ImageVerdict } from '../../../../src/app/images/image-report.ts';
import { render } from '../../../../src/output/print.ts';
import { IMAGE_WITH_ALL_FIELDS, imageDocument, imageReportDocument } from '../../../../src/output/views/image-document.ts';
import { evidenceText, failsWhereUsedOrder, failsWhereUsedText, failuresText, hasSeveralNamespaces, imageGate, imagesFooter, imageSummary, isProblem, mayTakeText, releaseText, runsOnText, sizeText, usersText, windowsText } from '../../../../src/output/views/image-texts.ts';
import { imagesView } from '../../../../src/output/views/images.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';

const ITEM: ImageItem = {
  image: 'a:1', role: 'container', isForWindows: true, evidence: 'registry', isGuess: false, shape: 'index', digest: null, platforms: [], isMissing: false, isPartial: false, isHostProcessBase: false, os: null, because: 'so', notes: [],
  registryFailure: null, sizeBytes: null, sizeFrom: null, releases: [], runsOn: [], landsOn: [], failsWhereUsed: [], unknownWhereUsed: [], unknownOn: [], judgement: 'runs-everywhere', verdicts: [], workloads: [],
};
const OPTIONS = { asOf: new Date('2026-11-30T00:00:00Z'), generatedAt: new Date('2026-11-30T12:00:00Z'), toolVersion: '0.1.0' };

const windows = (...versions: readonly (string | null)[]): ImageItem['platforms'] => versions.map((osVersion) => ({ os: 'windows', architecture: 'amd64', osVersion, build: osVersion === null ? null : Number(osVersion.split('.')[2]), digest: null, sizeBytes: null }));
const LINUX: ImageItem['platforms'] = [{ os: 'linux', architecture: 'arm64', osVersion: null, build: null, digest: null, sizeBytes: null }];
const verdict = (outcome: ImageVerdict['verdict'], nodes: readonly string[], builds: readonly number[], isolation: ImageVerdict['isolation'] = 'process'): ImageVerdict => ({ verdict: outcome, isPhaseKnown: true, isolation, nodes, builds, entries: [], because: 'so', errorTexts: [] });
const user = (kind: string | null, name: string) => ({ object: { apiVersion: 'v1', kind, namespace: 'x', name }, containers: ['c'] });
const item = (parts: Partial<ImageItem>): ImageItem => ({ ...ITEM, ...parts });
const reportOf = (items: readonly ImageItem[], parts: Partial<ImageReport> = {}): ImageReport => ({ source: { source: 'cluster', context: 'c', location: '' }, serverVersion: null, items, windowsNodes: 3, nodeBuilds: new Map(), releases: ['ltsc2022'], hidden: 0, unreadable: [], notes: [], ...parts });

describe('cells of images', () => {
  for (const [what, parts, expected] of [
    ['releases in the order of the index, each once', { platforms: [...LINUX, ...windows('10.0.20348.9', '10.0.17763.1', '10.0.20348.1')] }, 'ltsc2022,ltsc2019'],
    ['a build that is no release', { platforms: windows('10.0.26200') }, '10.0.26200'],
    ['an entry for every host', { platforms: windows(null) }, 'no-os.version'],
    ['a manifest that does not say', { shape: 'manifest', platforms: windows(null) }, '<unknown>'],
    ['the HostProcess base image', { isHostProcessBase: true, platforms: windows(null) }, 'host-process'],
    ['no Windows', { platforms: LINUX }, ''],
    ['no Windows so far', { platforms: LINUX, isPartial: true }, '<unknown>'],
    ['a name for Linux', { os: 'linux', shape: 'none' }, ''],
    ['nothing', { shape: 'none' }, '<unknown>'],
    ['a guess', { isGuess: true, platforms: windows('10.0.18363') }, '1909(guess)'],
  ] as const) it(`WINDOWS of ${what}`, () => assert.equal(windowsText(item(parts)), expected));

  for (const [what, parts, expected] of [
    ['some nodes', { runsOn: ['a'], verdicts: [verdict('runs', ['a'], []), verdict('fails-at-pull', ['b', 'c'], [])] }, '1/3 nodes'],
    ['nodes of which one is not known', { runsOn: ['a'], unknownOn: ['c'], verdicts: [verdict('runs', ['a'], []), verdict('fails-at-start', ['b'], []), verdict('unknown', ['c'], [])] }, '1/3 nodes(1-unknown)'],
    ['nodes that fail under two isolations', { runsOn: [], verdicts: [verdict('fails-at-start', ['a', 'b', 'c'], []), verdict('fails-at-pull', ['a'], [], 'host-process')] }, '0/3 nodes'],
    ['nothing that is known', { runsOn: null, unknownOn: ['a'], releases: ['ltsc2022'], verdicts: [verdict('unknown', ['a'], [])] }, '<unknown>'],
    ['the nodes that have a sandbox image', { role: 'sandbox', runsOn: ['a', 'b'], verdicts: [verdict('runs', ['a', 'b'], [])] }, '2/2 nodes'],
    ['releases', { runsOn: null, unknownOn: null, releases: ['ltsc2022', 'ltsc2025'] }, 'ltsc2022,ltsc2025'],
    ['releases, of which none is known', { runsOn: null, unknownOn: null, releases: null }, '<unknown>'],
    ['releases where there is no Windows node', { releases: ['ltsc2022'], verdicts: [verdict('runs', [], [20348])] }, 'ltsc2022'],
  ] as const) it(`RUNS-ON of ${what}`, () => assert.equal(runsOnText(item(parts)), expected));

  it('FAILS-ON by build', () => {
    assert.equal(failuresText(item({ verdicts: [verdict('fails-at-pull', ['b'], [26100], 'host-process'), verdict('fails-at-start', ['a'], [17763, 20348]), verdict('runs', ['c'], [25398])] }), new Map()), 'ltsc2019:fails-at-start,ltsc2022:fails-at-start,ltsc2025:fails-at-pull(host-process)');
    assert.equal(failuresText(item({ verdicts: [verdict('fails-at-pull', ['x'], [])] }), new Map()), 'fails-at-pull');
  });

  it('FAILS-ON counts nodes where not all of a release fail, and names no phase that is not known', () => {
    const builds = new Map([['a', 26100], ['b', 26100], ['c', 20348], ['d', 20348], ['e', 20348]]);
    const some = [verdict('fails-at-pull', ['a'], [26100]), { ...verdict('fails-at-start', ['c', 'd'], [20348]), isPhaseKnown: false }, verdict('runs', ['b', 'e'], [20348, 26100])];
    assert.equal(failuresText(item({ verdicts: some }), builds), 'ltsc2022(2/3):fails,ltsc2025(1/2):fails-at-pull');
    // one isolation's nodes are not the other's
    assert.equal(failuresText(item({ verdicts: [verdict('fails-at-pull', ['a', 'b'], [26100]), verdict('runs', ['a', 'b'], [26100], 'host-process')] }), builds), 'ltsc2025:fails-at-pull');
    assert.equal(failuresText(item({ verdicts: [verdict('fails-at-pull', [], [20348])] }), new Map()), 'ltsc2022:fails-at-pull');
  });

  for (const [what, parts, expected] of [
    ['some of the nodes that pods can land on', { landsOn: ['a', 'b', 'c', 'd', 'e'], failsWhereUsed: ['a', 'b', 'c'] }, '3/5'],
    ['some, and some that are not known', { landsOn: ['a', 'b', 'c'], failsWhereUsed: ['a'], unknownWhereUsed: ['b'] }, '1/3(1-unknown)'],
    ['none, and one that is not known', { landsOn: ['a', 'b'], unknownWhereUsed: ['b'] }, '0/2(1-unknown)'],
    ['none, though others fail', { landsOn: ['a'], judgement: 'fails-somewhere' }, ''],
    ['nodes of which none is known', { landsOn: ['a', 'b'], failsWhereUsed: null, unknownWhereUsed: ['a', 'b'], judgement: 'unknown' }, '<unknown>'],
    ['nodes that are not known', { landsOn: null, failsWhereUsed: null, unknownWhereUsed: null }, '<unknown>'],
    ['pods that can land nowhere, of an image that fails wherever', { landsOn: [], judgement: 'fails-everywhere' }, '0/0'],
    ['pods that can land nowhere', { landsOn: [], judgement: 'fails-somewhere' }, ''],
    ['pods that can land nowhere, of an image that is not known', { landsOn: [], judgement: 'unknown' }, '<unknown>'],
    ['a sandbox image', { role: 'sandbox', landsOn: null, failsWhereUsed: null, unknownWhereUsed: null }, '<unknown>'],
    ['what is not for Windows', { isForWindows: false, landsOn: ['a'], failsWhereUsed: ['a'] }, ''],
  ] as const) it(`FAILS-WHERE-USED of ${what}`, () => assert.equal(failsWhereUsedText(item(parts)), expected));

  it('the worst first: failing nodes where it is used, their share, what fails wherever, what is not known', () => {
    const sorted = [
      item({ image: '3/3', landsOn: ['a', 'b', 'c'], failsWhereUsed: ['a', 'b', 'c'] }), item({ image: '3/5', landsOn: ['a', 'b', 'c', 'd', 'e'], failsWhereUsed: ['a', 'b', 'c'] }), item({ image: '1/1', landsOn: ['a'], failsWhereUsed: ['a'] }),
      item({ image: 'everywhere', judgement: 'fails-everywhere' }), item({ image: 'releases', landsOn: null, judgement: 'fails-somewhere' }), item({ image: 'unknown', judgement: 'unknown' }), item({ image: 'fine' }), item({ image: 'other', isForWindows: false }),
    ];
    assert.deepEqual(sorted.toReversed().toSorted((a, b) => failsWhereUsedOrder(a) - failsWhereUsedOrder(b)).map(({ image }) => image), sorted.map(({ image }) => image));
  });

  for (const [sizeBytes, expected] of [[null, '<unknown>'], [5, '1Ki'], [421_888, '412Ki'], [1_048_576, '1.0Mi'], [87_870_669, '83.8Mi'], [2_000_000_000, '1.9Gi'], [1_073_741_000, '1.0Gi'], [2_899_102_925, '2.7Gi']] as const) it(`SIZE ${expected} of ${sizeBytes}`, () => assert.equal(sizeText({ sizeBytes }), expected));

  it('EVIDENCE of an image that is not there', () => {
    assert.deepEqual([item({}), item({ isMissing: true, evidence: 'unknown' }), item({ isMissing: true, evidence: 'observed' })].map(evidenceText), ['registry', 'not-found', 'observed(not-found)']);
  });

  it('USED-BY with the namespace, where there are several', () => {
    assert.equal(usersText(item({ workloads: [user('Deployment', 'web'), user('Pod', 'y')] }), true), 'x/deployment/web,+1');
    const other = { ...user('Deployment', 'web'), object: { apiVersion: 'v1', kind: 'Deployment', namespace: 'y', name: 'web' } };
    assert.deepEqual([[], [item({ workloads: null })], [item({ workloads: [user('Pod', 'a')] }), item({ workloads: [user('Pod', 'b')] })], [item({ workloads: [user('Pod', 'a'), other] })], [item({ workloads: [user('Pod', 'a')] }), item({ workloads: [other] })]].map(hasSeveralNamespaces), [false, false, false, true, true]);
  });

  it('MAY-TAKE by build, where several entries can be taken', () => {
    const entries = (build: number, ...texts: readonly string[]): ImageVerdict => ({ ...verdict('runs', ['a'], [build]), entries: texts });
    const several = item({ verdicts: [entries(26100, '10.0.26100.1', '10.0.20348.5'), entries(20348, '10.0.20348.5', ''), entries(17763, '10.0.17763.1'), verdict('unknown', ['b'], [25398])] });
    assert.equal(mayTakeText(several), 'ltsc2022:10.0.20348.5|no-os.version,ltsc2025:10.0.26100.1|10.0.20348.5');
    assert.equal(mayTakeText(item({ verdicts: [entries(20348, '10.0.20348.5')] })), '');
  });

  for (const [workloads, expected] of [[null, ''], [[], ''], [[user('Deployment', 'web')], 'deployment/web'], [[user(null, 'x'), user('Pod', 'y'), user('Pod', 'z')], 'object/x,+2']] as const) {
    it(`USED-BY ${expected || 'nobody'}`, () => assert.equal(usersText(item({ workloads })), expected));
  }

  it('USED-BY of a sandbox image', () => assert.equal(usersText(item({ role: 'sandbox', workloads: null })), 'sandbox'));

  it('names builds', () => assert.deepEqual([17763, 26100, 22631].map(releaseText), ['ltsc2019', 'ltsc2025', '10.0.22631']));
});

describe('imageSummary and imagesFooter', () => {
  const items = [
    item({}), item({ judgement: 'fails-somewhere', failsWhereUsed: ['a'], evidence: 'tag' }), item({ judgement: 'fails-everywhere', evidence: 'observed' }), item({ judgement: 'unknown', evidence: 'unknown', registryFailure: { reason: 'Timeout', message: 'late' } }),
    item({ isForWindows: false, judgement: 'fails-everywhere', failsWhereUsed: ['a'] }), item({ role: 'sandbox', judgement: 'fails-everywhere', failsWhereUsed: null }),
  ];
  it('count images for Windows', () => {
    assert.deepEqual(imageSummary(reportOf(items, { hidden: 2 })), {
      images: 6, byEvidence: { proven: 0, registry: 1, observed: 1, tag: 1, unknown: 1 }, withoutWindows: 0, missing: 0, judgedBy: 'nodes', runEverywhere: 1, failSomewhere: 1, failEverywhere: 1, unknown: 1, failWhereUsed: 1, unknownWhereUsed: 1, registryFailures: 1, sandboxImages: 1, others: 1, hidden: 2,
    });
    assert.equal(imagesFooter(reportOf(items, { hidden: 2 })), '4 images for Windows: 1 by registry, 1 by what runs, 1 by tag, 1 unknown; of 3 Windows nodes: 1 runs on all, 1 fails on some, 1 fails on all, 1 not known; 1 fails where their pods can land, 1 not known there; 1 sandbox image; 1 other image; 2 other images not shown (--all-os)');
  });

  it('do not count as images for Windows what holds none, and what is not there', () => {
    const report = reportOf([
      item({}), item({ platforms: LINUX, judgement: 'fails-everywhere' }), item({ os: 'linux', shape: 'none', evidence: 'tag', judgement: 'unknown' }), item({ isMissing: true, evidence: 'unknown', shape: 'none', os: 'linux', judgement: 'unknown' }), item({ isMissing: true, evidence: 'observed' }),
    ]);
    const { withoutWindows, missing, images, unknownWhereUsed } = imageSummary(report);
    assert.deepEqual([images, withoutWindows, missing, unknownWhereUsed], [5, 2, 1, 2]);
    assert.equal(imagesFooter(report), '2 images for Windows: 1 by registry, 1 by what runs; 2 without Windows; 1 not found; of 3 Windows nodes: 2 run on all, 1 fails on all, 2 not known; 2 not known where their pods can land');
  });

  it('name releases where there are no nodes', () => {
    const report = reportOf([item({ runsOn: null, failsWhereUsed: null })], { windowsNodes: null, releases: ['ltsc2022', 'ltsc2025'] });
    assert.deepEqual([imageSummary(report).judgedBy, imageSummary(report).failWhereUsed, imageSummary(report).unknownWhereUsed], ['releases', null, null]);
    assert.equal(imagesFooter(report), '1 image for Windows: 1 by registry; of ltsc2022, ltsc2025: 1 runs on all');
  });
});

describe('imageGate', () => {
  const failing = item({ image: 'f', judgement: 'fails-somewhere', landsOn: ['a', 'b'], failsWhereUsed: ['a', 'b'], workloads: [user('Deployment', 'web'), user('Pod', 'y')] });
  const elsewhere = item({ image: 'e', judgement: 'fails-somewhere' });
  const everywhere = item({ image: 'n', judgement: 'fails-everywhere', failsWhereUsed: null, workloads: [user('Pod', 'p')] });
  const unknown = item({ image: 'u', judgement: 'unknown' });
  const unknownInUse = item({ image: 'w', judgement: 'fails-somewhere', landsOn: ['a', 'b'], unknownWhereUsed: ['b'], workloads: [user('Pod', 'p')] });
  const unknownElsewhere = item({ image: 'x', judgement: 'unknown', landsOn: ['a'], unknownOn: ['b'] });
  const missing = item({ image: 'm', isMissing: true, evidence: 'unknown', judgement: 'unknown' });
  for (const [failOn, items, reasons] of [
    ['none', [failing, everywhere, unknown], []], ['fail', [elsewhere, unknown, unknownInUse], []],
    ['fail', [failing, everywhere], ['1 image fails where its pods can land: f (on a, deployment/web,+1)', '1 other image fails on all of 3 Windows nodes: n (pod/p)']],
    ['fail', [everywhere], ['1 image fails on all of 3 Windows nodes: n (pod/p)']],
    ['fail', [failing, failing, failing, failing, failing], ['5 images fail where their pods can land: f (on a, deployment/web,+1), f (on a, deployment/web,+1), f (on a, deployment/web,+1) and 2 more']],
    ['fail', [item({ image: 'f', judgement: 'fails-somewhere', landsOn: ['a'], failsWhereUsed: ['a'], workloads: null })], ['1 image fails on Windows nodes: f (on a)']], ['fail', [], []],
    ['fail', [item({ isForWindows: false, judgement: 'fails-everywhere' })], []], ['fail', [item({ image: 's', role: 'sandbox', judgement: 'fails-everywhere' })], []],
    ['unknown', [elsewhere, item({ image: 's', role: 'sandbox', judgement: 'unknown' })], []], ['unknown', [unknown, failing], ['1 image fails where its pods can land: f (on a, deployment/web,+1)', 'of 1 image it is not known where it runs: u']],
    ['unknown', [unknownInUse, unknownElsewhere], ['of 1 image it is not known whether it runs where its pods can land: w (on b, pod/p)']], ['unknown', [missing], ['of 1 image it is not known where it runs: m (not found)']],
    ['unknown', [elsewhere], []], ['unknown', [], ['no image was judged']],
  ] as const) it(`${failOn} of ${items.map(({ image }) => image).join() || 'nothing'}`, () => assert.deepEqual(imageGate(reportOf(items), failOn), { failed: reasons.length > 0, reasons }));

  it('counts as the summary does, and shows as problems what it finds', () => {
    const items = [failing, elsewhere, everywhere, unknown, unknownInUse, unknownElsewhere, missing, item({})];
    const { failWhereUsed, unknownWhereUsed } = imageSummary(reportOf(items));
    assert.deepEqual([failWhereUsed, unknownWhereUsed], [1, 3]);
    assert.deepEqual(imageGate(reportOf(items), 'unknown').reasons.map((reason) => /\d+/.exec(reason)?.[0]), ['1', '1', '3']);
    assert.deepEqual(items.filter(isProblem).map(({ image }) => image), ['f', 'n', 'u', 'w', 'm']);
    assert.deepEqual([item({ isForWindows: false, judgement: 'unknown' }), item({ role: 'sandbox', judgement: 'fails-somewhere' }), item({ role: 'sandbox' })].map(isProblem), [false, true, false]);
  });

  it('names releases where nodes are not known, and namespaces where it is told to', () => {
    const report = reportOf([{ ...everywhere, landsOn: null }], { windowsNodes: null, releases: ['ltsc2019', 'ltsc2022'] });
    assert.deepEqual(imageGate(report, 'fail', { withNamespaces: true }).reasons, ['1 image fails on all of ltsc2019, ltsc2022: n (x/pod/p)']);
  });
});

describe('imagesView', () => {
  it('makes a document that the schema describes, of all and of nothing', () => {
    const full = item({
      platforms: [...windows('10.0.20348.1', null), ...LINUX], digest: 'sha256:1', registryFailure: { reason: 'Timeout', message: 'late' }, os: 'windows', sizeBytes: 1, sizeFrom: 'nodes', workloads: [user('Pod', 'x')],
      verdicts: [{ ...verdict('fails-at-pull', ['a'], [1]), entries: [''], errorTexts: [{ reason: 'ErrImagePull', message: 'no' }] }], notes: ['x'],
    });
    const unreadable = [{ file: 'a', line: null, column: null, message: 'no', suggestions: ['x'] }] as unknown as ImageReport['unreadable'];
    assertMatchesSchema('ImageReport', imageReportDocument(reportOf([full, item({ releases: null, runsOn: null, failsWhereUsed: null, workloads: null, landsOn: null, unknownWhereUsed: null })], { unreadable, notes: ['n'] }), OPTIONS));
    assertMatchesSchema('ImageReport', imageReportDocument(reportOf([], { windowsNodes: null }), OPTIONS));
  });

  it('says what is missing from an empty list', () => {
    assert.equal(imagesView(reportOf([]), OPTIONS).emptyMessage, 'No images found');
    assert.equal(imagesView(reportOf([], { hidden: 1 }), OPTIONS).emptyMessage, 'No images of Windows workloads found (1 other image not shown; --all-os shows them)');
  });

  it('says in which namespace nothing was found, as kubectl does, and that there is no problem', () => {
    assert.equal(imagesView(reportOf([]), { ...OPTIONS, namespace: 'shop' }).emptyMessage, 'No images found in shop namespace.');
    assert.equal(imagesView(reportOf([], { hidden: 2 }), { ...OPTIONS, namespace: 'shop' }).emptyMessage, 'No images of Windows workloads found in shop namespace (2 other images not shown; --all-os shows them)');
    const fine = imagesView(reportOf([item({}), item({})]), { ...OPTIONS, onlyProblems: true });
    assert.deepEqual([fine.items, fine.emptyMessage], [[], 'No problems found: 2 images looked at']);
  });

  it('shows problems alone where these are wanted, in the document too, whose summary counts all', () => {
    const view = imagesView(reportOf([item({ image: 'fine' }), item({ image: 'bad', judgement: 'fails-everywhere' })]), { ...OPTIONS, onlyProblems: true });
    const { items, summary } = view.document() as { readonly items: readonly { readonly image: string }[]; readonly summary: { readonly images: number } };
    assert.deepEqual([view.items.map(({ image }) => image), items.map(({ image }) => image), summary.images], [['bad'], ['bad'], 2]);
  });

  it('shortens the digest in IMAGE where it is told to', () => {
    const one = item({ image: `r.example/signing@sha256:${'9f3c2b7a4d1e'.padEnd(64, '0')}` });
    const imageOf = (shortDigests: boolean): string | undefined => imagesView(reportOf([one]), { ...OPTIONS, shortDigests }).columns[0]?.value(one);
    assert.deepEqual([imageOf(true), imageOf(false)], ['r.example/signing@sha256:9f3c2b7a4d1e', one.image]);
  });

  it('knows all fields of an image before there is one', () => {
    assert.deepEqual(Object.keys(imageDocument(IMAGE_WITH_ALL_FIELDS)).toSorted(), Object.keys(ITEM).toSorted());
  });

  it('marks what fails where it is used, and mutes what is not for Windows', () => {
    const column = imagesView(reportOf([]), OPTIONS).columns.find(({ header }) => header === 'RUNS-ON');
    const tones = [item({}), item({ judgement: 'fails-somewhere' }), item({ failsWhereUsed: ['a'], judgement: 'fails-somewhere' }), item({ judgement: 'fails-everywhere' }), item({ judgement: 'unknown' }), item({ isForWindows: false, judgement: 'fails-everywhere' })].map((one) => column?.tone?.(one));
    assert.deepEqual(tones, ['plain', 'warning', 'bad', 'bad', 'warning', 'muted']);
  });

  it('shortens digests and shows other platforms with -o wide', async () => {
    const text = [...await render(imagesView(reportOf([item({ digest: `sha256:${'ab'.repeat(32)}`, platforms: LINUX, notes: ['x'] })]), OPTIONS), { name: 'wide' })].join('');
    assert.match(text, /linux\/arm64 +index +sha256:abababababab +<unknown> +so; x\n/);
  });
});
