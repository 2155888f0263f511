import assert from 'node:assert/strict';
import type { ExecStep } from '../../../../src/app/exec-on-nodes.ts';
import { readKubeletLogs, type KubeletLogsOptions } from '../../../../src/app/hostprocess/kubelet-logs.ts';
import type { RecipeReport } from '../../../../src/app/hostprocess/recipe-report.ts';
import type { NodeLogs } from '../../../../src/app/ports.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { ExecCluster } from '../../../support/exec-cluster.ts';
import { rawNode } from '../../../support/fake-cluster.ts';
import { assertMatchesRecipeSchema } from '../../../support/recipe-schema.ts';
import { recipeOf } from '../../../support/recipe-run.ts';

type Answer = (node: string, query: Readonly<Record<string, readonly string[]>>, signal: AbortSignal | undefined) => string | Promise<string>;

interface Ran {
  readonly report: RecipeReport | null;
  readonly steps: readonly ExecStep[];
  readonly error: unknown;
  readonly asked: readonly string[];
}

async function read(cluster: ExecCluster, answer: Answer, options: Partial<KubeletLogsOptions> = {}, hasLogs = true): Promise<Ran> {
  const asked: string[] = [];
  const nodeLogs: NodeLogs = {
    query: async (node, query, { signal } = {}) => {
      asked.push(`${node} ${Object.entries(query).map(([name, values]) => `${name}=${values.join(',')}`).join('&')}`);
      const text = await answer(node, query, signal);
      return (async function* bytes() {
        const whole = Buffer.from(text);
        for (let from = 0; from < whole.length; from += 5) yield whole.subarray(from, from + 5);
      })();
    },
  };
  let report: RecipeReport | null = null;
  let error: unknown = null;
  const steps: ExecStep[] = [];
  const given: KubeletLogsOptions = {
    recipe: recipeOf('logs'), parameters: { minutes: 60, events: 200, lines: 2 }, targets: [], pools: [], releases: [], all: true, parallel: 10, timeoutSeconds: 300, dryRun: 'none', maxOutputBytes: 2 ** 20,
    describe: { asOf: new Date('2026-11-30T12:00:00Z') }, signal: new AbortController().signal, ...options,
  };
  try {
    for await (const step of readKubeletLogs(given, { reader: cluster.reader, nodeLogs: hasLogs ? nodeLogs : null, clock: cluster.clock }, (one) => { report = one; })) steps.push(step);
  } catch (failure) {
    error = failure;
  }
  return { report, steps, error, asked };
}

const dataOf = ({ report }: Ran, index = 0): Record<string, unknown> => report?.items[index]?.data ?? assert.fail(JSON.stringify(report?.items[index]?.outcome));
const errorOf = ({ report }: Ran): unknown => report?.items[0]?.outcome?.error;

