/** The project's reading of containerd's platform matcher against github.com/containerd/platforms itself, over generated hosts and indexes. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { imageOnNode } from '../../src/domain/image/image-on-node.ts';
import type { ImagePlatforms } from '../../src/domain/image/image-platforms.ts';
import { buildMatches, chooseEntry, entryMatches, matcherEra, parseContainerdVersion, parseOsVersion, possibleEntries } from '../../src/domain/windows/containerd.ts';
import type { MatcherEra } from '../../src/domain/windows/containerd.ts';
import { CLIENT_BUILDS, SERVER_RELEASES } from '../../src/domain/windows/releases.ts';
import { partsOrSkip } from '../cluster/use-cluster.ts';
import type { Random } from '../support/random.ts';
import { seededRandom, testSeed } from '../support/random.ts';

/** Releases of containerd by what they vendor: go.mod of each tag, read 2026-11-30. No release has rc.3; its Windows rule is that of both neighbours. */
const RELEASES_OF: Readonly<Record<string, readonly string[]>> = {
  'rc.1': ['2.0.4', '2.1.5'],
  'rc.2': ['2.1.6', '2.2.9'],
  'rc.3': ['2.2.9', '2.3.0'],
  'rc.4': ['2.3.0', '2.3.4', '2.4.0-beta.0'],
  'rc.5': ['2.3.5', '2.4.2'],
};

interface Question {
  readonly host: string;
  readonly entries: readonly string[];
  /** os.features of every entry. */
  readonly features?: readonly string[];
}

/** Positions of the entries that match, as Only() and as Default() on Windows sort them. */
interface Answer {
  readonly only: readonly number[];
  readonly default: readonly number[];
}

const QUESTIONS = 6000;

const KNOWN_BUILDS = [...new Set([...SERVER_RELEASES, ...CLIENT_BUILDS].map(({ build }) => build)), 27000, 65535];
/** What is no os.version, or one that nobody writes; each reader of numbers has its own idea of some. */
const ODD = [
  '', '10', '10.0', '10.0.', '.0.20348', '10..20348', 'garbage', '10.0.20348x', 'x10.0.20348', ' 10.0.20348', '10.0.20348 ', '10.0.20348\n', '10.0.+20348', '10.0.-1', '10.0.0x4f7c', '1_0.0.20348',
  '10.0.2_0348', '10.0.1e4', '10.0.١٢٣', '10.0.65535', '10.0.65536', '10.0.70000', '10.0.99999999999999999999', '256.0.20348', '10.256.20348', '010.00.020348.01', '0.0.0', '0.0.0.5', '0.0.20348', '6.3.9600',
  '11.0.20348', '10.1.26100.1', '10.0.20348.', '10.0.20348.x', '10.0.20348.5499.7', '10.0.20348.99999999999999999999', '10.0.26100.-1', '10.0.26100.é', '10.0.26100.😀', '10.0.26100.\uffee', 'Windows Server 2022', '10.0.20348-5499',
] as const;

function version(random: Random): string {
  if (random.chance(12)) return random.pick(ODD);
  const near = random.pick(KNOWN_BUILDS) + (random.chance(35) ? random.pick([-1, 1]) : 0);
  const build = random.chance(80) ? near : random.below(random.pick([20000, 30000, 66000]));
  const text = `10.0.${build}`;
  return random.chance(25) ? text : `${text}.${random.pick([random.below(10), random.below(1000), random.below(40_000), random.below(2 ** 31)])}`;
}

function question(random: Random): Question {
  const host = version(random);
  const entries = Array.from({ length: random.below(8) }, () => (random.chance(15) ? host : version(random)));
  // An index has one build several times: the same again, or another revision of it.
  const repeated = entries.length > 0 && random.chance(30) ? [`${random.pick(entries).split('.').slice(0, 3).join('.')}.${random.below(10_000)}`, random.pick(entries)] : [];
  return { host, entries: [...entries, ...repeated] };
}

function ask(program: string, questions: readonly Question[]): readonly Readonly<Record<string, Answer>>[] {
  const { status, stdout, stderr } = spawnSync(program, { input: questions.map((one) => `${JSON.stringify(one)}\n`).join(''), encoding: 'utf8', maxBuffer: 2 ** 28 });
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split('\n').map((line) => JSON.parse(line) as Readonly<Record<string, Answer>>);
}

function eraOf(release: string): MatcherEra {
  return matcherEra(parseContainerdVersion(release)) ?? assert.fail(release);
}

function index(entries: readonly string[]): ImagePlatforms {
  const platform = { os: 'windows', architecture: 'amd64', digest: null, sizeBytes: null };
  return { shape: 'index', confidence: 'registry', os: null, because: 'generated', platforms: entries.map((entry) => ({ ...platform, osVersion: entry === '' ? null : entry })) };
}

