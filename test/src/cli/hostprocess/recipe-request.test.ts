import assert from 'node:assert/strict';
import { readRecipeRequest, type RecipeCommandLine, type RecipeFlags } from '../../../../src/cli/hostprocess/recipe-request.ts';
import { UsageError } from '../../../../src/errors.ts';

const DEFAULTS = {
  param: [], list: false, 'show-script': false, to: undefined, 'run-as': 'system', image: undefined, 'pull-secret': [], anchor: 'auto', via: 'exec', selector: undefined, pool: [], release: [], all: false, 'failed-of': undefined, parallel: 10, 'batch-size': 0,
  'batch-pause': undefined, 'max-failures': undefined, timeout: undefined, 'start-timeout': '5m', 'max-output': '16Mi', reason: undefined, yes: false, cpu: undefined, memory: undefined, 'priority-class': undefined, label: [], annotation: [],
  inventory: [], 'kubernetes-version': undefined, 'dry-run': 'none', output: undefined, 'no-headers': false,
};

function read(words: readonly string[], flags: Readonly<Record<string, unknown>> = {}): RecipeCommandLine {
  return readRecipeRequest(words, { ...DEFAULTS, ...flags } as unknown as RecipeFlags, () => ''); // global flags are not looked at
}

describe('readRecipeRequest', () => {
  it('has defaults for all that is not typed', () => {
    const { recipe, ...request } = read(['logs', 'win-1']);
    assert.equal(recipe.id, 'logs');
    assert.deepEqual(request, {
      parameters: { minutes: 60, events: 200, lines: 100 }, format: { name: 'table' }, isByKubelet: false, maxOutputBytes: 16 * 2 ** 20, to: null, failedOf: null, reason: null,
      pod: { image: null, runAsUserName: 'NT AUTHORITY\\SYSTEM', pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {} },
      nodes: { targets: [{ kind: 'node', name: 'win-1' }], selector: undefined, pools: [], releases: [], all: false },
      run: { anchor: 'auto', parallel: 10, batchSize: null, batchPauseSeconds: 0, maxFailures: null, startTimeoutSeconds: 300, via: 'exec', dryRun: 'none', kubernetesVersion: undefined, timeoutSeconds: 300 },
    });
  });

  it('reads nodes behind the name of the recipe, by name and by pod', () => {
    assert.deepEqual(read(['hns', 'node/win-1', 'pod/shop/web']).nodes.targets, [{ kind: 'node', name: 'win-1' }, { kind: 'pod', namespace: 'shop', name: 'web' }]);
  });

  it('reads what a run and its pod are to be like', () => {
    const { run, pod, maxOutputBytes, format } = read(['hns'], { all: true, parallel: 0, 'batch-size': 5, 'batch-pause': '90s', 'max-failures': '0', timeout: '20m', 'run-as': 'local-service', 'max-output': '2MiB', output: 'jsonl', memory: '256Mi', label: ['team=ops'] });
    assert.deepEqual([run.parallel, run.batchSize, run.batchPauseSeconds, run.maxFailures, run.timeoutSeconds], [Number.MAX_SAFE_INTEGER, 5, 90, 0, 1200]);
    assert.deepEqual([pod.runAsUserName, pod.requests, pod.labels, maxOutputBytes, format], ['NT AUTHORITY\\Local service', { memory: '256Mi' }, { team: 'ops' }, 2 * 2 ** 20, { name: 'jsonl' }]);
  });

  it('gives the recipe its own time, and more where log files are brought', () => {
    assert.deepEqual([read(['hns', 'a'], { to: 'x' }), read(['logs', 'a']), read(['logs', 'a'], { to: 'x' }), read(['logs', 'a'], { to: 'x', timeout: '1m' })].map(({ run }) => run.timeoutSeconds), [180, 300, 1800, 60]);
  });

  it('asks kubelets for logs alone', () => {
    const { isByKubelet, run } = read(['logs', 'win-1'], { via: 'kubelet' });
    assert.deepEqual([isByKubelet, run.via], [true, 'exec']);
    assert.throws(() => read(['images', 'win-1'], { via: 'kubelet' }), /^UsageError: --via=kubelet reads logs alone, not images$|--via=kubelet reads logs alone, not images/);
  });

  const refused: readonly [string, readonly string[], Readonly<Record<string, unknown>>, RegExp][] = [
    ['no recipe', [], { all: true }, /^no recipe is named$/], ['a recipe that is not there', ['disk'], { all: true }, /^there is no recipe "disk"$/],
    ['no node', ['hns'], {}, /^no node is named/], ['nodes twice', ['hns', 'win-1'], { pool: ['a'] }, /^names of nodes and --pool cannot be used together/],
    ['batches of kubelets', ['logs', 'win-1'], { via: 'kubelet', 'batch-size': 5 }, /^--via=kubelet and --batch-size cannot be used together/], ['failures of kubelets', ['logs', 'win-1'], { via: 'kubelet', 'max-failures': '0' }, /^--via=kubelet and --max-failures cannot/],
    ['a parameter without a value', ['logs', 'win-1'], { param: ['minutes'] }, /is a whole number from 1 to 43200, and none is given: minutes=60$/], ['a parameter below the least', ['logs', 'win-1'], { param: ['minutes=-5'] }, /from 1 to 43200, and not "-5": minutes=60$/],
    ['bytes that are no text', ['logs', 'win-1'], { param: ['minutes=\u{fffd}'] }, /holds bytes that are no UTF-8/], ['no folder', ['hns', 'win-1'], { to: '' }, /^--to needs the name of a folder$/], ['an empty report', ['hns'], { 'failed-of': '' }, /^--failed-of needs the name of a file$/],
    ['an inventory that is to be run on', ['hns', 'win-1'], { inventory: ['a.json'] }, /^--inventory can be planned for/], ['stdin twice', ['hns'], { 'failed-of': '-', inventory: ['-'], 'dry-run': 'client' }, /standard input is read once$/],
    ['an account with a password', ['hns', 'win-1'], { 'run-as': 'CORP\\ada' }, /"--run-as" flag/], ['a time of nothing', ['hns', 'win-1'], { timeout: '0' }, /"--timeout" flag/],
  ];
  for (const [name, words, flags, message] of refused) it(`refuses ${name}`, () => assert.throws(() => read(words, flags), (error) => error instanceof UsageError && message.test(error.message)));
});
