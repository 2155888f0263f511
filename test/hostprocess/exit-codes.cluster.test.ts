/** How a command ended on a node, through a real API server and the kubelet's protocol: numbers of 32 bits, commands that never began, ends that nobody saw. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import type { OpenCluster } from '../../src/adapters/kube/cluster.ts';
import { runCommand } from '../../src/app/hostprocess/run-command.ts';
import { planTransport } from '../../src/domain/hostprocess/command/plan-transport.ts';
import type { CommandRequest } from '../../src/domain/hostprocess/command/transport.ts';
import type { ExecOutcome } from '../../src/domain/hostprocess/outcome.ts';
import { EXEC_CONTAINER } from '../../src/domain/hostprocess/run-objects.ts';
import { open, realClock } from '../cluster/played-runs.ts';
import { eventually } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { rawNode } from '../support/fake-cluster.ts';

const CODES = [0, 1, 7, 255, 256, 3_221_225_477, 4_294_967_295] as const;

interface Ran {
  readonly outcome: ExecOutcome;
  readonly stdout: string;
  readonly stderr: string;
}

describe('the end of a command on a node', function () {
  this.timeout(60_000);
  const cluster = useCluster({ with: ['kubelet'], standInPlays: 'windows-shell' });
  const namespace = 'exit-codes';
  let client: OpenCluster;
  let nonces = 0;

  before('pods', async () => {
    await cluster().loadNodes([rawNode('exit-codes-1')], { kubelet: true });
    await cluster().createNamespace(namespace);
    for (const name of ['pod', 'noexec']) await cluster().api.create(`/api/v1/namespaces/${namespace}/pods`, { metadata: { name }, spec: { nodeName: 'exit-codes-1', containers: [{ name: EXEC_CONTAINER, image: 'r.example/base' }] } });
    client = await open(cluster().kubeconfig);
  });
  after(async () => {
    await client.close();
    await cluster().api.delete('/api/v1/nodes/exit-codes-1');
  });

  const run = async (request: Partial<CommandRequest>, { pod = 'pod', timeoutSeconds = 30 }: { readonly pod?: string; readonly timeoutSeconds?: number } = {}): Promise<Ran> => {
    nonces += 1;
    const transport = planTransport({ shell: 'powershell', words: [], script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop', nonce: nonces.toString(16).padStart(16, '0'), ...request });
    assert.ok(!('refused' in transport));
    const [stdout, stderr] = [collect(), collect()];
    const never = new AbortController().signal;
    const outcome = await runCommand({ namespace, pod }, transport, { stdout, stderr, tty: null }, { timeoutSeconds, signal: never, over: never, note: () => undefined }, { exec: client.execChannel, clock: realClock });
    return { outcome, stdout: stdout.text(), stderr: stderr.text() };
  };

  for (const code of CODES) {
    it(`is ${code}, of a program, of code, of a script, of a line of cmd, and of words as they are`, async () => {
      const number = String(code);
      // PowerShell's own take 32 bits with a sign
      const signed = String(code | 0);
      for (const request of [
        { words: ['code.exe', number] }, { words: ['code.exe', number], isPrivate: true }, { words: [`exit ${signed}`] }, { words: [`code ${number}`] }, { script: { name: 'a.ps1', text: `echo hi\nexit ${signed}\n` } },
        { words: ['code.exe', number], shell: 'cmd' }, { words: ['code', number], shell: 'none' },
      ] as const satisfies readonly Partial<CommandRequest>[]) {
        const { outcome: { exitCode, error, pid }, stderr } = await run(request);
        assert.deepEqual({ exitCode, error, stderr }, { exitCode: code, error: null, stderr: '' }, JSON.stringify(request));
        assert.equal(pid === null, 'shell' in request && request.shell === 'none', 'the process on the node is known but without the runner');
      }
    });
  }

  it('is 1 with a message where a script throws, and stderr has nothing else', async () => {
    for (const request of [{ words: ['throw "it broke"'] }, { script: { name: 'a.ps1', text: 'throw "it broke"' } }, { words: ['no-such-thing -x'] }]) {
      const { outcome, stderr } = await run(request);
      assert.deepEqual([outcome.exitCode, outcome.error], [1, null]);
      assert.match(stderr, /^(?:it broke|no-such-thing : The term .*)\n$/);
    }
  });

  it('goes on behind an error where it is asked to', async () => {
    const { outcome, stdout } = await run({ words: ['no-such-thing; echo after'], errorAction: 'continue' });
    assert.deepEqual([outcome.exitCode, stdout], [0, 'after\n']);
  });

  for (const [what, request, reason, message] of [
    ['there is no such command', { words: ['no-such.exe', 'a'] }, 'CommandNotFound', /no-such\.exe: no such command/],
    ['Windows cannot start it', { words: ['argv', 'x'.repeat(40_000)] }, 'StartFailed', /too long/],
  ] as const) {
    it(`says that nothing ran, and why, where ${what}`, async () => {
      const { outcome, stdout, stderr } = await run(request);
      assert.deepEqual([outcome.exitCode, outcome.error?.reason, stdout, stderr], [null, reason, '', '']);
      assert.match(outcome.error?.message ?? '', message);
    });
  }

  it('says that nothing ran where the runtime cannot start a process in the container', async () => {
    const { outcome } = await run({ words: ['echo', 'hi'] }, { pod: 'noexec' });
    assert.deepEqual([outcome.exitCode, outcome.error?.reason], [null, 'StartFailed']);
    assert.match(outcome.error?.message ?? '', /user name or password is incorrect/);
  });

  it('is not believed where the API server says 0 and the runner has not said so', async () => {
    const { outcome } = await run({ words: ['die-before-end', 'now'] });
    assert.deepEqual([outcome.exitCode, outcome.error?.reason], [null, 'EndNotSeen']);
    assert.notEqual(outcome.pid, null);
  });

  it('is a time-out where a command takes longer than it may', async () => {
    const { outcome, stdout } = await run({ words: ['sleep', '8'] }, { timeoutSeconds: 1 });
    assert.deepEqual([outcome.exitCode, outcome.error?.reason, stdout], [null, 'Timeout', 'started\n']);
  });

  it('is that of a process that was ended, where the pod goes in the middle of a command', async () => {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    await cluster().api.create(path, { metadata: { name: 'going' }, spec: { nodeName: 'exit-codes-1', containers: [{ name: EXEC_CONTAINER, image: 'r.example/base' }] } });
    const running = run({ words: ['sleep', '20'] }, { pod: 'going' });
    await eventually('the command', 20, async () => (await cluster().execRecords('going')).some(({ words }) => words.includes('20')) || undefined);
    await cluster().api.send('DELETE', `${path}/going`, { gracePeriodSeconds: 0 });
    const { outcome } = await running;
    assert.deepEqual([outcome.exitCode, outcome.error], [1, null]);
  });

  it('is not known, and no success, where the kubelet goes away in the middle of a command', async () => {
    const running = run({ words: ['sleep', '9'] });
    await eventually('the command', 20, async () => (await cluster().execRecords('pod')).some(({ isEnded, words }) => !isEnded && words.includes('9')) || undefined);
    await cluster().stopComponent('kubelet');
    try {
      const { outcome } = await running;
      assert.equal(outcome.exitCode, null);
      assert.match(outcome.error?.reason ?? '', /^(?:EndNotSeen|ConnectionLost|NodeLost)$/);
    } finally {
      await cluster().restartComponent('kubelet');
    }
  });
});

function collect(): Writable & { text(): string } {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(sink, { text: () => Buffer.concat(chunks).toString() });
}
