import assert from 'node:assert/strict';
import { parseKubernetesVersion } from '../../../../src/domain/kubernetes/version.ts';
import { PROVIDER_LIFECYCLES, providerLimits } from '../../../../src/domain/windows/providers.ts';
import { SERVER_RELEASES } from '../../../../src/domain/windows/releases.ts';
import { isIsoDay } from '../../../../src/domain/windows/support-dates.ts';

describe('PROVIDER_LIFECYCLES', () => {
  it('has one row per provider and release', () => {
    const keys = PROVIDER_LIFECYCLES.map((row) => `${row.provider} ${row.release}`);
    assert.equal(new Set(keys).size, keys.length);
    assert.deepEqual(PROVIDER_LIFECYCLES.map((row) => row.provider), PROVIDER_LIFECYCLES.map((row) => row.provider).toSorted());
  });

  for (const row of PROVIDER_LIFECYCLES) {
    it(`${row.provider} ${row.release}: known release, days and versions that exist, a source`, () => {
      assert.ok(SERVER_RELEASES.some((release) => release.release === row.release));
      for (const day of [row.end, row.imagesRemoved, row.asOf]) assert.ok(day === null || isIsoDay(day), String(day));
      if (row.end !== null && row.imagesRemoved !== null) assert.ok(row.end < row.imagesRemoved);
      for (const version of [row.firstKubernetes, row.lastKubernetes]) assert.ok(version === null || parseKubernetesVersion(version) !== null);
      assert.match(row.source, /^https:\/\//);
    });
  }
});

describe('providerLimits', () => {
  it('finds the provider\'s word, or nothing', () => {
    assert.equal(providerLimits('aks', 'ltsc2019')?.end, '2026-03-01');
    assert.equal(providerLimits('aks', 'ltsc2022')?.lastKubernetes, '1.36');
    assert.equal(providerLimits('eks', 'ltsc2025')?.firstKubernetes, '1.35');
    assert.equal(providerLimits('openshift', 'ltsc2019')?.lastKubernetes, '1.34');
    assert.equal(providerLimits('aks', null), null);
    assert.equal(providerLimits(null, 'ltsc2019'), null);
    assert.equal(providerLimits('kubeadm', 'ltsc2022'), null);
  });

  it('lets the user know better, field by field, and for providers without a row', () => {
    const overrides = { providers: { aks: { ltsc2022: { end: '2029-01-31' } }, kubeadm: { ltsc2022: { end: '2030-01-01' } } } };
    const aks = providerLimits('aks', 'ltsc2022', overrides);
    assert.deepEqual([aks?.end, aks?.lastKubernetes, aks?.configured], ['2029-01-31', '1.36', ['end']]);
    assert.deepEqual(providerLimits('aks', 'ltsc2022', { providers: { aks: { ltsc2022: { end: null } } } })?.configured, ['end']);
    assert.deepEqual(providerLimits('aks', 'ltsc2022')?.configured, []);
    assert.deepEqual([providerLimits('kubeadm', 'ltsc2022', overrides)?.end, providerLimits('kubeadm', 'ltsc2022', overrides)?.source], ['2030-01-01', null]);
  });

  it('does not take properties of every object for rows', () => assert.equal(providerLimits('constructor', 'name', { providers: {} }), null));
});