describe('logs of nodes by their kubelets', () => {
  it('are those of the services, without anything being created', async () => {
    const cluster = new ExecCluster(['win-1']);
    const ran = await read(cluster, (_, { query }) => `${query?.[0]} one\r\n${query?.[0]} two\r\n`);
    assert.deepEqual(ran.asked, ['kubelet', 'containerd', 'kube-proxy'].map((service) => `win-1 query=${service}&sinceTime=2026-11-30T11:00:00.000Z&tailLines=2`));
    assert.deepEqual([dataOf(ran)['services'], ran.report?.phase, ran.report?.run], [['kubelet', 'containerd', 'kube-proxy'].map((name) => ({ name, lines: [`${name} one`, `${name} two`] })), 'succeeded', null]);
    assertMatchesRecipeSchema('logs', dataOf(ran));
    assert.deepEqual(cluster.calls.filter(({ verb }) => verb === 'create' || verb === 'dry-run' || verb === 'exec'), []);
  });

  it('are the last lines of the file that a service logs to', async () => {
    const ran = await read(new ExecCluster(['win-1']), (_, query) => ('sinceTime' in query ? '\noptions present and query resolved to log files for [x]\ntry without specifying options\n' : 'a\nb\nc\n'));
    assert.deepEqual((dataOf(ran)['services'] as readonly { readonly lines: unknown }[])[0]?.lines, ['b', 'c']);
    assert.equal(ran.asked.length, 6);
  });

  it('are cut at their beginning where they are long, and keep what is UTF-8 together', async () => {
    const ran = await read(new ExecCluster(['win-1']), (_, query) => ('sinceTime' in query ? '\noptions present and query resolved to log files for [x]\n' : `${'0123456789\n'.repeat(100)}\u{1f600}ü end\n`), { maxOutputBytes: 120, parameters: { minutes: 1, lines: 0 } });
    const [kubelet] = dataOf(ran)['services'] as readonly { readonly lines: readonly string[] }[];
    assert.ok((kubelet?.lines.length ?? 0) <= 12);
    assert.ok(kubelet?.lines.slice(0, -1).every((line) => line === '0123456789'));
    assert.equal(kubelet?.lines.at(-1), '\u{1f600}ü end');
  });

  it('leave out a service that the node has no log of, and say so', async () => {
    const ran = await read(new ExecCluster(['win-1']), (_, { query }) => (query?.[0] === 'kube-proxy' ? '\nlog not found for kube-proxy\n' : 'x\n'));
    assert.deepEqual([(dataOf(ran)['services'] as readonly { readonly name: string }[]).map(({ name }) => name), (dataOf(ran)['problems'] as readonly unknown[])[0]], [['kubelet', 'containerd'], { part: 'services', message: 'the node has no log of kube-proxy' }]);
  });

  const failures: readonly [string, Answer, { readonly reason: string; readonly remedy: RegExp }][] = [
    ['switched off, which is the default', () => '<!doctype html>\n<pre>\n', { reason: 'NotSupported', remedy: /^Set it to true\. Leave --via=kubelet away/ }],
    ['not served', () => Promise.reject(new ClusterError('404 page not found', { reason: 'NotFound', status: 404 })), { reason: 'NotSupported', remedy: /^Leave --via=kubelet away/ }],
    ['forbidden, for which no Role is proposed', () => Promise.reject(new ClusterError('nodes "win-1" is forbidden', { reason: 'Forbidden', status: 403 })), { reason: 'Forbidden', remedy: /nodes\/proxy, which is as much as a shell on every node\. Leave/ }],
    ['of a node that is away', () => Promise.reject(new ClusterError('error trying to reach service', { reason: 'ServiceUnavailable', status: 503 })), { reason: 'NodeLost', remedy: /kubectl describe node/ }],
    ['of a kubelet that is silent', (_n, _q, signal) => new Promise((_, reject) => { signal?.addEventListener('abort', () => reject(signal.reason as Error)); }), { reason: 'Timeout', remedy: /--timeout/ }],
  ];
  for (const [name, answer, { reason, remedy }] of failures) {
    it(`are a failure where they are ${name}`, async () => {
      const ran = await read(new ExecCluster(['win-1']), answer);
      const error = errorOf(ran) as { readonly reason: string; readonly remedy?: string };
      assert.equal(error.reason, reason);
      assert.match(error.remedy ?? '', remedy);
      assert.deepEqual([ran.report?.phase, ran.report?.items[0]?.data], ['failed', null]);
    });
  }

  it('are asked of Windows nodes alone, and one that fails keeps no other from answering', async () => {
    const cluster = new ExecCluster(['win-1', 'win-2']);
    cluster.objects['nodes'] = [...cluster.objects['nodes'] ?? [], rawNode('lin-1', { os: 'linux' })];
    const targets = ['win-1', 'lin-1', 'win-2', 'gone'].map((name) => ({ kind: 'node' as const, name }));
    const { report } = await read(cluster, (node) => (node === 'win-1' ? '<!doctype html>' : 'x\n'), { targets, all: false, parallel: 1 });
    assert.deepEqual(report?.items.map(({ node, outcome, data }) => [node, outcome?.error?.reason ?? null, data !== null]), [['win-1', 'NotSupported', false], ['lin-1', 'NotWindows', false], ['win-2', null, true], ['gone', 'NotFound', false]]);
  });

  it('are planned without a question, also for a recording', async () => {
    const { report, asked } = await read(new ExecCluster(['win-1']), () => 'x', { dryRun: 'client' }, false);
    assert.deepEqual([report?.phase, asked], ['planned', []]);
    assert.match(String((await read(new ExecCluster(['win-1']), () => 'x', {}, false)).error), /an inventory can be planned for/);
  });

  it('are interrupted with what there was', async () => {
    const stop = new AbortController();
    const { report, error } = await read(new ExecCluster(['win-1', 'win-2']), (node, _, signal) => {
      if (node === 'win-1') return 'x\n';
      stop.abort(new Error('Ctrl-C'));
      return Promise.reject(signal?.reason as Error);
    }, { signal: stop.signal, parallel: 1 });
    assert.match(String(error), /Ctrl-C/);
    assert.deepEqual([report?.phase, report?.items[0]?.data !== null], ['interrupted', true]);
  });
});
