import assert from 'node:assert/strict';
import { killTree } from '../../../../src/app/hostprocess/kill-tree.ts';
import { discarding } from '../../../../src/app/hostprocess/sinks.ts';
import { nameOf, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { error, ExecCluster, keptStreams, runs, sign, type PlayCommand } from '../../../support/exec-cluster.ts';
import { RUN, runExec, type RanExec } from '../../../support/exec-run.ts';
import { memoryRuns, type MemoryRuns } from '../../../support/local-runs.ts';

interface Kept {
  readonly cluster: ExecCluster;
  readonly records: MemoryRuns;
  readonly commands: string[];
  readonly again: (more?: Parameters<typeof runExec>[1]) => Promise<RanExec>;
}

/** A run that has kept its pods; `play` is of the command after it. */
async function kept(nodes: readonly string[], play: PlayCommand): Promise<Kept> {
  const cluster = new ExecCluster(nodes);
  const records = memoryRuns();
  await runExec(cluster, { records, keepSeconds: 1_800 });
  const commands: string[] = [];
  cluster.playCommand = (command) => {
    commands.push(command.request.command.join(' '));
    return command.request.command[0] === 'taskkill.exe' ? Promise.resolve(0) : play(command);
  };
  return { cluster, records, commands, again: (more) => runExec(cluster, { records, run: 'other', reuse: RUN, ...more }) };
}

const forever: PlayCommand = async ({ err, wait }) => {
  await err(sign('start 77'));
  await wait(5_000);
  return 0;
};

describe('pods that are used again', () => {
  it('keep nothing of a command whose time is over: it is killed with all that it has started', async () => {
    const { commands, again, cluster } = await kept(['n0'], forever);
    const { outcomes } = await again({ timeoutSeconds: 30 });
    assert.deepEqual(outcomes, ['n0: null Timeout']);
    assert.equal(commands.at(-1), 'taskkill.exe /T /F /PID 77');
    assert.equal(cluster.pods.size, 1);
  });

  it('nor of one whose connection is lost, in the run that makes them and in the next', async () => {
    const lost: PlayCommand = async ({ err, wait }) => {
      await err(sign('start 77'));
      await wait(2);
      throw error('ConnectionLost', 'lost; the command may still be running');
    };
    const { commands, again } = await kept(['n0'], lost);
    assert.deepEqual((await again()).outcomes, ['n0: null ConnectionLost']);
    assert.equal(commands.at(-1), 'taskkill.exe /T /F /PID 77');
    const cluster = new ExecCluster(['n0']);
    const seen: string[] = [];
    cluster.playCommand = (command) => {
      seen.push(command.request.command.join(' '));
      return command.request.command[0] === 'taskkill.exe' ? Promise.resolve(0) : lost(command);
    };
    await runExec(cluster, { keepSeconds: 1_800 });
    assert.equal(seen.at(-1), 'taskkill.exe /T /F /PID 77');
  });

  it('nor of one that is interrupted', async () => {
    const { commands, again, cluster } = await kept(['n0'], forever);
    const stop = new AbortController();
    await again({ signal: stop.signal, onStep: ({ type }) => { if (type === 'started') cluster.clock.later(5, () => stop.abort(new Error('Ctrl-C'))); } });
    assert.equal(commands.at(-1), 'taskkill.exe /T /F /PID 77');
    assert.equal(cluster.pods.size, 1);
  });

  it('are those of the record, by UID, and no other with the labels of the run', async () => {
    const { cluster, commands, again } = await kept(['n0', 'n1'], runs());
    const name = [...cluster.pods.keys()].find((pod) => pod.includes('-1-')) ?? '';
    const pod = cluster.pods.get(name) as KubeObject;
    cluster.pods.set(name, { ...pod, metadata: { ...pod['metadata'] as object, uid: 'trap', ownerReferences: [] } } as unknown as KubeObject); // somebody else's
    const { outcomes } = await again();
    assert.deepEqual(outcomes.toSorted(), ['n0: 0', 'n1: null NotFound']);
    assert.equal(commands.length, 1);
  });

  it('are no pods that another passes for: whoever may create pods may give them any owner', async () => {
    const { cluster, commands, again } = await kept(['n0', 'n1'], runs());
    const podOf = (index: number): KubeObject => [...cluster.pods].find(([name]) => name.includes(`-${index}-`))?.[1] ?? {};
    const name = 'kubectl-win-hostprocess-zzzzz';
    cluster.pods.set(name, { ...podOf(0), metadata: { ...podOf(0)['metadata'] as object, name, uid: 'trap' } } as unknown as KubeObject);
    const { report } = await again();
    assert.deepEqual(report?.items.map(({ outcome }) => outcome?.error?.message ?? null), [`another pod passes for that of the run ${RUN} there`, null]);
    cluster.pods.delete(name);
    cluster.pods.set(nameOf(podOf(1)), { ...podOf(1), spec: { ...podOf(1)['spec'] as object, hostNetwork: false, securityContext: { windowsOptions: { runAsUserName: 'NT AUTHORITY\\SYSTEM' } } } } as unknown as KubeObject);
    assert.deepEqual((await again()).outcomes.toSorted(), ['n0: 0', 'n1: null NotFound']);
    assert.equal(commands.length, 2);
  });

  it('are told of where their node has none that runs', async () => {
    const { cluster, again } = await kept(['n0'], runs());
    cluster.pods.clear();
    const { report } = await again();
    assert.deepEqual([report?.phase, report?.items[0]?.outcome?.error?.reason], ['failed', 'NotFound']);
  });

  it('are looked at where a command ends without its sign', async () => {
    const { cluster, again } = await kept(['n0'], async ({ err, request }) => {
      await err(sign('start 77'));
      cluster.removePod(request.pod);
      return 1;
    });
    assert.deepEqual((await again()).outcomes, ['n0: null Deleted']);
    const there = await kept(['n0'], async ({ err }) => {
      await err(sign('start 77'));
      return 1;
    });
    assert.deepEqual((await there.again()).outcomes, ['n0: 1']);
  });

  it('are made by no run: nothing is created, deleted or put on record', async () => {
    const { cluster, records, again } = await kept(['n0'], runs());
    const before = cluster.calls.length;
    await again();
    assert.deepEqual(cluster.calls.slice(before).filter(({ verb }) => ['create', 'delete', 'merge'].includes(verb)), []);
    assert.deepEqual([...records.runs.keys()], [RUN]);
  });
});

describe('killTree', () => {
  const kill = async (play: PlayCommand, pid: number | null = 7): Promise<string | null> => {
    const cluster = new ExecCluster([]);
    cluster.playCommand = play;
    return killTree({ namespace: 'ops', pod: 'p' }, pid, keptStreams(), cluster);
  };

  it('says what it does not know', async () => {
    assert.equal(await kill(async () => 0), null);
    assert.equal(await kill(async () => 128), null, 'it had ended');
    assert.match(await kill(async () => 1) ?? '', /process 7: taskkill ended with exit code 1/);
    assert.match(await kill(async () => 0, null) ?? '', /is not known/);
    assert.match(await kill(async () => { throw error('ConnectionLost', 'lost'); }) ?? '', /process 7: lost/);
    assert.match(await kill(async ({ wait }) => { await wait(100); return 0; }) ?? '', /process 7: the node does not answer/);
  });
});

describe('discarding', () => {
  it('takes everything and hands nothing on', async () => {
    const streams = keptStreams();
    const sink = discarding(streams.stdout);
    await new Promise<void>((resolve) => { assert.equal(sink.write(Buffer.from('x'), () => resolve()), true); });
    assert.equal(streams.out(), '');
  });
});
