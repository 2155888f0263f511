import assert from 'node:assert/strict';
import { casesOrSkip } from '../../../support/cases.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CONTAINERD_LIFECYCLES, type ContainerdVersion, MATCHER_ERAS, buildMatches, chooseEntry, compareContainerdVersions, containerdLifecycle, entryMatches, matcherEra,
  parseContainerdVersion, parseOsVersion, possibleEntries, startsOnHost,
} from '../../../../src/domain/windows/containerd.ts';
import { isIsoDay } from '../../../../src/domain/windows/support-dates.ts';

function version(text: string): ContainerdVersion {
  return parseContainerdVersion(text) ?? assert.fail(text);
}

function era(text: string) {
  return matcherEra(version(text)) ?? assert.fail(text);
}

/** Releases of containerd that have the code an oracle was made from; rc.3 was in none, its rule is that of its neighbours. */
const RELEASES_OF: Readonly<Record<string, readonly string[]>> = {
  'containerd-1.7.5': ['1.7.0', '1.7.5'],
  'containerd-1.7.6': ['1.7.6', '1.7.20+azure'],
  'containerd-1.7.27': ['1.7.27', '1.7.33'],
  'platforms-1.0.0-rc.1': ['2.0.0', '2.0.4+azure', '2.0.11', '2.1.0', '2.1.5'],
  'platforms-1.0.0-rc.2': ['2.1.6', '2.1.9', '2.2.0', '2.2.6', '2.2.9'],
  'platforms-1.0.0-rc.3': ['2.2.6', '2.3.0'],
  'platforms-1.0.0-rc.4': ['2.3.0', '2.3.4', '2.4.0-beta.0'],
  'platforms-1.0.0-rc.5': ['2.3.5', '2.3.7', '2.3.8+azure', '2.4.0', '2.4.2'],
};

interface Oracle {
  readonly results: Readonly<Record<string, { readonly indexes: readonly (readonly string[])[]; readonly hosts: readonly { readonly host: string; readonly matches: readonly string[]; readonly chosenByOnly: readonly string[] }[] }>>;
}

/** The os.version values that the oracle program asked about. */
const ASKED = ['10.0.14393.5', '10.0.17763.5', '10.0.17763.900', '10.0.19041.5', '10.0.20348.5', '10.0.20348.900', '10.0.20348.5499', '10.0.25398.5', '10.0.26100.5', '10.0.26100.1742', '10.0.26100.32995', '10.0.26200.5', ''];

