import assert from 'node:assert/strict';
import type { ImageItem, ImageReport, ImageVerdict } from '../../../../src/app/images/image-report.ts';
import { render } from '../../../../src/output/print.ts';
import { imageReportDocument } from '../../../../src/output/views/image-document.ts';
import { failuresText, imageGate, imagesFooter, imageSummary, mayTakeText, releaseText, runsOnText, usersText, windowsText } from '../../../../src/output/views/image-texts.ts';
import { imagesView } from '../../../../src/output/views/images.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';

const ITEM: ImageItem = {
  image: 'a:1', role: 'container', isForWindows: true, evidence: 'registry', isGuess: false, shape: 'index', digest: null, platforms: [], isPartial: false, isHostProcessBase: false, os: null, because: 'so', notes: [],
  registryFailure: null, sizeBytes: null, sizeFrom: null, releases: [], runsOn: [], failsWhereUsed: [], unknownOn: [], judgement: 'runs-everywhere', verdicts: [], workloads: [],
};
const OPTIONS = { asOf: new Date('2026-11-30T00:00:00Z'), generatedAt: new Date('2026-11-30T12:00:00Z'), toolVersion: '0.1.0' };

const windows = (...versions: readonly (string | null)[]): ImageItem['platforms'] => versions.map((osVersion) => ({ os: 'windows', architecture: 'amd64', osVersion, build: osVersion === null ? null : Number(osVersion.split('.')[2]), digest: null, sizeBytes: null }));
const LINUX: ImageItem['platforms'] = [{ os: 'linux', architecture: 'arm64', osVersion: null, build: null, digest: null, sizeBytes: null }];
const verdict = (outcome: ImageVerdict['verdict'], nodes: readonly string[], builds: readonly number[], isolation: ImageVerdict['isolation'] = 'process'): ImageVerdict => ({ verdict: outcome, isolation, nodes, builds, entries: [], because: 'so', errorTexts: [] });
const user = (kind: string | null, name: string) => ({ object: { apiVersion: 'v1', kind, namespace: 'x', name }, containers: ['c'] });
const item = (parts: Partial<ImageItem>): ImageItem => ({ ...ITEM, ...parts });
const reportOf = (items: readonly ImageItem[], parts: Partial<ImageReport> = {}): ImageReport => ({ source: { source: 'cluster', context: 'c', location: '' }, serverVersion: null, items, windowsNodes: 3, releases: ['ltsc2022'], hidden: 0, unreadable: [], notes: [], ...parts });

describe('cells of images', () => {
  for (const [what, parts, expected] of [
    ['releases in the order of the index, each once', { platforms: [...LINUX, ...windows('10.0.20348.9', '10.0.17763.1', '10.0.20348.1')] }, 'ltsc2022,ltsc2019'],
    ['a build that is no release', { platforms: windows('10.0.26200') }, '10.0.26200'],
    ['an entry for every host', { platforms: windows(null) }, 'any'],
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
    assert.equal(failuresText(item({ verdicts: [verdict('fails-at-pull', ['b'], [26100], 'host-process'), verdict('fails-at-start', ['a'], [17763, 20348]), verdict('runs', ['c'], [25398])] })), 'ltsc2019:fails-at-start,ltsc2022:fails-at-start,ltsc2025:fails-at-pull(host-process)');
    assert.equal(failuresText(item({ verdicts: [verdict('fails-at-pull', ['x'], [])] })), 'fails-at-pull');
  });

  it('MAY-TAKE by build, where several entries can be taken', () => {
    const entries = (build: number, ...texts: readonly string[]): ImageVerdict => ({ ...verdict('runs', ['a'], [build]), entries: texts });
    const several = item({ verdicts: [entries(26100, '10.0.26100.1', '10.0.20348.5'), entries(20348, '10.0.20348.5', ''), entries(17763, '10.0.17763.1'), verdict('unknown', ['b'], [25398])] });
    assert.equal(mayTakeText(several), 'ltsc2022:10.0.20348.5|any,ltsc2025:10.0.26100.1|10.0.20348.5');
    assert.equal(mayTakeText(item({ verdicts: [entries(20348, '10.0.20348.5')] })), '');
  });

  for (const [workloads, expected] of [[null, '<unknown>'], [[], ''], [[user('Deployment', 'web')], 'deployment/web'], [[user(null, 'x'), user('Pod', 'y'), user('Pod', 'z')], 'object/x,+2']] as const) {
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
      images: 6, byEvidence: { proven: 0, registry: 1, observed: 1, tag: 1, unknown: 1 }, judgedBy: 'nodes', runEverywhere: 1, failSomewhere: 1, failEverywhere: 1, unknown: 1, failWhereUsed: 1, registryFailures: 1, sandboxImages: 1, others: 1, hidden: 2,
    });
    assert.equal(imagesFooter(reportOf(items, { hidden: 2 })), '4 images for Windows: 1 by registry, 1 by what runs, 1 by tag, 1 unknown; of 3 Windows nodes: 1 runs on all, 1 fails on some, 1 fails on all, 1 not known; 1 fails where their pods can land; 1 sandbox image; 1 other image; 2 other images not shown (--all-os)');
  });

  it('name releases where there are no nodes', () => {
    const report = reportOf([item({ runsOn: null, failsWhereUsed: null })], { windowsNodes: null, releases: ['ltsc2022', 'ltsc2025'] });
    assert.deepEqual([imageSummary(report).judgedBy, imageSummary(report).failWhereUsed], ['releases', null]);
    assert.equal(imagesFooter(report), '1 image for Windows: 1 by registry; of ltsc2022, ltsc2025: 1 runs on all');
  });
});

