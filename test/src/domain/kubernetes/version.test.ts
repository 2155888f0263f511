import assert from 'node:assert/strict';
import { compareKubernetesVersions, minorText, minorsBehind, parseKubernetesVersion } from '../../../../src/domain/kubernetes/version.ts';

type Parsed = readonly [major: number, minor: number, patch: number | null, preRelease: string | null, build: string | null];

const CASES: readonly (readonly [text: string, parsed: Parsed | null])[] = [
  ['v1.37.2', [1, 37, 2, null, null]],
  ['1.37.2', [1, 37, 2, null, null]],
  ['v1.23.3-rc.0.3+531a28b82ee021', [1, 23, 3, 'rc.0.3', '531a28b82ee021']],
  ['v1.25.0-alpha.0.717+92263ee0dd2588', [1, 25, 0, 'alpha.0.717', '92263ee0dd2588']],
  ['v1.31.4-gke.1372000', [1, 31, 4, 'gke.1372000', null]],
  ['v1.21.5-eks-9017834', [1, 21, 5, 'eks-9017834', null]],
  ['v1.26.0+rke2r2', [1, 26, 0, null, 'rke2r2']],
  ['v1.21.0-rc.0+6143dea', [1, 21, 0, 'rc.0', '6143dea']],
  ['1.36', [1, 36, null, null, null]],
  ['1.36+', [1, 36, null, null, null]],
  [' v1.36.0 ', [1, 36, 0, null, null]],
  ['', null],
  ['latest', null],
  ['v1', null],
  ['v1.x.2', null],
  ['v1.36.0.1', null],
];

describe('parseKubernetesVersion', () => {
  for (const [text, parsed] of CASES) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const read = parseKubernetesVersion(text);
      assert.deepEqual(read === null ? null : [read.major, read.minor, read.patch, read.preRelease, read.build], parsed);
    });
  }
});

describe('comparing Kubernetes versions', () => {
  const parse = (text: string) => parseKubernetesVersion(text) ?? assert.fail(text);

  it('counts minors, not vendors\' suffixes', () => {
    assert.equal(minorsBehind(parse('v1.26.14+rke2r1'), parse('v1.29.2+rke2r1')), 3);
    assert.equal(minorsBehind(parse('v1.30.0'), parse('v1.29.2')), -1);
    assert.equal(minorsBehind(parse('v1.9.1'), parse('v1.10.0')), 1);
    assert.equal(minorsBehind(parse('v1.9.1'), parse('v2.0.0')), null);
  });

  it('compares numbers as numbers', () => {
    assert.ok(compareKubernetesVersions(parse('v1.9.10'), parse('v1.10.0')) < 0);
    assert.ok(compareKubernetesVersions(parse('v1.29.10'), parse('v1.29.9')) > 0);
    assert.equal(compareKubernetesVersions(parse('v1.26.0'), parse('v1.26.0+rke2r2')), 0);
    assert.equal(minorText(parse('v1.31.4-gke.1372000')), '1.31');
  });
});