describe('containerd\'s matcher', () => {
  it('answers as containerd\'s own code did, to every question that was put to it', function () {
    const oracle = JSON.parse(readFileSync(join(casesOrSkip(this), 'oracles', 'containerd-matcher.json'), 'utf8')) as Oracle;
    assert.deepEqual(Object.keys(oracle.results).toSorted(), Object.keys(RELEASES_OF).toSorted());
    let answers = 0;
    for (const [name, { indexes, hosts }] of Object.entries(oracle.results)) {
      for (const release of RELEASES_OF[name] ?? []) {
        const rules = era(release);
        for (const { host, matches, chosenByOnly } of hosts) {
          assert.deepEqual(ASKED.filter((entry) => entryMatches(rules, host, entry)), matches, `${name} as ${release} on ${host}`);
          for (const [index, entries] of indexes.entries()) {
            const chosen = chooseEntry('index', entries.filter((entry) => entryMatches(rules, host, entry))) ?? '(none)';
            assert.equal(chosen, chosenByOnly[index], `${name} as ${release} on ${host}: ${entries.join(' ')}`);
            answers += 1;
          }
        }
      }
    }
    assert.equal(answers, Object.values(RELEASES_OF).flat().length * 9 * 14);
  });

  it('1.6 takes the highest revision, whatever the build; 1.7 and 2.0 the first in the index', () => {
    const host = '10.0.26100.4061';
    const entries = ['10.0.20348.5499', '10.0.26100.4061', '10.0.17763.9487'];
    assert.deepEqual(possibleEntries(era('1.6.39'), host, entries), ['10.0.20348.5499']);
    assert.deepEqual(possibleEntries(era('1.7.27'), host, entries), ['10.0.20348.5499']);
    assert.deepEqual(possibleEntries(era('2.0.4+azure'), host, entries), ['10.0.20348.5499']);
    assert.deepEqual(possibleEntries(era('1.6.14'), host, entries), ['10.0.26100.4061']);
  });

  it('from 2.1.6 on a pull may take the newest or, by the transfer service, the first', () => {
    const host = '10.0.26100.4061';
    assert.deepEqual(possibleEntries(era('2.1.6'), host, ['10.0.20348.5499', '10.0.26100.4061']), ['10.0.26100.4061', '10.0.20348.5499']);
    assert.deepEqual(possibleEntries(era('2.1.6'), host, ['10.0.26100.4061', '10.0.20348.5499']), ['10.0.26100.4061']);
    assert.deepEqual(possibleEntries(era('2.3.4'), host, []), []);
  });

  it('compares os.version as text in the newest-first order: .999 beats .5499', () => {
    assert.equal(chooseEntry('newest', ['10.0.20348.5499', '10.0.20348.999']), '10.0.20348.999');
  });

  it('compares that text as Go does, by code points, and what is longer comes first', () => {
    assert.equal(chooseEntry('newest', ['10.0.26100.\uffee', '10.0.26100.\u{1f600}']), '10.0.26100.\u{1f600}');
    assert.equal(chooseEntry('newest', ['10.0.26100', '10.0.26100.1', '10.0.26100.']), '10.0.26100.1');
    assert.equal(chooseEntry('newest', ['', '10.0.20348.1']), '10.0.20348.1');
  });

  it('an entry without os.version matches from 1.6.18 and 1.7.0 on', () => {
    for (const [release, matches] of [['1.6.0-rc.1', false], ['1.6.17', false], ['1.6.18', true], ['1.7.0', true], ['2.3.4', true], ['1.5.7', false]] as const) assert.equal(entryMatches(era(release), '10.0.17763.1', ''), matches, release);
  });

  it('refuses what is no os.version, and another major or minor', () => {
    for (const entry of ['10.0', 'garbage', '10.0.20348x', '6.3.20348.1', '11.0.20348']) assert.equal(entryMatches(era('2.0.4'), '10.0.20348.1', entry), false, entry);
  });

  it('a host version that cannot be read matches everything, as in containerd', () => {
    for (const host of ['', '10.0', 'garbage', '10.0.70000', '256.0.20348', '0.0.0.5']) {
      for (const entry of ['', '10.0.17763.1', 'garbage']) assert.equal(entryMatches(era('2.3.5'), host, entry), true, `${entry} on ${host}`);
    }
    assert.equal(entryMatches(era('2.3.5'), '10.0.65535', '10.0.65536'), false);
    assert.equal(entryMatches(era('2.3.5'), '010.0.20348.1', '10.0.20348'), true);
  });

  it('2.3.5 and 2.4.0 let a 26200 host take images of 20348 again; 2.3.4 and the beta of 2.4 do not', () => {
    const answers = ['2.2.9', '2.3.0', '2.3.4', '2.3.5-rc.0', '2.3.5', '2.3.7', '2.4.0-beta.0', '2.4.0', '2.4.2'].map((release) => [release, entryMatches(era(release), '10.0.26200.1', '10.0.20348.1')]);
    assert.deepEqual(answers, [['2.2.9', false], ['2.3.0', false], ['2.3.4', false], ['2.3.5-rc.0', false], ['2.3.5', true], ['2.3.7', true], ['2.4.0-beta.0', false], ['2.4.0', true], ['2.4.2', true]]);
  });

  it('knows no era for an unknown version', () => assert.equal(matcherEra(null), null));
});

