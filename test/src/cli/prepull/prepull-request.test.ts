import assert from 'node:assert/strict';
import { UsageError } from '../../../../src/errors.ts';
import { readPrepullRequest, type PrepullFlags } from '../../../../src/cli/prepull/prepull-request.ts';

const DEFAULTS = {
  filename: [], recursive: false, from: [], 'from-plan': undefined, selector: undefined, pool: [], node: [], 'skip-cordoned': false, parallel: 10, timeout: '45m', retries: 3, detach: false, hold: undefined, 'keep-warm': false, 'watch-nodes': false, engine: 'jobs', 'min-free': undefined, 'min-success': '100%',
  'service-account': undefined, 'pull-secret': [], images: undefined, 'pull-secrets': true, refresh: false, inventory: [], 'kubernetes-version': undefined, 'as-of': undefined, 'dry-run': 'none', output: undefined, 'no-headers': false, 'sort-by': undefined,
};

const read = (words: readonly string[], flags: Readonly<Record<string, unknown>> = {}): ReturnType<typeof readPrepullRequest> => readPrepullRequest(words, { ...DEFAULTS, ...flags } as unknown as PrepullFlags, () => ''); // global flags are not looked at

describe('readPrepullRequest', () => {
  it('reads shares and times', () => {
    const { minSuccess, pulls } = read(['a:1'], { 'min-success': '99.5%', 'min-free': '20%', timeout: '90s' });
    assert.deepEqual([minSuccess, pulls.minFree, pulls.timeoutSeconds], [0.995, 0.2, 90]);
    assert.equal(read(['a:1'], { timeout: '1500ms' }).pulls.timeoutSeconds, 2);
  });

  it('R143: notes a time that is short for an image of Windows, and what becomes of a pull that takes longer', () => {
    assert.deepEqual([read(['a:1']), read(['a:1'], { timeout: '1800' }), read(['a:1'], { timeout: '1m', 'keep-warm': true })].map(({ notes }) => notes), [[], [], []]);
    assert.match(read(['a:1'], { timeout: '1799s' }).notes.join(), /^--timeout=1799s: a pull that takes longer is ended, and not tried again;/);
    // OpenKruise tries again
    assert.match(read(['a:1'], { timeout: '10m', engine: 'kruise' }).notes.join(), /^--timeout=10m: a pull that takes longer is ended; kubelets/);
  });

  it('reads how long to hold', () => {
    assert.deepEqual([read(['a:1']).pulls.holdSeconds, read(['a:1'], { hold: '8h' }).pulls.holdSeconds], [undefined, 28_800]);
    for (const hold of ['0', 'x', '169h']) assert.throws(() => read(['a:1'], { hold }), UsageError);
  });

  it('refuses less than the second that the API server counts in, in place of rounding it up', () => {
    for (const flag of ['timeout', 'hold']) for (const text of ['1ms', '0.5s', '999ms']) assert.throws(() => read(['a:1'], { [flag]: text }), { message: `invalid argument "${text}" for "--${flag}" flag: must be from 1s to 168h` });
    assert.deepEqual([read(['a:1'], { timeout: '1s' }).pulls.timeoutSeconds, read(['a:1'], { hold: '1000ms' }).pulls.holdSeconds], [1, 1]);
  });

  it('has a floor for free space where it can be known', () => {
    assert.deepEqual([read(['a:1']).pulls.minFree, read(['a:1'], { 'min-free': '0%' }).pulls.minFree], [0.15, null]);
    const offline = { inventory: ['x'], 'dry-run': 'client' };
    assert.deepEqual([read(['a:1'], offline).pulls.minFree, read(['a:1'], { ...offline, 'min-free': '10%' }).pulls.minFree], [null, 0.1]);
  });

  it('tells pull secrets of other namespaces from names', () => {
    const { pullSecrets, copiedSecrets } = read(['a:1'], { 'pull-secret': ['own', 'vault/registry'] }).pulls;
    assert.deepEqual([pullSecrets, copiedSecrets], [['own'], [{ namespace: 'vault', name: 'registry' }]]);
    assert.throws(() => read(['a:1'], { 'pull-secret': ['vault/'] }), /invalid argument "vault\/" for "--pull-secret" flag: must be NAME or NAMESPACE\/NAME/);
    for (const flags of [{ 'keep-warm': true }, { engine: 'kruise' }]) assert.throws(() => read(['a:1'], { 'pull-secret': ['vault/registry'], ...flags }), UsageError);
  });

  it('knows whether -n was typed', () => {
    assert.deepEqual([read(['a:1']).pulls.isNamespaceGiven, read(['a:1'], { namespace: '' }).pulls.isNamespaceGiven, read(['a:1'], { namespace: 'x' }).pulls.isNamespaceGiven], [false, false, true]);
  });

  it('takes names of nodes as kubectl writes them', () => {
    assert.deepEqual(read(['a:1'], { node: ['win-1', 'node/win-2', 'nodes/win-3'] }).pulls.nodes, ['win-1', 'win-2', 'win-3']);
  });

  it('tells images from workloads', () => {
    for (const word of ['deploy/web', 'daemonsets/agent']) assert.throws(() => read([word]), UsageError, word);
    for (const word of ['deploy/web:1', 'docker.io/deploy', 'shop/web', 'web']) assert.deepEqual(read([word]).pulls.named, [word]);
    assert.deepEqual(read([], { from: ['deploy/web', 'ds/agent'] }).pulls.from, [{ type: 'deploy', name: 'web' }, { type: 'ds', name: 'agent' }]);
  });
});
