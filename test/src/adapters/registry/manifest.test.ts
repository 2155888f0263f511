import assert from 'node:assert/strict';
import { parseConfig, parseManifest } from '../../../../src/adapters/registry/manifest.ts';
import { TYPES } from './loopback-registry.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const parse = (document: unknown, type: string | null = null) => parseManifest(Buffer.from(typeof document === 'string' ? document : JSON.stringify(document)), type);
const entry = (more: Readonly<Record<string, unknown>>): unknown => ({ mediaType: TYPES.ociManifest, digest: DIGEST, size: 7, ...more });
const WINDOWS = { os: 'windows', architecture: 'amd64', 'os.version': '10.0.20348.1' };

describe('parseManifest', () => {
  describe('problems', () => {
    const cases: readonly (readonly [document: unknown, type: string | null, problem: RegExp])[] = [
      ['<html>', 'text/html; charset=utf-8', /^sent no manifest but text\/html$/],
      ['{', TYPES.ociIndex, /^sent no manifest but something that is no JSON object$/],
      ['[]', null, /no JSON object/],
      [{}, null, /^sent JSON that is no manifest$/],
      [{ mediaType: TYPES.ociIndex }, null, /^sent an index without manifests$/],
      [{ schemaVersion: 1, fsLayers: [] }, null, /manifest schema 1 only/],
      [{ schemaVersion: 2, config: {} }, 'application/vnd.docker.distribution.manifest.v1+prettyjws', /manifest schema 1 only/],
      [{ manifests: [], config: {} }, null, /an index as well/],
      [{ manifests: [], mediaType: TYPES.ociManifest }, null, /an index as well/],
      [{ layers: [], mediaType: TYPES.dockerList }, null, /an index as well/],
    ];
    for (const [document, type, problem] of cases) {
      it(`says "${problem.source}" of ${JSON.stringify(document)}`, () => {
        const result = parse(document, type);
        assert.equal(result.kind, 'problem');
        if (result.kind === 'problem') assert.match(result.problem, problem);
      });
    }
  });

  describe('artifacts', () => {
    const cases: readonly (readonly [document: unknown, what: string])[] = [
      [{ config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', digest: DIGEST }, layers: [] }, 'a Helm chart'],
      [{ config: { mediaType: 'application/vnd.docker.plugin.v1+json' } }, 'a Docker plugin'],
      [{ config: { mediaType: 'application/vnd.oci.empty.v1+json' }, artifactType: 'application/x\u001b[1m-sbom' }, 'an artifact (application/x[1m-sbom)'],
      [{ config: {}, artifactType: 'application/x-sbom' }, 'an artifact (application/x-sbom)'],
    ];
    for (const [document, what] of cases) it(`names ${what}`, () => assert.deepEqual(parse(document), { kind: 'artifact', what }));
  });

  it('sums what is compressed, and knows no sum where a size is missing', () => {
    const sizeOf = (config: unknown, layers: readonly unknown[]): number | null => {
      const result = parse({ config, layers });
      return result.kind === 'manifest' ? result.sizeBytes : -1;
    };
    assert.equal(sizeOf({ size: 5 }, [{ size: 10 }, { size: 20 }]), 35);
    assert.equal(sizeOf({ size: 5 }, [{ size: 10 }, {}]), null);
    assert.equal(sizeOf({ size: -5 }, []), null);
    assert.equal(sizeOf({}, []), null);
  });

  describe('entries of an index', () => {
    const cases: readonly (readonly [what: string, entry: unknown, expected: unknown])[] = [
      ['an image', entry({ platform: WINDOWS }), { platform: { os: 'windows', architecture: 'amd64', osVersion: '10.0.20348.1' }, digest: DIGEST, isIndex: false }],
      ['an empty os.version as none', entry({ platform: { ...WINDOWS, 'os.version': '' } }), { platform: { os: 'windows', architecture: 'amd64', osVersion: null }, digest: DIGEST, isIndex: false }],
      ['names that mean the same', entry({ platform: { os: 'Linux', architecture: 'x86_64' } }), { platform: { os: 'linux', architecture: 'amd64', osVersion: null }, digest: DIGEST, isIndex: false }],
      ['names that are properties of every object', entry({ platform: { os: 'constructor', architecture: '__proto__' } }), { platform: { os: 'constructor', architecture: '__proto__', osVersion: null }, digest: DIGEST, isIndex: false }],
      ['names without what would move the cursor', entry({ platform: { os: 'win\u001bdows', architecture: 'amd64\n', 'os.version': `10.0\u202e.1${'0'.repeat(99)}` } }), { platform: { os: 'windows', architecture: 'amd64', osVersion: `10.0?.1${'0'.repeat(57)}` }, digest: DIGEST, isIndex: false }],
      ['a version that containerd cannot read as it is', entry({ platform: { ...WINDOWS, 'os.version': ' 10.0.20348.1' } }), { platform: { os: 'windows', architecture: 'amd64', osVersion: '?10.0.20348.1' }, digest: DIGEST, isIndex: false }],
      ['one without a platform', entry({}), { platform: null, digest: DIGEST, isIndex: false }],
      ['one whose platform names no OS', entry({ platform: {} }), { platform: null, digest: DIGEST, isIndex: false }],
      ['a nested index', entry({ mediaType: TYPES.ociIndex }), { platform: null, digest: DIGEST, isIndex: true }],
      ['one without type and size', { digest: DIGEST, platform: WINDOWS }, { platform: { os: 'windows', architecture: 'amd64', osVersion: '10.0.20348.1' }, digest: DIGEST, isIndex: false }],
      ['one without a digest', { mediaType: TYPES.ociManifest, platform: WINDOWS }, { platform: { os: 'windows', architecture: 'amd64', osVersion: '10.0.20348.1' }, digest: null, isIndex: false }],
      ['one with a digest that nobody can verify', entry({ digest: 'md5:1234', platform: WINDOWS }), { platform: { os: 'windows', architecture: 'amd64', osVersion: '10.0.20348.1' }, digest: null, isIndex: false }],
      ['one whose artifact is an image', entry({ platform: WINDOWS, artifactType: TYPES.ociConfig }), { platform: { os: 'windows', architecture: 'amd64', osVersion: '10.0.20348.1' }, digest: DIGEST, isIndex: false }],
      ['no attestation', entry({ platform: { os: 'unknown', architecture: 'unknown' } }), undefined],
      ['no attestation by annotation', entry({ platform: WINDOWS, annotations: { 'vnd.docker.reference.type': 'attestation-manifest' } }), undefined],
      ['no artifact', entry({ platform: WINDOWS, artifactType: 'application/vnd.dev.cosign.artifact.sig.v1+json' }), undefined],
      ['no foreign type', entry({ mediaType: 'application/vnd.example+json' }), undefined],
      ['nothing that is no object', 'x', undefined],
    ];
    for (const [what, value, expected] of cases) {
      it(`takes ${what}`, () => {
        const result = parse({ manifests: [value] });
        assert.equal(result.kind, 'index');
        const [first] = result.kind === 'index' ? result.entries : [];
        assert.deepEqual(first === undefined ? undefined : { platform: first.platform, digest: first.digest, isIndex: first.isIndex }, expected);
      });
    }
  });
});

describe('parseConfig', () => {
  for (const [text, os] of [['{"os":"windows","architecture":"amd64"}', 'windows'], ['{}', undefined], ['no', undefined], ['{"os":7}', undefined]] as const) {
    it(`finds ${os ?? 'no OS'} in ${text}`, () => assert.equal(parseConfig(Buffer.from(text))?.os, os));
  }
});