describe('parseContainerdVersion', () => {
  const cases: readonly (readonly [text: string, parsed: readonly [number, number, number, string | null] | null])[] = [
    ['2.0.4+azure', [2, 0, 4, null]], ['1.6.14+unknown', [1, 6, 14, null]], ['1.7.11-k3s2', [1, 7, 11, null]], ['1.6.14-k3s1', [1, 6, 14, null]],
    ['1.6.0-rc.1', [1, 6, 0, 'rc.1']], ['v2.4.0-beta.0', [2, 4, 0, 'beta.0']], ['1.7.20', [1, 7, 20, null]],
    ['', null], ['unknown', null], ['1.7', null], ['1.7.x', null],
  ];
  for (const [text, parsed] of cases) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const read = parseContainerdVersion(text);
      assert.deepEqual(read === null ? null : [read.major, read.minor, read.patch, read.preRelease], parsed);
    });
  }

  it('orders numbers as numbers and pre-releases before their release', () => {
    const sorted = ['1.6.0-rc.1', '1.6.0', '1.6.9', '1.6.14+azure', '1.7.5', '2.0.4', '2.4.0-beta.0', '2.4.0'];
    assert.deepEqual(sorted.toReversed().toSorted((a, b) => compareContainerdVersions(version(a), version(b))), sorted);
  });
});

describe('startsOnHost', () => {
  const cases: readonly (readonly [host: string, image: string, starts: boolean | null])[] = [
    ['10.0.26100.1', '10.0.20348.9', true], ['10.0.26100.1', '10.0.17763.1', false], ['10.0.20348.1', '10.0.26100.1', false],
    ['10.0.17763.1', '10.0.17763.9000', true], ['10.0.17763.1', '10.0.18363.1', false], ['10.0.25398.1', '10.0.20348.1', true],
    ['10.0.14393.3274', '10.0.14393.3274', true], ['10.0.14393.3274', '10.0.14393.9612', false], ['10.0.14393.3274', '10.0.14393', null],
  ];
  for (const [host, image, starts] of cases) {
    it(`${image} on ${host}: ${starts ?? 'unknown'}`, () => assert.equal(startsOnHost(parseOsVersion(host) ?? assert.fail(), parseOsVersion(image) ?? assert.fail()), starts));
  }
});

describe('MATCHER_ERAS', () => {
  it('ascends and has sources', () => {
    const text = MATCHER_ERAS.map((row) => row.since.join('.'));
    assert.deepEqual(text.toSorted((a, b) => compareContainerdVersions(version(a), version(b))), text);
    for (const row of MATCHER_ERAS) assert.match(row.source, /^https:\/\//);
  });

  it('differs by rule only for hosts newer than 26100', () => {
    for (const host of [20348, 22631, 25398, 26100]) {
      for (const image of [17763, 20348, 25398, 26100, 26200]) {
        const answers = (['first-ltsc', 'newest-ltsc', 'previous-ltsc'] as const).map((rule) => buildMatches(rule, host, image));
        assert.equal(new Set(answers).size, 1, `${image} on ${host}`);
      }
    }
    assert.deepEqual((['first-ltsc', 'newest-ltsc', 'previous-ltsc'] as const).map((rule) => buildMatches(rule, 26200, 20348)), [true, false, true]);
  });
});

describe('CONTAINERD_LIFECYCLES', () => {
  it('is unique by line, in order, with days that exist', () => {
    assert.equal(new Set(CONTAINERD_LIFECYCLES.map((row) => row.line)).size, CONTAINERD_LIFECYCLES.length);
    for (const row of CONTAINERD_LIFECYCLES) {
      assert.ok(isIsoDay(row.released) && isIsoDay(row.end) && isIsoDay(row.asOf), row.line);
      assert.ok(row.released < row.end, row.line);
      assert.match(row.source, /^https:\/\//);
    }
    assert.deepEqual(CONTAINERD_LIFECYCLES.map((row) => row.released), CONTAINERD_LIFECYCLES.map((row) => row.released).toSorted());
  });

  it('finds the line of a version with a vendor\'s suffix', () => {
    assert.equal(containerdLifecycle(version('1.6.35+azure'))?.end, '2025-08-23');
    assert.equal(containerdLifecycle(version('2.0.4+azure'))?.end, '2027-03-31');
    assert.equal(containerdLifecycle(version('2.4.2'))?.end, '2027-05-16');
    assert.equal(containerdLifecycle(version('3.0.0')), null);
  });
});
