import assert from 'node:assert/strict';
import { countResults, RECORD_LIMIT_BYTES, readRecord, writeRecord, type RecordedResult, type RunRecord } from '../../../../src/domain/prepull/run-record.ts';
import { seededRandom, testSeed } from '../../../support/random.ts';

const HEAD = { startedAt: '2026-11-30T12:00:00.000Z', phase: 'running', planned: 9, refused: 1, skipped: 2 } as const;
const IMAGES = ['mcr.microsoft.com/windows/servercore:ltsc2022', 'mcr.microsoft.com/windows/nanoserver:ltsc2022', `registry.example/team/app@sha256:${'a'.repeat(64)}`];

function record(results: readonly RecordedResult[]): RunRecord {
  return { ...HEAD, results };
}

const sorted = (results: readonly RecordedResult[]): readonly string[] => results.map((one) => JSON.stringify([one.node, one.image, one.result, one.reason])).toSorted();

describe('the record of a run', () => {
  const results: readonly RecordedResult[] = [
    { node: 'win-b', image: 'a:1', result: 'pulled', reason: null }, { node: 'win-a', image: 'a:1', result: 'failed', reason: 'Timeout' },
    { node: 'win-a', image: 'b:1', result: 'present', reason: null }, { node: 'other', image: 'b:1', result: 'failed', reason: null },
  ];

  it('is read as it was written', () => {
    const read = readRecord(writeRecord(record(results)));
    assert.deepEqual({ ...read, results: [] }, { ...HEAD, results: [] });
    assert.deepEqual(sorted(read?.results ?? []), sorted(results));
    assert.deepEqual(readRecord(writeRecord(record([]))), record([]));
  });

  it('keeps the content that nodes have, also where they have several, and failures beside it', () => {
    const [old, young] = [`sha256:${'0'.repeat(64)}`, `sha256:${'1'.repeat(64)}`];
    const all: readonly RecordedResult[] = [
      { node: 'n0', image: 'a:1', result: 'failed', reason: 'Timeout' }, { node: 'n1', image: 'a:1', result: 'pulled', reason: null, digest: old }, { node: 'n2', image: 'a:1', result: 'present', reason: null, digest: young },
      { node: 'n3', image: 'a:1', result: 'pulled', reason: null }, { node: 'n1', image: 'b:1', result: 'pulled', reason: null }, { node: 'n2', image: 'b:1', result: 'failed', reason: null },
    ];
    const text = writeRecord(record(all));
    const order = (one: RecordedResult, other: RecordedResult): number => (`${one.image}${one.node}` < `${other.image}${other.node}` ? -1 : 1);
    assert.deepEqual(readRecord(text)?.results.toSorted(order), all.toSorted(order));
    assert.equal((JSON.parse(text) as { images: unknown[] }).images.length, 4);
    assert.ok(readRecord(JSON.stringify({ ...JSON.parse(text) as object, images: [['a:1', 'pp', 5]] }))?.results.every(({ digest }) => digest === undefined));
  });

  it('of 5,000 nodes and 3 images has room beside other annotations, whatever the provider calls its nodes', () => {
    const random = seededRandom(1);
    const letters = (count: number): string => Array.from({ length: count }, () => 'abcdefghijklmnopqrstuvwxyz0123456789'[random.below(36)]).join('');
    const names: Readonly<Record<string, (index: number) => string>> = {
      aks: (index) => `akswinpool${index.toString(36).padStart(6, '0')}`,
      eks: (index) => `ip-10-${index % 7}-${Math.floor(index / 250)}-${index % 250}.eu-central-1.compute.internal`,
      gke: (index) => `gke-production-cluster-windows-pool-2022-${(index % 40).toString(16).padStart(8, '0')}-${letters(4)}`,
      random: () => letters(30),
    };
    for (const [provider, name] of Object.entries(names)) {
      const nodes = [...new Set(Array.from({ length: 5_000 }, (_, index) => name(index)))];
      const all = IMAGES.flatMap((image) => nodes.map((node, index): RecordedResult => (index % 9 === 0 ? { node, image, result: 'failed', reason: 'RegistryUnreachable' } : { node, image, result: 'pulled', reason: null })));
      const text = writeRecord(record(all));
      assert.ok(text.length < RECORD_LIMIT_BYTES, `${provider}: ${text.length} bytes`);
      const read = readRecord(text);
      assert.equal(read?.dropped, undefined, provider);
      assert.deepEqual(sorted(read?.results ?? []), sorted(all), provider);
    }
  });

  it('says how much had no room, and keeps the latest', () => {
    const many = Array.from({ length: 9_000 }, (_, index): RecordedResult => ({ node: `${index.toString(36).padStart(4, '0')}${'x'.repeat(100)}${index * 7919}`, image: `r/${index}:1`, result: index % 3 === 0 ? 'failed' : 'pulled', reason: null }));
    const text = writeRecord(record(many));
    assert.ok(Buffer.byteLength(text) <= RECORD_LIMIT_BYTES);
    const read = readRecord(text);
    // whatever the names, the counts are those of all
    assert.deepEqual(countResults(read?.results ?? [], read?.dropped), { pulled: 6_000, present: 0, failed: 3_000 });
    assert.ok((read?.results.length ?? 0) > 0);
    assert.ok(read?.results.some(({ node }) => node === many.at(-1)?.node));
    assert.ok(Buffer.byteLength(writeRecord(record([{ node: 'n', image: 'ü'.repeat(300_000), result: 'pulled', reason: null }]))) <= RECORD_LIMIT_BYTES);
  });

  it('of more reasons than letters: a failure that does not say why', () => {
    const many = Array.from({ length: 40 }, (_, index): RecordedResult => ({ node: `n${index}`, image: 'a:1', result: 'failed', reason: `Reason${index}` }));
    const read = readRecord(writeRecord(record(many)))?.results ?? [];
    assert.equal(read.length, 40);
    assert.deepEqual([read.filter(({ reason }) => reason !== null).length, read.filter(({ result }) => result === 'failed').length], [26, 40]);
  });

  const seed = testSeed();
  it(`any names come back (KUBECTL_WIN_SEED=${seed})`, () => {
    const random = seededRandom(seed);
    for (let round = 0; round < 200; round += 1) {
      const nodes = [...new Set(Array.from({ length: 1 + random.below(30) }, () => Array.from({ length: 1 + random.below(random.pick([3, 80, 253])) }, () => random.pick(['a', 'b', '-', '1'])).join('')))];
      const all = nodes.flatMap((node): readonly RecordedResult[] => (random.chance(30) ? [] : [{ node, image: random.pick(IMAGES), result: random.pick(['pulled', 'present'] as const), reason: null }]));
      assert.deepEqual(sorted(readRecord(writeRecord(record(all)))?.results ?? []), sorted(all));
    }
  });

  it('of somebody else is none, and harms nobody', () => {
    const good = JSON.parse(writeRecord(record(results))) as Record<string, unknown>;
    const hostile: readonly (string | undefined)[] = [
      undefined, '', '{', 'null', '[]', '7', '{"v":2}', JSON.stringify({ ...good, phase: 'gone' }), JSON.stringify({ ...good, startedAt: 'never' }), JSON.stringify({ ...good, startedAt: 5 }), JSON.stringify({ ...good, nodes: [] }),
      JSON.stringify({ ...good, images: {} }), JSON.stringify({ ...good, reasons: null }),
    ];
    for (const text of hostile) assert.equal(readRecord(text), null, String(text));
    const odd = readRecord(JSON.stringify({ ...good, planned: -3, refused: '4', skipped: Number.MAX_VALUE, images: [null, 7, [], ['x'], ['x', 5], ['a:1', 'Zpp~'], ['__proto__', 'p']], reasons: [5, {}], dropped: { pulled: '7', failed: -1, other: 3 } }));
    assert.deepEqual([odd?.planned, odd?.refused, odd?.dropped, odd?.results.map(({ image, result }) => [image, result])], [0, 0, undefined, [['a:1', 'pulled'], ['a:1', 'pulled'], ['__proto__', 'pulled']]]);
    const began = Date.now();
    readRecord(JSON.stringify({ ...good, nodes: Array.from({ length: 60_000 }, () => 'ZZ').join(' '), images: Array.from({ length: 9_000 }, () => ['x', 'p']) }));
    assert.ok(Date.now() - began < 2_000);
  });
});