describe('containerd\'s matcher against github.com/containerd/platforms', function () {
  this.timeout(120_000);
  let program = '';
  before('build the program that asks it', async function () {
    this.timeout(600_000);
    program = (await partsOrSkip(this, ['containerd-matcher']))['containerd-matcher'];
  });

  const seed = testSeed();
  it(`matches, orders and chooses as rc.1 to rc.5 do (KUBECTL_WIN_SEED=${seed})`, () => {
    const random = seededRandom(seed);
    const questions = Array.from({ length: QUESTIONS }, () => question(random));
    const answers = ask(program, questions);
    assert.equal(answers.length, QUESTIONS);
    let matched = 0;
    let refused = 0;
    let choices = 0;
    for (const [position, { host, entries }] of questions.entries()) {
      for (const [candidate, releases] of Object.entries(RELEASES_OF)) {
        const answer = answers[position]?.[candidate] ?? assert.fail(candidate);
        const textAt = (place: number | undefined): string | null => (place === undefined ? null : entries[place] ?? assert.fail());
        const first = textAt(answer.only[0]);
        const preferred = textAt(answer.default[0]);
        if (first !== preferred) choices++;
        for (const release of releases) {
          const era = eraOf(release);
          const title = `${candidate} as ${release} on ${JSON.stringify(host)}: ${JSON.stringify(entries)}`;
          const matching = entries.map((entry) => entryMatches(era, host, entry));
          assert.deepEqual(matching.flatMap((matches, place) => (matches ? [place] : [])), answer.only.toSorted((a, b) => a - b), title);
          const taken = entries.filter((_, place) => matching[place]);
          assert.equal(chooseEntry('index', taken), first, title);
          if (candidate !== 'rc.1') assert.equal(chooseEntry('newest', taken), preferred, title);
          assert.deepEqual(possibleEntries(era, host, entries), [...new Set([preferred, first])].filter((entry) => entry !== null), title);
          matched += taken.length;
          refused += entries.length - taken.length;
        }
      }
    }
    // Otherwise the comparison above compares nothing.
    assert.ok(matched > 20_000 && refused > 20_000 && choices > 500, `${matched} matched, ${refused} refused, ${choices} where the two orders differ`);
  });

  it('takes the builds that rc.1 to rc.5 take, on every host from 14393 to 27000', () => {
    const hosts = Array.from({ length: 27_001 - 14_393 }, (_, place) => 14_393 + place);
    const images = [14393, 17763, 18363, 20347, 20348, 20349, 22621, 25398, 26099, 26100, 26101, 26200, 27000];
    const answers = ask(program, hosts.map((build) => ({ host: `10.0.${build}.1`, entries: images.map((image) => `10.0.${image}`) })));
    for (const [place, build] of hosts.entries()) {
      for (const [candidate, releases] of Object.entries(RELEASES_OF)) {
        const taken = answers[place]?.[candidate]?.only.map((position) => images[position]);
        for (const release of releases) assert.deepEqual(images.filter((image) => buildMatches(eraOf(release).builds, build, image)), taken, `${candidate} as ${release} on ${build}`);
      }
    }
  });

  it(`says of an index on a node what containerd does with it (KUBECTL_WIN_SEED=${seed})`, () => {
    const random = seededRandom(seed + 1);
    const questions = Array.from({ length: QUESTIONS }, () => question(random)).filter(({ host, entries }) => /^10\.0\.\d{4,5}\.\d{1,9}$/.test(host) && (parseOsVersion(host)?.build ?? 0) > 17763 && entries.length > 0);
    assert.ok(questions.length > 1000);
    const answers = ask(program, questions);
    for (const [position, { host, entries }] of questions.entries()) {
      const { build, revision } = parseOsVersion(host) ?? assert.fail(host);
      for (const [candidate, releases] of Object.entries(RELEASES_OF)) {
        const answer = answers[position]?.[candidate] ?? assert.fail(candidate);
        const possible = [...new Set([answer.default[0], answer.only[0]].map((place) => (place === undefined ? null : entries[place] ?? null)))].filter((entry) => entry !== null);
        for (const release of releases) {
          const title = `${candidate} as ${release} on ${host}: ${JSON.stringify(entries)}`;
          // HostProcess, so that only the pull is judged.
          const { pull, entries: said } = imageOnNode(index(entries), { build, revision, containerd: parseContainerdVersion(release) }, 'host-process');
          assert.equal(pull, possible.length === 0 ? 'no-match' : 'ok', title);
          assert.deepEqual(said, possible, title);
        }
      }
    }
  });

  it('os.features are no reason to refuse an entry, but in rc.3, which is in no release', () => {
    const [answers] = ask(program, [{ host: '10.0.26100.1', entries: ['10.0.26100.1', '10.0.20348.1'], features: ['win32k'] }]);
    assert.deepEqual(Object.entries(answers ?? {}).filter(([, { only }]) => only.length !== 2).map(([candidate]) => candidate), ['rc.3']);
  });
});
