import assert from 'node:assert/strict';
import { SERVER_RELEASES } from '../../../../src/domain/windows/releases.ts';
import { REVISIONS, monthOfRevision, monthlyRevisions, monthsBehind, monthsBetween, newestRevision } from '../../../../src/domain/windows/revisions.ts';

describe('REVISIONS', () => {
  it('has a series for every server release, sorted by build', () => {
    assert.deepEqual(REVISIONS.map((series) => series.build), SERVER_RELEASES.map((row) => row.build));
  });

  for (const series of REVISIONS) {
    it(`${series.build} ascends by month and by revision`, () => {
      for (const [index, row] of series.rows.entries()) {
        assert.match(row[0], /^20\d\d-(0[1-9]|1[0-2])$/);
        const before = series.rows[index - 1];
        if (before === undefined) continue;
        assert.ok(before[0] < row[0], `${before[0]} before ${row[0]}`);
        assert.ok(before[1] < row[1], `${before[1]} before ${row[1]}`);
      }
    });
  }

  it('has no unnamed gap: the months that are missing are those the table names', () => {
    const gaps = REVISIONS.flatMap((series) => series.rows.flatMap((row, index) => {
      const next = series.rows[index + 1];
      return next === undefined || monthsBetween(row[0], next[0]) === 1 ? [] : [`${series.build} ${row[0]}..${next[0]}`];
    }));
    assert.deepEqual(gaps, ['14393 2016-08..2016-10', '14393 2017-01..2017-03', '14393 2017-12..2018-02', '16299 2017-12..2018-02']);
  });

  it('covers the last 18 months of the builds in use', () => {
    for (const build of [17763, 20348, 26100]) {
      const months = monthlyRevisions().filter((row) => row.build === build && row.month > '2025-04' && row.month < '2026-11').map((row) => row.month);
      assert.equal(months.length, 18, String(build));
    }
  });

  it('gives each row a source', () => {
    const rows = monthlyRevisions();
    assert.ok(rows.length > 400);
    for (const row of rows) assert.match(row.source, row.kb === null ? /^https:\/\/www\.cve\.org\/CVERecord\?id=CVE-2026-\d+$/ : new RegExp(`^https://support\\.microsoft\\.com/help/${row.kb}$`));
    const may = rows.find((row) => row.build === 20348 && row.month === '2026-05');
    assert.deepEqual([may?.revision, may?.kb], [5139, 5087545]);
  });

  it('stays within the support of releases that ended', () => {
    for (const release of SERVER_RELEASES.filter((row) => row.channel === 'SAC')) assert.ok((newestRevision(release.build)?.month ?? '9999') <= release.mainstreamEnd.slice(0, 7), release.release);
  });
});

describe('monthOfRevision', () => {
  const cases: readonly (readonly [build: number, revision: number, month: string | null])[] = [
    [26100, 4061, '2025-05'],
    [26100, 33296, '2026-08'],
    [26100, 32230, '2026-01'],
    [20348, 5499, '2026-08'],
    [17763, 1397, '2020-08'],
    // out of band, of 2025-07-13: between July's 4652 and August's 4946
    [26100, 4656, '2025-07'],
    // out of band, of 2025-10-23
    [20348, 4297, '2025-10'],
    [26100, 1, null],
    [26100, 99999, null],
    // in the gap of January 2018
    [14393, 2007, null],
    [27000, 5, null],
  ];
  for (const [build, revision, month] of cases) {
    it(`${build}.${revision} is of ${month ?? 'an unknown month'}`, () => assert.equal(monthOfRevision(build, revision), month));
  }
});

describe('monthsBehind', () => {
  it('compares revisions as numbers: 4061 is older than 32230 and 33296', () => {
    assert.equal(monthsBehind(26100, 4061, 33296), 15);
    assert.equal(monthsBehind(26100, 4061, 32230), 8);
    assert.equal(monthsBehind(26100, 33296, 4061), 0);
  });

  it('is 0 for equals, a lower bound for what is newer than the table, null where a month is unknown', () => {
    assert.equal(monthsBehind(20348, 5499, 5499), 0);
    assert.equal(monthsBehind(20348, 5499, 999_999), 2);
    assert.equal(monthsBehind(27000, 1, 2), null);
    assert.equal(monthsBehind(26100, 1, 33296), null);
  });
});
