/** Mixed pools: what the plan predicts of each node is what containerd's own matcher answers, and impossible pairs are refused before anything is created. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import type { ImagePlatforms } from '../../src/domain/image/image-platforms.ts';
import { nothingLeft, PLAYED } from '../cluster/played-runs.ts';
import { partsOrSkip, useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';
import { optionsFor, PLAYED_CLUSTER, prepull } from './played-cluster.ts';

/** Builds with a revision, and releases of containerd with the version of containerd/platforms that is in each: go.mod of the tags, read 2026-11-30. */
const HOSTS = { 2019: '10.0.17763.7792', 2022: '10.0.20348.4171', 2025: '10.0.26100.6584' } as const;
const RUNTIMES: readonly (readonly [release: string, matcher: string])[] = [['2.0.4', 'rc.1'], ['2.2.9', 'rc.2'], ['2.3.4', 'rc.4']];

const IMAGES: Readonly<Record<string, readonly string[]>> = {
  'r.example/ok-all:1': ['10.0.17763.7792', '10.0.20348.4171', '10.0.26100.6584'],
  'r.example/ok-newest-first:1': ['10.0.26100.6584', '10.0.20348.4171', '10.0.17763.7792'],
  'r.example/ok-two-revisions:1': ['10.0.20348.4000', '10.0.20348.4171', '10.0.26100.1'],
  'r.example/ok-2022:1': ['10.0.20348.4171'],
  'r.example/ok-2019:1': ['10.0.17763.7792'],
};

interface Answer {
  readonly only: readonly number[];
  readonly default: readonly number[];
}

describe('prepull over mixed pools', function () {
  this.timeout(120_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const nodes = Object.entries(HOSTS).flatMap(([release, version]) => RUNTIMES.map(([runtime, matcher]) => ({ name: `mix-${release}-${runtime.replaceAll('.', '-')}`, version, runtime, matcher })));
  let program = '';

  before('build the program that asks containerd', async function () {
    this.timeout(600_000);
    program = (await partsOrSkip(this, ['containerd-matcher']))['containerd-matcher'];
    await cluster().createNamespace('mix');
    await cluster().loadNodes(nodes.map(({ name, version, runtime }) => rawNode(name, { kernelVersion: version, runtime: `containerd://${runtime}` })), { room: true, labels: { ...PLAYED, suite: 'mix' } });
  });
  after(async () => {
    await cluster().kubectl(['delete', 'nodes', '-l', 'suite=mix', '--wait=false']);
  });

  function ask(host: string, entries: readonly string[], matcher: string): Answer {
    const { status, stdout, stderr } = spawnSync(program, { input: `${JSON.stringify({ host, entries })}\n`, encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return (JSON.parse(stdout) as Readonly<Record<string, Answer>>)[matcher] ?? assert.fail(matcher);
  }

  const index = (entries: readonly string[]): ImagePlatforms => ({
    shape: 'index', confidence: 'registry', os: null, because: 'as the test says', platforms: entries.map((osVersion, place) => ({ os: 'windows', architecture: 'amd64', osVersion, digest: `sha256:${String(place).repeat(64)}`, sizeBytes: 1_000 + place })),
  });

  it('predicts what containerd takes on each node, pulls that, and creates nothing for the others', async () => {
    const mark = await cluster().auditMark();
    const { report, error } = await prepull(cluster().kubeconfig, optionsFor({ run: 'mix', namespace: 'mix', named: Object.keys(IMAGES), nodeSelector: 'suite=mix', images: { platformsOf: (image) => index(IMAGES[image] ?? []) } }));
    assert.equal(error, null, String(error));
    assert.equal(report?.items.length, nodes.length * Object.keys(IMAGES).length);
    let refused = 0;
    let chosen = 0;
    for (const item of report?.items ?? []) {
      const { version, matcher } = nodes.find(({ name }) => name === item.node) ?? assert.fail(item.node);
      const entries = IMAGES[item.image] ?? [];
      const answer = ask(version, entries, matcher);
      const title = `${item.image} on ${item.node} (${matcher})`;
      if (answer.only.length === 0) {
        assert.deepEqual([item.action, item.reason, item.result], ['refuse', 'NoMatchForPlatform', 'refused'], title);
        refused += 1;
        continue;
      }
      assert.deepEqual([item.action, item.result], ['pull', 'pulled'], title);
      const taken = [...new Set([answer.default[0], answer.only[0]].map((place) => entries[place ?? -1]))];
      assert.deepEqual(new Set(item.variants.map(({ osVersion }) => osVersion)), new Set(taken), title);
      if (taken.length > 1) assert.equal(item.variant, null, title);
      else {
        const place = entries.indexOf(taken[0] ?? '');
        assert.deepEqual([item.variant?.osVersion, item.variant?.digest, item.sizeBytes], [taken[0], `sha256:${String(place).repeat(64)}`, 1_000 + place], title);
      }
      chosen += 1;
    }
    assert.ok(refused >= 9 && chosen >= 20, `${refused} refused, ${chosen} chosen`);
    const created = (await cluster().auditEvents(mark)).filter(({ verb, objectRef, userAgent, requestURI }) => verb === 'create' && objectRef?.resource === 'jobs' && userAgent?.includes('kubectl-win') === true && !requestURI.includes('dryRun'));
    assert.equal(created.length, chosen + 1);
    await nothingLeft(cluster(), 'mix', 30);
  });
});
