import assert from 'node:assert/strict';
import { CLIENT_BUILDS, SERVER_RELEASES, isClientImage, lastDayOf, productOfBuild, releaseByName } from '../../../../src/domain/windows/releases.ts';
import { isIsoDay } from '../../../../src/domain/windows/support-dates.ts';

describe('SERVER_RELEASES', () => {
  it('is sorted by build, and builds, names and products are unique', () => {
    assert.deepEqual(SERVER_RELEASES.map((row) => row.build), SERVER_RELEASES.map((row) => row.build).toSorted((a, b) => a - b));
    for (const key of ['build', 'release', 'product'] as const) assert.equal(new Set(SERVER_RELEASES.map((row) => row[key])).size, SERVER_RELEASES.length, key);
  });

  for (const row of SERVER_RELEASES) {
    it(`${row.release}: days that exist, in order, with a source`, () => {
      for (const day of [row.available, row.mainstreamEnd, row.extendedEnd ?? row.mainstreamEnd, row.asOf]) assert.ok(isIsoDay(day), day);
      assert.ok(row.available < row.mainstreamEnd);
      assert.ok(row.mainstreamEnd <= lastDayOf(row));
      assert.match(row.source, /^https:\/\//);
    });
  }

  it('holds the lifecycle dates of windows that are in use', () => {
    const dates = (name: string) => {
      const row = releaseByName(name) ?? assert.fail(name);
      return [row.build, row.mainstreamEnd, row.extendedEnd];
    };
    assert.deepEqual(dates('ltsc2016'), [14393, '2022-01-11', '2027-01-12']);
    assert.deepEqual(dates('ltsc2019'), [17763, '2024-01-09', '2029-01-09']);
    assert.deepEqual(dates('ltsc2022'), [20348, '2026-10-13', '2031-10-14']);
    assert.deepEqual(dates('23H2'), [25398, '2025-04-24', '2025-10-24']);
    assert.deepEqual(dates('ltsc2025'), [26100, '2029-11-13', '2034-11-14']);
    assert.deepEqual(dates('2004'), [19041, '2021-12-14', null]);
    assert.equal(releaseByName('ltsc2028'), null);
  });
});

describe('CLIENT_BUILDS', () => {
  it('is sorted, unique and has sources', () => {
    const builds = CLIENT_BUILDS.map((row) => row.build);
    assert.deepEqual(builds, [...new Set(builds)].toSorted((a, b) => a - b));
    for (const row of CLIENT_BUILDS) assert.match(row.source, /^https:\/\//);
  });
});

describe('productOfBuild', () => {
  const cases: readonly (readonly [build: number, osImage: string | null, product: string | null])[] = [
    [20348, 'Windows Server 2022 Datacenter', 'Windows Server 2022'],
    [25398, 'Windows Server 2022 Datacenter', 'Windows Server, version 23H2'],
    [17763, 'Windows Server Datacenter', 'Windows Server 2019'],
    [17763, 'Windows 10 Enterprise LTSC 2019', 'Windows 10, version 1809'],
    [26100, 'Windows Server 2025 Datacenter', 'Windows Server 2025'],
    [26100, null, 'Windows Server 2025'],
    // Windows 11 calls itself Windows 10: https://github.com/Siemens-Healthineers/K2s/issues/1126
    [26100, 'Windows 10 Pro', 'Windows 11, version 24H2'],
    [22631, 'Windows 10 Enterprise', 'Windows 11, version 23H2'],
    [22631, null, 'Windows 11, version 23H2'],
    [19045, 'Windows 10 Pro', 'Windows 10, version 22H2'],
    [26200, 'Windows 11 Pro', 'Windows 11, version 25H2'],
    [27000, 'Windows Server 2028', null],
    [9200, 'Windows Server 2012', null],
  ];
  for (const [build, osImage, product] of cases) {
    it(`${build} with osImage ${JSON.stringify(osImage)} is ${product ?? 'unknown'}`, () => {
      const what = productOfBuild(build, osImage);
      assert.equal(what.kind === 'unknown' ? null : what.kind === 'server' ? what.release.product : what.client.product, product);
    });
  }

  it('takes only Windows 10 and 11 for clients', () => {
    assert.equal(isClientImage('Windows Server 2019 Standard Evaluation'), false);
    assert.equal(isClientImage('Windows 10 IoT Enterprise'), true);
    assert.equal(isClientImage(null), false);
  });
});
