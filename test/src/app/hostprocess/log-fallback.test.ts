import assert from 'node:assert/strict';
import { execOnNodes, type ExecOptions, type ExecStep } from '../../../../src/app/exec-on-nodes.ts';
import type { ExecReport } from '../../../../src/app/hostprocess/exec-report.ts';
import type { PodLogs } from '../../../../src/app/ports.ts';
import { SCRIPT_VARIABLE } from '../../../../src/domain/hostprocess/command/log-command.ts';
import { arrayAt, stringAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { ExecCluster, KeptOutputs, sign, type PlayedPod } from '../../../support/exec-cluster.ts';
import { commandOf, execOptions } from '../../../support/exec-run.ts';

interface Ran {
  readonly report: ExecReport | null;
  readonly out: string;
  readonly steps: readonly ExecStep[];
  readonly error: unknown;
}

/** As the kubelet reports a container that has ended. */
function ends(pod: PlayedPod, seconds: number, exitCode: number, more: Readonly<Record<string, unknown>> = {}): void {
  pod.status(seconds, {
    phase: exitCode === 0 ? 'Succeeded' : 'Failed', startTime: '2026-11-30T12:00:01Z',
    containerStatuses: [{ name: 'hostprocess', state: { terminated: { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error', startedAt: '2026-11-30T12:00:02Z', finishedAt: '2026-11-30T12:00:05Z' } } }], ...more,
  });
}

async function run(cluster: ExecCluster, logs: PodLogs['read'], options: Partial<ExecOptions> = {}): Promise<Ran> {
  const outputs = new KeptOutputs();
  const steps: ExecStep[] = [];
  let report: ExecReport | null = null;
  const parts = { reader: cluster.reader, writer: cluster.writer, exec: cluster.exec, podLogs: { read: logs }, records: null, clock: cluster.clock, streamsOf: outputs.streamsOf };
  let error: unknown = null;
  try {
    for await (const step of execOnNodes(execOptions({ via: 'logs', ...options }), parts, (one) => { report = one; })) steps.push(step);
  } catch (failure) {
    error = failure;
  }
  return { report, steps, error, out: [...outputs.byNode.values()].map((streams) => streams.out()).join('') };
}

async function* chunksOf(text: string, size = 7): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

const LOG = `${sign('start 42')}line\r\nan error\n${sign('end 0')}`;
const outcomeOf = ({ report }: Ran): unknown => report?.items[0]?.outcome;

describe('a command whose output is read from the log', () => {
  it('is the main process of its pod; its output comes without signs, its time from the kubelet', async () => {
    const cluster = new ExecCluster(['win-1']);
    cluster.playNode = (pod) => {
      pod.runs(2);
      ends(pod, 10, 0);
    };
    let made: KubeObject | null = null;
    cluster.onCall = ({ verb }, object) => {
      if (verb === 'create') made = object;
      return null;
    };
    const read: string[] = [];
    const ran = await run(cluster, async ({ namespace, pod, container }) => {
      read.push(`${namespace}/${pod}/${container}`);
      return chunksOf(LOG);
    });
    assert.deepEqual([ran.error, ran.out, outcomeOf(ran)], [null, 'line\r\nan error\n', { exitCode: 0, error: null, pid: 42, durationSeconds: 3 }]);
    assert.deepEqual(read, ['ops/kubectl-win-hostprocess-ab12c-0-abcde/hostprocess']);
    const [container] = arrayAt(made, 'spec', 'template', 'spec', 'containers');
    assert.match(Buffer.from(arrayAt(container, 'env').map((one) => stringAt(one, 'value') ?? '').join(''), 'base64').toString('utf8'), /^\$kw=@\{n='0123456789abcdef';k='code'/);
    assert.deepEqual([arrayAt(container, 'env').map((one) => stringAt(one, 'name')), String(arrayAt(container, 'command')[0])], [[SCRIPT_VARIABLE], 'powershell.exe']);
    assert.deepEqual([cluster.callsOf('exec').length, cluster.jobs.size, cluster.callsOf('delete').length], [0, 0, 1]);
    assert.ok(ran.report?.notes.some((note) => note.startsWith('--via=logs: ')));
  });

  const codes: readonly [string, number, string, unknown][] = [
    ['its own code', 7, LOG.replace('end 0', 'end 7'), { exitCode: 7, error: null }],
    ['a code of 32 bits, which pods hold as a signed number', -1073741819, `${sign('start 42')}crash\n`, { exitCode: 3221225477, error: null }],
    ['what the runner says of a command that is not there', 127, `${sign('start 42')}${sign(`failed NotFound ${Buffer.from('x: no such command').toString('base64')}`)}`, { exitCode: null, error: { reason: 'CommandNotFound', message: 'x: no such command' } }],
    ['0 also where a script ended its own process', 0, `${sign('start 42')}bye\n`, { exitCode: 0, error: null }],
    ['0 without a sign where the log has lost all of it', 0, 'the rest\n', { exitCode: 0, error: null }],
  ];
  for (const [name, code, log, expected] of codes) {
    it(`ends with ${name}`, async () => {
      const cluster = new ExecCluster(['win-1']);
      cluster.playNode = (pod) => ends(pod, 3, code);
      const { exitCode, error } = outcomeOf(await run(cluster, async () => chunksOf(log))) as { readonly exitCode: number | null; readonly error: unknown };
      assert.deepEqual({ exitCode, error }, expected);
    });
  }

  it('says that the log has lost its beginning', async () => {
    const cluster = new ExecCluster(['win-1']);
    cluster.playNode = (pod) => ends(pod, 3, 0);
    const { steps } = await run(cluster, async () => chunksOf(`the rest\n${sign('end 0')}`));
    assert.ok(steps.some((step) => step.type === 'note' && step.message.startsWith('win-1: the log has lost its beginning')));
  });

  it('has its code also where its log cannot be read, and is a failure', async () => {
    const cluster = new ExecCluster(['win-1']);
    cluster.playNode = (pod) => ends(pod, 3, 0);
    const ran = await run(cluster, async () => Promise.reject(new ClusterError('kubelet is away', { reason: 'InternalError' })));
    assert.deepEqual(outcomeOf(ran), { exitCode: 0, error: { reason: 'OutputUnreadable', message: 'its log cannot be read: kubelet is away' }, pid: null, durationSeconds: 3 });
    assert.equal(ran.report?.phase, 'failed');
  });

  it('is over with its time, with what it has written so far, and is removed', async () => {
    const cluster = new ExecCluster(['win-1']);
    cluster.playNode = (pod) => pod.runs(2);
    const ran = await run(cluster, async () => chunksOf(`${sign('start 42')}so far\n`), { timeoutSeconds: 60 });
    assert.deepEqual([ran.out, outcomeOf(ran)], ['so far\n', { exitCode: null, error: { reason: 'Timeout', message: 'not ended within 60s', remedy: 'Give it more time (--timeout).' }, pid: 42, durationSeconds: 60 }]);
    assert.deepEqual([cluster.jobs.size, cluster.pods.size], [0, 0]);
  });

  it('is not begun where its pod does not start', async () => {
    const cluster = new ExecCluster(['win-1']);
    cluster.playNode = (pod) => pod.waits(2, 'CreateContainerError', 'failed to logon user: Access is denied');
    const { error } = outcomeOf(await run(cluster, async () => assert.fail('nothing is read'))) as { readonly error: { readonly reason: string } };
    assert.equal(error.reason, 'StartFailed');
  });

  it('has ended with the pod that somebody deletes', async () => {
    const cluster = new ExecCluster(['win-1']);
    cluster.playNode = (pod) => {
      pod.runs(2);
      cluster.clock.later(20, () => cluster.endPod(pod.name));
    };
    const { error } = outcomeOf(await run(cluster, async () => chunksOf(''))) as { readonly error: { readonly reason: string } };
    assert.equal(error.reason, 'Deleted');
  });

  it('is interrupted, and removed', async () => {
    const cluster = new ExecCluster(['win-1']);
    const stop = new AbortController();
    cluster.playNode = (pod) => {
      pod.runs(2);
      cluster.clock.later(20, () => stop.abort(new Error('Ctrl-C')));
    };
    const { error, report } = await run(cluster, async () => chunksOf(''), { signal: stop.signal });
    assert.match(String(error), /Ctrl-C/);
    assert.deepEqual([report?.phase, cluster.jobs.size, cluster.pods.size], ['interrupted', 0, 0]);
  });

  it('has a nonce of its own on each node', async () => {
    const cluster = new ExecCluster(['win-1', 'win-2']);
    cluster.playNode = (pod) => ends(pod, 3, 0);
    const scripts: string[] = [];
    cluster.onCall = ({ verb }, object) => {
      const [container] = arrayAt(object, 'spec', 'template', 'spec', 'containers');
      if (verb === 'create') scripts.push(Buffer.from(stringAt(arrayAt(container, 'env')[0], 'value') ?? '', 'base64').toString('utf8'));
      return null;
    };
    let count = 0;
    await run(cluster, async () => chunksOf(''), { newNonce: () => `${++count}`.padStart(16, '0') });
    assert.equal(new Set(scripts.map((script) => /n='(\d+)'/.exec(script)?.[1])).size, 2);
  });

  it('needs no right to exec, but one to read logs', async () => {
    const cluster = new ExecCluster(['win-1']);
    cluster.playNode = (pod) => ends(pod, 3, 0);
    cluster.missingRights.push('create pods/exec', 'get pods/exec');
    assert.equal((await run(cluster, async () => chunksOf(LOG))).report?.phase, 'succeeded');
    cluster.missingRights.push('get pods/log');
    const { error } = await run(cluster, async () => chunksOf(LOG));
    assert.match(String(error), /pods\/log/);
    assert.deepEqual([cluster.jobs.size, cluster.callsOf('create').length], [0, 1]);
  });

  for (const [name, command] of [['--private', { isPrivate: true }], ['a terminal', { hasTerminal: true }]] as const) {
    it(`is refused with ${name} before anything is created`, async () => {
      const cluster = new ExecCluster(['win-1']);
      const { error } = await run(cluster, async () => chunksOf(''), { command: { ...commandOf('hostname'), ...command } });
      assert.equal((error as Error).name, 'UsageError');
      assert.deepEqual(cluster.calls, []);
    });
  }
});
