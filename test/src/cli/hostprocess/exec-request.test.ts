import assert from 'node:assert/strict';
import { readExecRequest, type ExecCommandLine, type ExecFlags } from '../../../../src/cli/hostprocess/exec-request.ts';
import { UsageError } from '../../../../src/errors.ts';

const DEFAULTS = {
  stdin: false, tty: false, 'stdin-all': false, shell: 'powershell', script: undefined, 'run-as': 'system', private: false, 'error-action': 'stop', image: undefined, 'pull-secret': [], anchor: 'auto', via: 'exec', keep: undefined, reuse: undefined, selector: undefined, pool: [],
  release: [], all: false, 'failed-of': undefined, parallel: 10, 'batch-size': 0, 'batch-pause': undefined, 'max-failures': undefined, timeout: undefined, 'start-timeout': '5m', 'output-mode': undefined, fold: false, 'max-output': '1Mi', transcript: undefined,
  reason: undefined, yes: false, cpu: undefined, memory: undefined, 'priority-class': undefined, label: [], annotation: [], inventory: [], 'kubernetes-version': undefined, 'dry-run': 'none', output: undefined, 'no-headers': false,
};

interface Typed {
  readonly words?: readonly string[];
  readonly command?: readonly string[] | null;
  readonly flags?: Readonly<Record<string, unknown>>;
}

function read({ words = ['win-1'], command = ['hostname'], flags = {} }: Typed = {}): ExecCommandLine {
  return readExecRequest(words, command, { ...DEFAULTS, ...flags } as unknown as ExecFlags, () => ''); // global flags are not looked at
}

const withFlags = (flags: Readonly<Record<string, unknown>>): ExecCommandLine => read({ flags });

