/** Public reports about commands in HostProcess containers and about kubectl exec (../shared/cases/reports.md), each against the whole program, a real API server and a node that is played. */
import assert from 'node:assert/strict';
import { arrayAt, nameOf, recordAt, stringAt } from '../../src/domain/kubernetes/object.ts';
import { nothingLeft } from '../cluster/played-runs.ts';
import type { ExecRecord } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { installedProgram, type Ended, type InstalledProgram, type StartOptions } from '../support/installed-program.ts';
import { loadPlayedNodes, objectsOfRuns, PLAYED_CLUSTER, requestsSince } from './played-cluster.ts';

const NODES = ['report-1', 'report-2'] as const;

interface Ran extends Ended {
  /** What arrived on the nodes. */
  readonly records: readonly ExecRecord[];
}

describe('reports about commands on nodes', function () {
  this.timeout(60_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const namespace = 'exec-reports';
  let program: InstalledProgram;

  before('nodes', async () => {
    program = await installedProgram();
    await loadPlayedNodes(cluster(), NODES);
    await cluster().createNamespace(namespace);
  });
  after(async () => {
    await nothingLeft(cluster(), namespace, 30);
    for (const node of NODES) await cluster().api.delete(`/api/v1/nodes/${node}`);
  });

  async function exec(argv: readonly string[], options: StartOptions = {}): Promise<Ran> {
    const mark = await cluster().auditMark();
    const ended = await program.run(['hostprocess', 'exec', '--kubeconfig', cluster().kubeconfig, '-n', namespace, ...argv], options);
    const pods = new Set((await requestsSince(cluster(), mark)).filter(({ resource }) => resource === 'pods/exec').map(({ name }) => name));
    return { ...ended, records: (await cluster().execRecords()).filter(({ pod }) => pods.has(pod)) };
  }

  it('R110: every program that is started by name has its extension, for no other is looked for in a container', async () => {
    for (const argv of [[NODES[0], '--', 'echo', 'hi'], [NODES[0], '--', 'echo hi'], [NODES[0], '--shell=cmd', '--', 'echo hi'], [NODES[0], '--private', '--', 'echo', 'hi'], [NODES[0], '--shell=pwsh', '--', 'echo', 'hi']]) {
      const { records: [record], stdout } = await exec(argv);
      assert.deepEqual([stdout.trim(), record?.problem], ['hi', '']);
      assert.match(record?.argv[0] ?? '', /\.exe$/, argv.join(' '));
    }
  });

  it('R113: builtins of cmd run by cmd, those of PowerShell by PowerShell, and programs are the host\'s', async () => {
    const builtin = await exec([NODES[0], '--shell=cmd', '--', 'echo', 'a & b']);
    assert.deepEqual([builtin.exitCode, builtin.stdout], [0, '"a & b"\r\n'], builtin.stderr);
    assert.equal(builtin.records[0]?.kind, 'cmd');
    const cmdlet = await exec([NODES[0], '--', 'Show-Words', 'a & b']);
    assert.deepEqual([cmdlet.exitCode, cmdlet.stdout], [0, '[a & b]\n'], cmdlet.stderr);
    const found = await exec([NODES[0], '--', 'argv', 'a & b']);
    assert.deepEqual(found.records[0]?.words, ['C:\\Program Files\\played\\argv.exe', 'a & b']);
    const missing = await exec([NODES[0], '--', 'dir.exe', 'x']);
    assert.match(missing.stderr, /^error: report-1: CommandNotFound: dir\.exe: no such command$/m);
  });

  it('R123: nothing is taken for a shell of Linux: PowerShell where nothing is said, and what is said otherwise', async () => {
    for (const [flags, name] of [[[], 'powershell.exe'], [['--shell=pwsh'], 'pwsh.exe'], [['--shell=cmd'], 'powershell.exe'], [['--shell=none'], 'echo']] as const) {
      const { records, exitCode, stderr } = await exec([NODES[0], ...flags, '--', 'echo', 'hi']);
      assert.equal(exitCode, 0, stderr);
      assert.equal(records[0]?.argv[0], name);
      for (const word of records[0]?.argv ?? []) assert.doesNotMatch(word, /^(?:\/bin\/)?(?:ba)?sh$|^-c$/);
    }
  });

  it('R126: a command that hangs has its time, and its pod and all that runs in it end with that', async () => {
    const { exitCode, stderr, stdout } = await exec([NODES[0], '--timeout=2s', '--', 'sleep', '600']);
    assert.deepEqual([exitCode, stdout], [1, 'started\n'], stderr);
    assert.match(stderr, /^error: report-1: Timeout: not ended within 2s$/m);
    assert.deepEqual((await objectsOfRuns(cluster(), namespace)).map(nameOf), [], 'when the program has ended');
  });

  it('R127: 0 without the sign of the end is no success', async () => {
    const { exitCode, stderr } = await exec([NODES[0], '--', 'die-before-end', 'now']);
    assert.notEqual(exitCode, 0);
    assert.match(stderr, /^error: report-1: EndNotSeen: /m);
    const { stdout } = await exec([NODES[0], '-o', 'json', '--', 'die-before-end', 'now']);
    const { items: [item] } = JSON.parse(stdout) as { readonly items: readonly { readonly exitCode: unknown; readonly error: { readonly reason: string } }[] };
    assert.deepEqual([item?.exitCode, item?.error.reason], [null, 'EndNotSeen']);
  });

  it('R128: a drive letter is no pod and no node where a command is named, nor an option of this program', async () => {
    const words = ['argv', 'd:/test', 'D:', 'C:\\a b\\', '-n', '--all'];
    const { records, exitCode, stderr } = await exec([NODES[0], '--', ...words]);
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(records.map((record) => record.words.slice(1)), [words.slice(1)]);
    const { exitCode: code, stderr: said } = await exec(['d:/test', '--', 'hostname']);
    assert.equal(code, 2);
    assert.match(said, /d:/);
  });

  it('R136: characters that come in two pieces stay whole, and output of a code page is kept as bytes and not guessed', async () => {
    const text = `${'成功: 已终止 PID 为 1234 的进程。 é€😀'.repeat(20_000)}\n`;
    const folded = await exec([...NODES, '--fold', '--max-output=10Mi', '--stdin-all', '--', 'cat.exe'], { stdin: text });
    assert.equal(folded.exitCode, 0, folded.stderr);
    assert.ok(folded.stdout.includes(text) && !folded.stdout.includes('\ufffd'));
    const prefixed = await exec([...NODES, '--stdin-all', '--', 'cat.exe'], { stdin: text });
    assert.ok(!prefixed.stdout.includes('\ufffd') && prefixed.stdout.includes('report-1  成功: 已终止'));
    // "成功" as taskkill writes it on zh-CN
    const gbk = Buffer.from([0xb3, 0xc9, 0xb9, 0xa6]);
    const { stdout } = await exec([NODES[0], '-i', '-o', 'json', '--', 'cat.exe'], { stdin: gbk });
    const { items: [item] } = JSON.parse(stdout) as { readonly items: readonly { readonly stdout: unknown; readonly stdoutBase64: string }[] };
    assert.deepEqual([item?.stdout, item?.stdoutBase64], [null, gbk.toString('base64')]);
  });

  it('R137: quotes and backslashes in arguments of programs arrive, which Windows PowerShell itself loses', async () => {
    const words = ['{"a": "b c"}', 'say "hi"', 'C:\\dir with blank\\', '\\"', '', "it's", 'a""b', '--%', '$env:PATH', '`n', '%PATH%', '^&|<>'];
    for (const flags of [[], ['--private'], ['--shell=pwsh']]) {
      const { records, exitCode, stderr } = await exec([NODES[0], ...flags, '--', 'argv.exe', ...words]);
      assert.equal(exitCode, 0, stderr);
      assert.deepEqual(records.map((record) => record.words.slice(1)), [words], flags.join());
    }
  });

  it('R138 R139: the pod is what kubectl debug makes by now of a Windows node, and there is more: exit codes of 32 bits, several nodes, and nothing that stays', async () => {
    const mark = await cluster().auditMark();
    const { stdout, exitCode } = await exec([...NODES, '-o', 'json', '--', 'code.exe', '3221225477']);
    const [job] = (await requestsSince(cluster(), mark)).filter(({ verb, resource, isDryRun }) => verb === 'create' && resource === 'jobs' && !isDryRun);
    const spec = recordAt(job?.body, 'spec', 'template', 'spec');
    assert.deepEqual([spec['hostNetwork'], recordAt(spec, 'securityContext', 'windowsOptions'), stringAt(spec, 'os', 'name'), NODES.includes(stringAt(spec, 'nodeName') as (typeof NODES)[number])], [true, { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' }, 'windows', true]);
    assert.deepEqual([spec['hostPID'], spec['hostIPC'], recordAt(arrayAt(spec, 'containers')[0])['securityContext']], [undefined, undefined, undefined]);
    const { items } = JSON.parse(stdout) as { readonly items: readonly { readonly exitCode: number }[] };
    assert.deepEqual([exitCode, items.map((item) => item.exitCode)], [1, [3_221_225_477, 3_221_225_477]]);
    assert.deepEqual(await objectsOfRuns(cluster(), namespace), []);
  });
});
