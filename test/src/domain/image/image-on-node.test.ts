import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeNode } from '../../../../src/domain/node/describe-node.ts';
import { arrayAt, isRecord, stringAt } from '../../../../src/domain/kubernetes/object.ts';
import { parseContainerdVersion } from '../../../../src/domain/windows/containerd.ts';
import { buildRunsImage, hostOfNode, imageOnNode, type ImageHost } from '../../../../src/domain/image/image-on-node.ts';
import type { ImagePlatform, ImagePlatforms } from '../../../../src/domain/image/image-platforms.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import { casesOrSkip, describeCases, readExpectations } from '../../../support/cases.ts';

function platform(os: string, osVersion: string | null, architecture = 'amd64'): ImagePlatform {
  return { os, architecture, osVersion, digest: null, sizeBytes: null };
}

function image(shape: ImagePlatforms['shape'], ...platforms: readonly ImagePlatform[]): ImagePlatforms {
  return { shape, confidence: 'registry', platforms, os: null, because: 'the registry says so' };
}

function host(build: number | null, containerd: string | null, revision: number | null = null): ImageHost {
  return { build, revision, containerd: containerd === null ? null : parseContainerdVersion(containerd) };
}

interface Case {
  readonly ref?: string;
  readonly host: string;
  readonly containerd: string;
  readonly isolation: 'process' | 'hostprocess';
  readonly pull: 'ok' | 'no-match' | 'unknown';
  readonly entry: string | null;
  readonly start: 'ok' | 'mismatch' | 'unknown';
  readonly note: string;
}

/** Reads a document of cases/images as a registry adapter would: null for what is no answer of a registry. */
function platformsOf(document: unknown, ref: string | undefined): ImagePlatforms | null {
  if (Array.isArray(document)) {
    const [inspected] = document as readonly unknown[];
    const os = stringAt(inspected, 'Os');
    return os === undefined ? null : image('unknown', platform(os, stringAt(inspected, 'OsVersion') ?? null));
  }
  if (arrayAt(document, 'manifests').length > 0) {
    return image('index', ...arrayAt(document, 'manifests').map((entry) => platform(stringAt(entry, 'platform', 'os') ?? '', stringAt(entry, 'platform', 'os.version') ?? null, stringAt(entry, 'platform', 'architecture') ?? '')));
  }
  if (stringAt(document, 'os') !== undefined) return { ...image('manifest', platform(stringAt(document, 'os') ?? '', stringAt(document, 'os.version') ?? null)), isHostProcessBase: true };
  const tag = ref?.slice(ref.lastIndexOf(':') + 1);
  for (const published of arrayAt(document, 'images')) {
    const all = arrayAt(published, 'platforms');
    const toPlatform = (one: unknown): ImagePlatform => {
      const isWindows = stringAt(one, 'osType') === 'Windows';
      const build = TAG_PLATFORMS.platformsOf(`x:${stringAt(one, 'osVersion') ?? ''}`).platforms[0]?.osVersion ?? null;
      return platform(isWindows ? 'windows' : 'linux', isWindows ? build : null, stringAt(one, 'architecture') ?? '');
    };
    if (arrayAt(published, 'manifest', 'sharedTags').includes(tag)) return image('index', ...all.map(toPlatform));
    const single = all.find((one) => arrayAt(one, 'simpleTags').includes(tag));
    if (single !== undefined) return image('unknown', toPlatform(single));
  }
  // A tag that the record of all Windows images does not have.
  if (arrayAt(document, 'images').length > 0) return image('index', platform('linux', null));
  return null;
}