describe('readExecRequest', () => {
  it('has defaults for all that is not typed', () => {
    const request = read();
    assert.deepEqual([request.format, request.outputMode, request.stdin, request.isTerminal, request.maxOutputBytes], [null, null, 'none', false, 2 ** 20]);
    assert.deepEqual(request.command, { shell: 'powershell', words: ['hostname'], isPrivate: false, errorAction: 'stop' });
    assert.deepEqual(request.pod, { image: null, runAsUserName: 'NT AUTHORITY\\SYSTEM', pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {} });
    assert.deepEqual(request.nodes, { targets: [{ kind: 'node', name: 'win-1' }], selector: undefined, pools: [], releases: [], all: false });
    assert.deepEqual(request.run, {
      anchor: 'auto', parallel: 10, batchSize: null, batchPauseSeconds: 0, maxFailures: null, timeoutSeconds: 600, startTimeoutSeconds: 300, keepSeconds: null, reuse: null, via: 'exec', dryRun: 'none', kubernetesVersion: undefined,
    });
  });

  it('R128: keeps words behind -- as they are, whatever they look like', () => {
    const words = ['d:', '-x', '', '--', 'node/a', 'a b'];
    assert.deepEqual(read({ command: words }).command.words, words);
  });

  it('takes nodes by name and by pod', () => {
    assert.deepEqual(read({ words: ['win-1', 'node/win-2', 'pod/web', 'pod/shop/web'] }).nodes.targets, [
      { kind: 'node', name: 'win-1' }, { kind: 'node', name: 'win-2' }, { kind: 'pod', namespace: null, name: 'web' }, { kind: 'pod', namespace: 'shop', name: 'web' },
    ]);
  });

  it('gives somebody who sits before it more time', () => {
    assert.equal(read({ command: null, flags: { tty: true, stdin: true } }).run.timeoutSeconds, 8 * 3600);
    assert.equal(read({ flags: { tty: true, timeout: '90s' } }).run.timeoutSeconds, 90);
  });

  it('reads numbers and sizes', () => {
    assert.deepEqual([withFlags({ 'max-output': '10Mi' }), withFlags({ 'max-output': '1MiB' }), withFlags({ 'max-output': '2kB' }), withFlags({ 'max-output': '0' })].map(({ maxOutputBytes }) => maxOutputBytes), [10 * 2 ** 20, 2 ** 20, 2000, 0]);
    assert.deepEqual([withFlags({ 'max-failures': '0' }).run.maxFailures, withFlags({ 'max-failures': '3' }).run.maxFailures], [0, 3]);
    assert.equal(withFlags({ parallel: 0 }).run.parallel, Number.MAX_SAFE_INTEGER);
    const { run } = withFlags({ 'batch-size': 5, 'batch-pause': '10m', keep: '30m', 'start-timeout': '20s' });
    assert.deepEqual([run.batchSize, run.batchPauseSeconds, run.keepSeconds, run.startTimeoutSeconds], [5, 600, 1800, 20]);
  });

  it('reads what the pod is to have', () => {
    const { pod } = withFlags({ 'run-as': 'network-service', image: 'registry.example/base:v1', 'pull-secret': ['a'], 'priority-class': 'high', cpu: '500m', memory: '1Gi', label: ['team=ops', 'empty='], annotation: ['example.com/ticket=A=1, B'] });
    assert.deepEqual(pod, {
      image: 'registry.example/base:v1', runAsUserName: 'NT AUTHORITY\\NetworkService', pullSecrets: ['a'], priorityClass: 'high', requests: { cpu: '500m', memory: '1Gi' }, labels: { team: 'ops', empty: '' }, annotations: { 'example.com/ticket': 'A=1, B' },
    });
    assert.equal(withFlags({ 'run-as': 'Backup Operators' }).pod.runAsUserName, 'Backup Operators');
  });

  it('reads how output is shown', () => {
    assert.deepEqual([withFlags({ fold: true }), withFlags({ 'output-mode': 'block' }), withFlags({ fold: true, 'output-mode': 'fold' })].map(({ outputMode }) => outputMode), ['fold', 'block', 'fold']);
    assert.deepEqual([withFlags({ output: 'json' }), withFlags({ output: 'jsonl' }), withFlags({ output: '' })].map(({ format }) => format?.name ?? null), ['json', 'jsonl', null]);
    assert.deepEqual([withFlags({ stdin: true }), withFlags({ 'stdin-all': true })].map(({ stdin }) => stdin), ['one', 'all']);
  });

  const refused: readonly [Typed, RegExp][] = [
    [{ words: [] }, /^no node is named: give NODE, -l, --pool, --release, --all or --failed-of$/],
    [{ words: [''] }, /^"" has no name$/], [{ words: ['deploy/web'] }, /^"deploy\/web" is neither a node nor a pod/],
    [{ command: null }, /^you must specify at least one command$/], [{ command: [] }, /^you must specify at least one command$/],
    [{ flags: { selector: 'a=b' } }, /^names of nodes and -l cannot be used together/], [{ flags: { pool: ['a'] } }, /^names of nodes and --pool cannot/], [{ flags: { release: ['a'] } }, /^names of nodes and --release cannot/],
    [{ flags: { all: true } }, /^--all and names of nodes cannot/], [{ words: [], flags: { all: true, pool: ['a'] } }, /^--all and --pool cannot/],
    [{ flags: { 'failed-of': 'r.json' } }, /^--failed-of and names of nodes cannot/], [{ words: [], flags: { 'failed-of': 'r.json', all: true } }, /^--failed-of and --all cannot/], [{ words: [], flags: { 'failed-of': '' } }, /^--failed-of needs the name of a file$/],
    [{ flags: { script: '' } }, /^--script needs the name of a file$/],
    [{ flags: { via: 'logs', stdin: true } }, /^--via=logs and -i cannot be used together/], [{ flags: { via: 'logs', tty: true } }, /^--via=logs and -t cannot/], [{ flags: { via: 'logs', private: true } }, /^--via=logs and --private cannot/],
    [{ flags: { via: 'logs', keep: '5m' } }, /^--via=logs and --keep cannot/], [{ flags: { via: 'logs', reuse: 'a1b2c3' } }, /^--via=logs and --reuse cannot/],
    [{ flags: { script: '-', stdin: true } }, /^-i and --script - cannot be used together: standard input is read once$/], [{ flags: { stdin: true, 'stdin-all': true } }, /^-i and --stdin-all cannot/],
    [{ words: [], flags: { 'failed-of': '-', script: '-' } }, /^--script - and --failed-of - cannot/],
    [{ flags: { fold: true, 'output-mode': 'block' } }, /^--fold and --output-mode=block cannot/], [{ flags: { output: 'json', fold: true } }, /^-o and --fold cannot/], [{ flags: { output: 'jsonl', 'output-mode': 'block' } }, /^-o and --output-mode cannot/],
    [{ flags: { tty: true, output: 'json' } }, /^-t and -o cannot/], [{ flags: { tty: true, fold: true } }, /^-t and --fold cannot/], [{ flags: { tty: true, script: 'a.ps1' } }, /^-t and --script cannot/],
    [{ flags: { tty: true, private: true } }, /^-t and --private cannot/], [{ flags: { tty: true, 'stdin-all': true } }, /^-t and --stdin-all cannot/],
    [{ flags: { keep: '30m', reuse: 'a1b2c3' } }, /^--keep and --reuse cannot/],
    [{ flags: { reuse: '' } }, /^invalid argument "" for "--reuse" flag: is no id of a run$/], [{ flags: { reuse: 'A_B' } }, /^invalid argument "A_B" for "--reuse" flag/],
    [{ flags: { 'pull-secret': [''] } }, /^invalid argument "" for "--pull-secret" flag: is no name/], [{ flags: { 'pull-secret': ['a', 'A_B'] } }, /^invalid argument "A_B" for "--pull-secret" flag/], [{ flags: { 'priority-class': '' } }, /^invalid argument "" for "--priority-class" flag: is no name/],
    [{ flags: { 'batch-pause': '5m' } }, /^--batch-pause needs --batch-size$/],
    [{ flags: { inventory: ['a.json'] } }, /^--inventory can be planned for, and nothing be run on its nodes$/], [{ flags: { transcript: 'a', 'dry-run': 'client' } }, /^--transcript and --dry-run cannot/],
    [{ flags: { timeout: '0' } }, /"--timeout" flag/], [{ flags: { 'start-timeout': '200h' } }, /"--start-timeout" flag/], [{ flags: { keep: '0' } }, /"--keep" flag/], [{ flags: { 'max-failures': '-1' } }, /"--max-failures" flag/],
    [{ flags: { 'max-output': '1X' } }, /"--max-output" flag/], [{ flags: { cpu: 'much' } }, /"--cpu" flag/], [{ flags: { memory: '-1' } }, /"--memory" flag/], [{ flags: { image: 'https://x.example/a' } }, /"--image" flag/],
    [{ flags: { 'run-as': 'CORP\\ada' } }, /"--run-as" flag: is an account with a password/], [{ flags: { 'run-as': 'ContainerAdministrator' } }, /"--run-as" flag/],
    [{ flags: { label: ['a'] } }, /"--label" flag: must be KEY=VALUE$/], [{ flags: { label: ['a=b c'] } }, /no value of a label$/], [{ flags: { label: ['a b=c'] } }, /no key that Kubernetes takes$/],
    [{ flags: { label: ['kubectl-win/run=x'] } }, /is the program's own$/], [{ flags: { annotation: ['kubectl-win/origin=x'] } }, /is the program's own$/], [{ flags: { output: 'sarif' } }, /unable to match a printer/],
  ];
  for (const [typed, message] of refused) {
    it(`refuses ${JSON.stringify(typed)}`, () => assert.throws(() => read(typed), (error) => error instanceof UsageError && message.test(error.message)));
  }

  it('takes a recording for a plan, also with -o and -t', () => assert.equal(read({ flags: { inventory: ['a.json'], 'dry-run': 'client', tty: true, output: 'yaml' } }).run.dryRun, 'client'));
});