describe('imageGate', () => {
  const failing = item({ image: 'f', judgement: 'fails-somewhere', failsWhereUsed: ['a'] });
  const elsewhere = item({ image: 'e', judgement: 'fails-somewhere' });
  const everywhere = item({ image: 'n', judgement: 'fails-everywhere', failsWhereUsed: null });
  const unknown = item({ image: 'u', judgement: 'unknown' });
  for (const [failOn, items, reasons] of [
    ['none', [failing, everywhere, unknown], []], ['fail', [elsewhere, unknown], []], ['fail', [failing, everywhere], ['2 images fail on Windows nodes: f, n']], ['fail', [], []],
    ['fail', [item({ isForWindows: false, judgement: 'fails-everywhere' })], []], ['fail', [item({ image: 's', role: 'sandbox', judgement: 'fails-everywhere' })], []],
    ['unknown', [elsewhere, item({ image: 's', role: 'sandbox', judgement: 'unknown' })], []], ['unknown', [unknown, failing], ['1 image fails on Windows nodes: f', 'of 1 image it is not known where it runs: u']], ['unknown', [elsewhere], []], ['unknown', [], ['no image was judged']],
  ] as const) it(`${failOn} of ${items.map(({ image }) => image).join() || 'nothing'}`, () => assert.deepEqual(imageGate(items, failOn), { failed: reasons.length > 0, reasons }));
});

describe('imagesView', () => {
  it('makes a document that the schema describes, of all and of nothing', () => {
    const full = item({
      platforms: [...windows('10.0.20348.1', null), ...LINUX], digest: 'sha256:1', registryFailure: { reason: 'Timeout', message: 'late' }, os: 'windows', sizeBytes: 1, sizeFrom: 'nodes', workloads: [user('Pod', 'x')],
      verdicts: [{ ...verdict('fails-at-pull', ['a'], [1]), entries: [''], errorTexts: [{ reason: 'ErrImagePull', message: 'no' }] }], notes: ['x'],
    });
    const unreadable = [{ file: 'a', line: null, column: null, message: 'no', suggestions: ['x'] }] as unknown as ImageReport['unreadable'];
    assertMatchesSchema('ImageReport', imageReportDocument(reportOf([full, item({ releases: null, runsOn: null, failsWhereUsed: null, workloads: null })], { unreadable, notes: ['n'] }), OPTIONS));
    assertMatchesSchema('ImageReport', imageReportDocument(reportOf([], { windowsNodes: null }), OPTIONS));
  });

  it('says what is missing from an empty list', () => {
    assert.equal(imagesView(reportOf([]), OPTIONS).emptyMessage, 'No images found');
    assert.equal(imagesView(reportOf([], { hidden: 1 }), OPTIONS).emptyMessage, 'No images of Windows workloads found (1 other image not shown; --all-os shows them)');
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