describe('an image on a Windows node', () => {
  const both = image('index', platform('linux', null), platform('windows', '10.0.20348.5499'), platform('windows', '10.0.26100.4061'), platform('unknown', null, 'unknown'));
  for (const [title, platforms, node, isolation, outcome, entry] of [
    ['an index takes the entry of the node\'s build', both, host(20348, '1.7.28'), 'process', 'runs', '10.0.20348.5499'],
    ['the first in the index runs down-level under containerd 2.0', both, host(26100, '2.0.4'), 'process', 'runs-down-level', '10.0.20348.5499'],
    ['an index without the build is refused at pull', both, host(17763, '1.7.28'), 'process', 'fails-at-pull', null],
    ['HostProcess is no exemption at pull', both, host(17763, '1.7.28'), 'host-process', 'fails-at-pull', null],
    ['a single manifest is pulled unseen and does not start', image('manifest', platform('windows', '10.0.17763.1')), host(20348, '1.7.28'), 'process', 'fails-at-start', '10.0.17763.1'],
    ['a HostProcess container starts a manifest of another build', image('manifest', platform('windows', '10.0.17763.1')), host(20348, '1.7.28'), 'host-process', 'runs', '10.0.17763.1'],
    ['Server 2016 has no HostProcess containers', image('manifest', platform('windows', '10.0.14393.1')), host(14393, '1.7.28'), 'host-process', 'fails-at-start', '10.0.14393.1'],
    ['a manifest for another architecture is pulled and does not start', image('manifest', platform('windows', '10.0.20348.1', 'arm64')), host(20348, '1.7.28'), 'process', 'fails-at-start', '10.0.20348.1'],
    ['a Linux manifest does not get so far', image('manifest', platform('linux', null)), host(20348, '1.7.28'), 'process', 'fails-at-start', ''],
    ['an index of Linux alone is refused', image('index', platform('linux', null), platform('linux', null, 'arm64')), host(20348, '1.7.28'), 'process', 'fails-at-pull', null],
    ['an attestation is no platform', image('index', platform('unknown', null, 'unknown')), host(20348, '1.7.28'), 'process', 'fails-at-pull', null],
    ['an entry for another architecture is none', image('index', platform('windows', '10.0.20348.1', 'arm64')), host(20348, '1.7.28'), 'process', 'fails-at-pull', null],
    ['nothing is said of a node whose build is not known', both, host(null, '1.7.28'), 'process', 'unknown', null],
    ['an unknown runtime takes the build that every version takes', both, host(20348, null), 'process', 'runs', '10.0.20348.5499'],
    ['an unknown runtime may refuse down-level images', image('index', platform('windows', '10.0.20348.1')), host(26100, null), 'process', 'unknown', '10.0.20348.1'],
    ['an entry without os.version is pulled, and whether it starts is not known', image('index', platform('windows', null)), host(20348, '1.7.28'), 'process', 'unknown', ''],
    ['an entry without os.version runs in a HostProcess container', image('index', platform('windows', null)), host(20348, '1.7.28'), 'host-process', 'runs', ''],
  ] as const) {
    it(title, () => {
      const answer = imageOnNode(platforms, node, isolation);
      assert.equal(answer.outcome, outcome, answer.because);
      assert.equal(answer.entry, entry);
      assert.notEqual(answer.because, '');
    });
  }

  it('tells why it fails, as far as that is known', () => {
    const old = platform('windows', '10.0.17763.1');
    assert.deepEqual(imageOnNode(image('index', old), host(20348, '2.0.4'), 'process').failures, ['no-match']);
    assert.deepEqual(imageOnNode(image('manifest', old), host(20348, '2.0.4'), 'process').failures, ['other-build']);
    assert.deepEqual(imageOnNode({ ...image('unknown', old), confidence: 'tag' }, host(20348, '2.0.4'), 'process').failures, ['no-match', 'other-build']);
    const linux = imageOnNode(image('manifest', platform('linux', null)), host(20348, '2.0.4'), 'process');
    assert.deepEqual([linux.failures, linux.pull], [['other'], 'unknown']);
    assert.deepEqual(imageOnNode({ ...image('manifest', platform('windows', null)), isHostProcessBase: true }, host(20348, '2.0.4'), 'process').failures, ['other']);
    assert.deepEqual(imageOnNode(image('manifest', platform('windows', '10.0.14393.1')), host(14393, '1.7.28'), 'host-process').failures, ['other']);
    assert.deepEqual(imageOnNode(both, host(20348, '2.0.4'), 'process').failures, []);
  });

  it('says that the node may take either of several, where its containerd has two ways', () => {
    const answer = imageOnNode(image('index', platform('windows', '10.0.20348.5'), platform('windows', '10.0.26100.5')), host(26100, '2.1.6'), 'process');
    assert.deepEqual([answer.outcome, answer.entry, answer.entries], ['runs', '10.0.26100.5', ['10.0.26100.5', '10.0.20348.5']]);
    assert.equal(answer.because, "the node's containerd may take any of 10.0.26100.5, 10.0.20348.5");
  });

  it('blames the runtime where the kernel could run what containerd does not take', () => {
    const ltsc2022 = image('index', platform('windows', '10.0.20348.1'));
    assert.equal(imageOnNode(ltsc2022, host(26100, '1.7.5'), 'process').blame, 'runtime');
    assert.equal(imageOnNode(ltsc2022, host(26200, '2.2.0'), 'process').blame, 'runtime');
    assert.equal(imageOnNode(ltsc2022, host(26200, '2.4.0'), 'process').outcome, 'unknown', 'a client newer than every server');
    assert.equal(imageOnNode(ltsc2022, host(17763, '1.7.28'), 'process').blame, 'image');
  });

  it('sees a revision that is newer than the node\'s, within one build only', () => {
    const newer = image('manifest', platform('windows', '10.0.26100.3194'));
    assert.equal(imageOnNode(newer, host(26100, '2.0.4', 2894), 'process').isNewerRevision, true);
    assert.equal(imageOnNode(newer, host(26100, '2.0.4', 3194), 'process').isNewerRevision, false);
    assert.equal(imageOnNode(newer, host(26100, '2.0.4'), 'process').isNewerRevision, false);
    assert.equal(imageOnNode(image('manifest', platform('windows', '10.0.20348.9999')), host(26100, '2.0.4', 1), 'process').isNewerRevision, false);
  });

  it('knows no order of entries where only a tag was read', () => {
    const tagged: ImagePlatforms = { ...both, confidence: 'tag' };
    const answer = imageOnNode(tagged, host(26100, '2.0.4'), 'process');
    assert.equal(answer.outcome, 'runs');
    assert.equal(answer.entry, null);
    assert.deepEqual(answer.entries, ['10.0.20348.5499', '10.0.26100.4061']);
  });

  it('reads build, revision and runtime of a node', () => {
    const node = describeNode({ kind: 'Node', metadata: { name: 'a' }, status: { nodeInfo: { operatingSystem: 'windows', kernelVersion: '10.0.20348.5386', containerRuntimeVersion: 'containerd://2.0.4+azure', architecture: 'amd64' } } }, { asOf: new Date('2026-11-30'), serverVersion: null });
    assert.deepEqual(hostOfNode(node), { build: 20348, revision: 5386, architecture: 'amd64', containerd: { major: 2, minor: 0, patch: 4, preRelease: null } });
    const docker = describeNode({ kind: 'Node', metadata: { name: 'a' }, status: { nodeInfo: { operatingSystem: 'windows', containerRuntimeVersion: 'docker://20.10.9' } } }, { asOf: new Date('2026-11-30'), serverVersion: null });
    assert.equal(hostOfNode(docker).containerd, null);
  });

  it('takes the entry that containerd\'s own code put first', function () {
    const oracle = JSON.parse(readFileSync(join(casesOrSkip(this), 'oracles', 'containerd-matcher.json'), 'utf8')) as { readonly results: Readonly<Record<string, { readonly indexes: readonly (readonly string[])[]; readonly hosts: readonly { readonly host: string; readonly chosenByOnly: readonly string[] }[] }>> };
    let asked = 0;
    for (const [name, release] of [['containerd-1.7.5', '1.7.5'], ['containerd-1.7.27', '1.7.27'], ['platforms-1.0.0-rc.1', '2.0.4']] as const) {
      const results = oracle.results[name] ?? assert.fail(name);
      for (const { host: hostVersion, chosenByOnly } of results.hosts) {
        const [, , build, revision] = hostVersion.split('.').map(Number);
        for (const [position, entries] of results.indexes.entries()) {
          const answer = imageOnNode(image('index', platform('linux', null), ...entries.map((entry) => platform('windows', entry === '' ? null : entry))), host(build ?? 0, release, revision ?? 0), 'host-process');
          assert.equal(answer.entry ?? '(none)', chosenByOnly[position], `${release} on ${hostVersion}: ${entries.join(' ')}`);
          assert.equal(answer.pull, chosenByOnly[position] === '(none)' ? 'no-match' : 'ok');
          asked++;
        }
      }
    }
    assert.equal(asked, 3 * 9 * 14);
  });

  it('answers for a build without a node', () => {
    for (const [name, build, runs] of [['x:ltsc2022', 26100, true], ['x:ltsc2022', 17763, false], ['x:ltsc2025', 20348, false], ['x:1.2', 20348, null], ['busybox', 20348, false], ['x:ltsc2016', 14393, null]] as const) assert.equal(buildRunsImage(TAG_PLATFORMS.platformsOf(name), build), runs, `${name} on ${build}`);
  });

  describeCases('as the cases expect', (folder) => {
    const files = readExpectations(folder, 'images.json') as readonly { readonly file: string; readonly cases: readonly Case[] }[];
    for (const { file, cases } of files) {
      it(file, () => {
        const document = JSON.parse(readFileSync(join(folder, 'images', file), 'utf8')) as unknown;
        for (const one of cases) {
          const [build = '', revision] = one.host.split('.');
          // The lists of preloaded images and of tags tell the name alone.
          const isByName = isRecord(document) ? 'imageBom' in document : file === 'tag-to-build-observed.json';
          if (isByName && one.entry === null && one.pull === 'ok') continue; // on the node already: no question of matching
          const platforms = isByName ? TAG_PLATFORMS.platformsOf(one.ref ?? '') : platformsOf(document, one.ref) ?? TAG_PLATFORMS.platformsOf('x@sha256:unread');
          const shown = file.startsWith('test-crane') ? { ...TAG_PLATFORMS.platformsOf('lippertmarkus/test-crane:1.0-1909'), shape: 'manifest' as const } : platforms;
          const isUnreadManifest = /manifest-partial/.test(file);
          const answer = imageOnNode(isUnreadManifest ? { ...shown, shape: 'manifest', platforms: [platform('windows', null)] } : shown, host(Number(build), one.containerd, revision === undefined ? null : Number(revision)), one.isolation === 'process' ? 'process' : 'host-process');
          const title = `${file}: ${one.ref ?? ''} on ${one.host} with ${one.containerd}, ${one.isolation}: ${JSON.stringify(answer)}`;
          // A name of Microsoft's base images says more than the expectation's reader of names knew: an index fails at pull.
          if (isByName && one.start === 'mismatch') assert.match(answer.outcome, /^fails-at-/, title);
          else {
            assert.equal(answer.pull, one.pull, title);
            assert.equal(answer.start, one.start, title);
            if (one.entry !== null) assert.equal((answer.entry ?? '').split('.').slice(0, isByName ? 3 : 4).join('.'), one.entry.split('.').slice(0, isByName ? 3 : 4).join('.'), title);
          }
        }
      });
    }
  });
});
