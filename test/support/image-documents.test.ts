import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { arrayAt, stringAt } from '../../src/domain/kubernetes/object.ts';
import { casesOrSkip, describeCases } from './cases.ts';
import type { Content, DocumentImage } from './image-documents.ts';
import { imagesOfDocument, readImageDocument, windowsImage } from './image-documents.ts';

const parsed = ({ bytes }: Content): unknown => JSON.parse(bytes.toString('utf8'));

/** Digests of all that an image consists of, in the order in which it names them. */
function named(image: DocumentImage): readonly unknown[] {
  const manifests = image.shape === 'index' ? image.children : [image.root];
  return manifests.flatMap((manifest) => [stringAt(parsed(manifest), 'config', 'digest'), ...arrayAt(parsed(manifest), 'layers').filter((layer) => arrayAt(layer, 'urls').length === 0).map((layer) => stringAt(layer, 'digest'))]);
}

describe('image documents', () => {
  describeCases('of images/', (folder) => {
    for (const file of readdirSync(join(folder, 'images'))) {
      it(`${file} names nothing but what it brings`, () => {
        for (const image of imagesOfDocument(folder, file, null)) {
          const brought = new Set(image.blobs.map(({ digest }) => digest));
          for (const digest of named(image)) assert.ok(brought.has(String(digest)), `${image.repository}: ${String(digest)}`);
          for (const { bytes, digest } of [image.root, ...image.children, ...image.blobs]) assert.equal(digest, `sha256:${createHash('sha256').update(bytes).digest('hex')}`);
          if (image.shape === 'index') assert.deepEqual(arrayAt(parsed(image.root), 'manifests').map((entry) => stringAt(entry, 'digest')), image.children.map(({ digest }) => digest));
          assert.equal(new Set(image.children.map(({ digest }) => digest)).size, image.children.length, 'two children of one content');
        }
      });
    }
  });

  it('keep an index as it was recorded but for digests and sizes', function () {
    const folder = casesOrSkip(this);
    const document = readImageDocument(folder, 'hello-world-index-2025.json');
    const [image] = imagesOfDocument(folder, 'hello-world-index-2025.json', null);
    if (image === undefined) assert.fail();
    const index = parsed(image.root);
    const kept = (one: unknown): unknown => arrayAt(one, 'manifests').map((entry) => [stringAt(entry, 'mediaType'), stringAt(entry, 'platform', 'os'), stringAt(entry, 'platform', 'architecture'), stringAt(entry, 'platform', 'variant'), stringAt(entry, 'platform', 'os.version'), stringAt(entry, 'annotations', 'vnd.docker.reference.type')]);
    assert.deepEqual(kept(index), kept(document));
    assert.equal(stringAt(index, 'mediaType'), stringAt(document, 'mediaType'));
    // Attestations speak of the children that are there now.
    const digests = new Set(image.children.map(({ digest }) => digest));
    const about = arrayAt(index, 'manifests').map((entry) => stringAt(entry, 'annotations', 'vnd.docker.reference.digest')).filter((digest) => digest !== undefined);
    assert.ok(about.length > 5);
    for (const digest of about) assert.ok(digests.has(digest), digest);
  });

  it('are an index or a manifest as the record says, and both where it does not say', function () {
    const folder = casesOrSkip(this);
    const runtime = 'mcr.microsoft.com/dotnet/framework/runtime';
    for (const [file, ref, shapes, versions] of [
      ['dotnet-framework-runtime-2026-08.json', `${runtime}:4.8`, ['index'], ['10.0.14393', '10.0.17763']],
      ['dotnet-framework-runtime-2026-08.json', `${runtime}:4.8-windowsservercore-ltsc2016`, ['index', 'manifest'], ['10.0.14393']],
      ['dotnet-aspnet-windows-2026-08.json', 'mcr.microsoft.com/dotnet/aspnet:8.0', ['index'], [null, null, null]],
      ['aks-vhd-2019-image-list.json', 'mcr.microsoft.com/windows/servercore:ltsc2019', ['index'], ['10.0.17763.8389']],
      ['aks-vhd-2019-image-list.json', 'mcr.microsoft.com/windows/servercore:ltsc2022', [], []],
      ['tag-to-build-observed.json', 'lippertmarkus/test-crane:1.0-1909', ['index', 'manifest'], ['10.0.18363']],
      ['tag-to-build-observed.json', 'quay.io/coreos/etcd:v3.5.18', [], []],
      ['servercore-2020-docker-inspect.json', null, ['index', 'manifest'], ['10.0.17763.1039']],
      ['hello-world-nanoserver-tarball-manifest.json', null, [], []],
      ['hostprocess-base-config-shape.json', null, ['manifest'], [null]],
    ] as const) {
      const images = imagesOfDocument(folder, file, ref);
      assert.deepEqual(images.map(({ shape }) => shape), shapes, `${file} ${ref ?? ''}`);
      for (const { platforms } of images) assert.deepEqual(platforms.map(({ osVersion }) => osVersion), versions, `${file} ${ref ?? ''}`);
    }
  });

  it('can be made up', () => {
    const index = windowsImage({ shape: 'index', repository: 'app', tag: '1', osVersion: null });
    assert.equal(stringAt(arrayAt(parsed(index.root), 'manifests')[0], 'platform', 'os'), 'windows');
    const config = windowsImage({ shape: 'manifest', repository: 'app', tag: '1', osVersion: '10.0.20348.1' }).blobs[0];
    assert.equal(stringAt(parsed(config ?? assert.fail()), 'os.version'), '10.0.20348.1');
  });
});
