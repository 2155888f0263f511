import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import { isHostProcessBase, isPublishedPause, knownRepository, osInRepository } from '../../../../src/domain/image/known-repositories.ts';
import { readReference, type ImageReference } from '../../../../src/domain/image/reference.ts';
import { parseOsVersion } from '../../../../src/domain/windows/containerd.ts';
import { describeCases } from '../../../support/cases.ts';

const DIGEST = `sha256:${'0123456789abcdef'.repeat(4)}`;

function reference(image: string): ImageReference {
  const parsed = readReference(image);
  return parsed.kind === 'reference' ? parsed.reference : assert.fail(image);
}

describe('platforms by an image\'s name', () => {
  for (const [image, shape, versions, os] of [
    ['mcr.microsoft.com/windows/servercore:ltsc2022', 'index', ['10.0.20348'], 'windows'],
    ['mcr.microsoft.com/windows/servercore:ltsc2022-amd64', 'manifest', ['10.0.20348'], 'windows'],
    ['mcr.microsoft.com/windows/nanoserver:10.0.20348.2227', 'index', ['10.0.20348.2227'], 'windows'],
    ['mcr.microsoft.com/windows:1809', 'index', ['10.0.17763'], 'windows'],
    ['mcr.microsoft.com/windows/servercore', 'none', [], 'windows'],
    ['mcr.microsoft.com/powershell:lts-nanoserver-1809', 'index', ['10.0.17763'], 'windows'],
    ['mcr.microsoft.com/powershell:lts-debian-12', 'none', [], 'linux'],
    ['mcr.microsoft.com/dotnet/framework/samples:aspnetapp', 'none', [], 'windows'],
    ['mcr.microsoft.com/dotnet/framework/aspnet:4.8', 'none', [], 'windows'],
    ['mcr.microsoft.com/dotnet/framework/aspnet:4.8-windowsservercore-ltsc2019', 'unknown', ['10.0.17763'], 'windows'],
    ['mcr.microsoft.com/dotnet/aspnet:8.0', 'none', [], null],
    ['mcr.microsoft.com/dotnet/aspnet:8.0-nanoserver-1809', 'unknown', ['10.0.17763'], 'windows'],
    ['microsoft/windowsservercore:1709', 'unknown', ['10.0.16299'], 'windows'],
    ['microsoft/iis', 'none', [], 'windows'],
    ['registry.k8s.io/pause:3.10.2', 'index', [null, '10.0.17763', '10.0.20348', '10.0.26100'], null],
    ['mcr.microsoft.com/oss/kubernetes/pause:3.9-hotfix-20230808', 'none', [], null],
    ['registry.example/pause:3.9', 'none', [], null],
    ['mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', 'manifest', [null], 'windows'],
    ['mirror.example/oss/windows-host-process-containers-base-image:v1.0.0', 'manifest', [null], 'windows'],
    ['busybox:1.36', 'index', [null], 'linux'],
    ['docker.io/library/nginx:1.27-alpine', 'index', [null], 'linux'],
    ['registry.example/e2e/busybox:1.29', 'none', [], null],
    ['redis:windowsservercore', 'none', [], null],
    ['golang:1.25-windowsservercore-ltsc2022', 'unknown', ['10.0.20348'], 'windows'],
    ['golang:1.25', 'none', [], null],
    ['lippertmarkus/test-crane:1.0-1909', 'unknown', ['10.0.18363'], null],
    ['x/agent-windows:1809', 'unknown', ['10.0.17763'], 'windows'],
    ['fluent/fluent-bit:windows-2019-2.2.2', 'unknown', ['10.0.17763'], 'windows'],
    ['stefanscherer/whoami:windows-amd64-2.0.1', 'none', [], 'windows'],
    ['acnpublic.azurecr.io/cyclonus-windows:v0.4.6.8', 'none', [], 'windows'],
    ['ghcr.io/prometheus-community/windows-exporter:0.31.8', 'none', [], null],
    ['quay.io/openshift/windows-machine-config-operator:v1', 'none', [], null],
    [`mcr.microsoft.com/windows/servercore:ltsc2019@${DIGEST}`, 'none', [], 'windows'],
    [`app:ltsc2019@${DIGEST}`, 'none', [], null],
    ['${IMAGE}', 'none', [], null],
    ['Not A Reference', 'none', [], null],
  ] as const) {
    it(image.slice(0, 90), () => {
      const answer = TAG_PLATFORMS.platformsOf(image);
      assert.equal(answer.shape, shape, answer.because);
      assert.deepEqual(answer.platforms.map(({ osVersion }) => osVersion), versions);
      assert.equal(answer.os, os);
      assert.equal(answer.confidence === 'unknown' || answer.confidence === 'tag', true);
      assert.notEqual(answer.because, '');
    });
  }

  it('marks what it only guesses at', () => {
    assert.equal(TAG_PLATFORMS.platformsOf('x/curl:1803').isGuess, true);
    assert.equal(TAG_PLATFORMS.platformsOf('x/curl:ltsc2019').isGuess, undefined);
  });

  it('answers the same image with the same object', () => {
    assert.equal(TAG_PLATFORMS.platformsOf('a/b:ltsc2022'), TAG_PLATFORMS.platformsOf('a/b:ltsc2022'));
  });

  it('knows repositories by their full names, and Microsoft\'s base images on mirrors too', () => {
    assert.equal(knownRepository(reference('mcr.microsoft.com/windows/servercore'))?.isWindowsBase, true);
    for (const mirrored of ['mirror.example/windows/servercore', 'harbor.example/mcr-proxy/windows/nanoserver', 'shop.azurecr.io/mcr.microsoft.com/windows/server', '123456789012.dkr.ecr.eu-west-1.amazonaws.com/mcr/windows', 'mirror.example/dotnet/framework/aspnet']) {
      const known = knownRepository(reference(mirrored));
      assert.equal(known?.os, 'windows', mirrored);
      assert.equal(known?.isIndex, null, mirrored);
    }
    for (const other of ['mirror.example/windows', 'mirror.example/not-windows/servercore', 'mirror.example/windows/servercore/tool', 'mirror.example/apps/mcr-tools/windows-agent']) assert.equal(knownRepository(reference(other)), null, other);
    assert.deepEqual(TAG_PLATFORMS.platformsOf('harbor.example/mcr/windows/servercore:1809').platforms.map(({ osVersion }) => osVersion), ['10.0.17763']);
    assert.equal(knownRepository(reference('mirror.example/library/nginx')), null);
    assert.equal(isPublishedPause(reference('k8s.gcr.io/pause:3.5')), true);
    assert.equal(isPublishedPause(reference('mirror.example/pause:3.5')), false);
    assert.equal(isHostProcessBase(reference('x/not-windows-host-process-containers-base-image')), false);
    assert.deepEqual(['a/b-win', 'a/b-linux', 'a/win-b', 'a/darwin'].map((image) => osInRepository(reference(image))), ['windows', 'linux', null, null]);
  });

  describeCases('as it was observed', (folder) => {
    for (const { ref, build } of JSON.parse(readFileSync(join(folder, 'images', 'tag-to-build-observed.json'), 'utf8')) as readonly { readonly ref: string; readonly build: number | null }[]) {
      it(ref, () => {
        const [platform] = TAG_PLATFORMS.platformsOf(ref).platforms;
        assert.equal(parseOsVersion(platform?.osVersion ?? '')?.build ?? null, build);
      });
    }
  });
});
