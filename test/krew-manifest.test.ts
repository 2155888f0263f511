/** The rules of krew's own validator: https://github.com/kubernetes-sigs/krew/blob/master/internal/index/validation/validate.go, read 2026-11-30 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageVersion, PROJECT_ROOT } from '../src/tooling/source-commands.ts';

interface Platform {
  readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  readonly uri: string;
  readonly sha256: string;
  readonly bin: string;
  readonly files?: readonly unknown[];
}

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly version: string; readonly homepage: string; readonly shortDescription: string; readonly description: string; readonly platforms: readonly Platform[];
  };
}

const SUPPORTED = ['windows/386', 'windows/amd64', 'windows/arm64', 'linux/386', 'linux/amd64', 'linux/arm', 'linux/arm64', 'linux/ppc64le', 'darwin/386', 'darwin/amd64', 'darwin/arm64'];

describe('krew-manifest.yaml', () => {
  let text: string;
  let manifest: Manifest;
  before(async () => {
    text = await readFile(join(PROJECT_ROOT, 'krew-manifest.yaml'), 'utf8');
    manifest = parse(text) as Manifest;
  });

  it('is a plugin of the API version that krew reads, with a name that it takes', () => {
    assert.equal(manifest.apiVersion, 'krew.googlecontainertools.github.com/v1alpha2');
    assert.equal(manifest.kind, 'Plugin');
    assert.match(manifest.metadata.name, /^[a-z0-9]+(-[a-z0-9]+)*$/);
  });

  it('has the version of package.json', async () => {
    assert.equal(manifest.spec.version, `v${await packageVersion()}`);
    assert.match(manifest.spec.version, /^v\d+\.\d+\.\d+$/);
  });

  it('describes itself as the index asks for', () => {
    const { homepage, shortDescription, description } = manifest.spec;
    assert.match(homepage, /^https:\/\//);
    assert.ok(shortDescription.length <= 50 && !shortDescription.endsWith('.') && !/kubectl plugin|kubernetes/i.test(shortDescription), shortDescription);
    assert.ok(description.trim().length > 0);
    for (const line of description.split('\n')) assert.ok(line.length <= 80, line);
  });

  it('has for each platform an archive, a checksum in form and a binary that krew can link', () => {
    assert.ok(manifest.spec.platforms.length > 0);
    for (const { selector, uri, sha256, bin, files } of manifest.spec.platforms) {
      assert.deepEqual(Object.keys(selector.matchLabels).sort(), ['arch', 'os']);
      const { os, arch } = selector.matchLabels;
      assert.ok(SUPPORTED.includes(`${os}/${arch}`), `${os}/${arch}`);
      assert.match(uri, new RegExp(`^https://github\\.com/kubectl-win/kubectl-win/releases/download/${manifest.spec.version.replaceAll('.', '\\.')}/.*_${os}_${arch}\\.(zip|tar\\.gz)$`));
      assert.match(sha256, /^[0-9a-f]{64}$/);
      assert.equal(bin, os === 'windows' ? 'kubectl-win.exe' : 'kubectl-win');
      assert.ok(files === undefined || files.length > 0);
    }
  });

  it('selects no platform twice', () => {
    const selected = manifest.spec.platforms.map(({ selector }) => `${selector.matchLabels['os']}/${selector.matchLabels['arch']}`);
    assert.deepEqual([...new Set(selected)], selected);
  });

  it('says that nothing is released as long as the checksums are zeros', () => {
    const isReleased = manifest.spec.platforms.every(({ sha256 }) => !/^0+$/.test(sha256));
    assert.equal(text.includes('Nothing is released yet'), !isReleased);
  });
});

describe('LICENSE', () => {
  it('is the Apache License 2.0 that package.json names', async () => {
    const licence = await readFile(join(PROJECT_ROOT, 'LICENSE'), 'utf8');
    assert.match(licence, /^\s+Apache License\n\s+Version 2\.0, January 2004\n\s+https?:\/\/www\.apache\.org\/licenses\/\n/);
    assert.match(licence, /END OF TERMS AND CONDITIONS/);
    const { license } = JSON.parse(await readFile(join(PROJECT_ROOT, 'package.json'), 'utf8')) as { license: string };
    assert.equal(license, 'Apache-2.0');
  });
});
