/** Two people on one node at once, each with a machine of their own and the rights that README.md names; what one does is nothing to the other. */
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import { nameOf, stringAt } from '../../src/domain/kubernetes/object.ts';
import { nothingLeft } from '../cluster/played-runs.ts';
import { eventually, type ClusterUser } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { installedProgram, type Ended, type InstalledProgram } from '../support/installed-program.ts';
import { holdProgram, runningIn, type HeldProgram } from './held-program.ts';
import { loadPlayedNodes, objectsOfRuns, PLAYED_CLUSTER, requestsSince } from './played-cluster.ts';

const NODE = 'people-1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';

interface Person {
  readonly user: ClusterUser;
  readonly home: string;
}

describe('two people on one node', function () {
  this.timeout(120_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const namespace = 'people';
  const held: HeldProgram[] = [];
  let program: InstalledProgram;
  let [ada, grace]: readonly (Person | undefined)[] = [];

  before('a node, and two people who may reach it', async () => {
    program = await installedProgram();
    await loadPlayedNodes(cluster(), [NODE]);
    await cluster().createNamespace(namespace);
    const readme = await readFile(resolve(import.meta.dirname, '../../README.md'), 'utf8');
    const [, text = ''] = /```yaml\n([^`]*name: kubectl-win-hostprocess, [^`]*)```/.exec(readme) ?? [];
    const { rules } = parse(text) as { readonly rules: unknown };
    await cluster().api.create(`${RBAC}/namespaces/${namespace}/roles`, { metadata: { name: 'hostprocess' }, rules });
    await cluster().api.create(`${RBAC}/clusterroles`, { metadata: { name: 'people-nodes' }, rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }] });
    const people: Person[] = [];
    for (const name of ['ada', 'grace']) {
      const subjects = [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }];
      await cluster().api.create(`${RBAC}/namespaces/${namespace}/rolebindings`, { metadata: { name }, subjects, roleRef: { kind: 'Role', name: 'hostprocess', apiGroup: 'rbac.authorization.k8s.io' } });
      await cluster().api.create(`${RBAC}/clusterrolebindings`, { metadata: { name: `people-${name}` }, subjects, roleRef: { kind: 'ClusterRole', name: 'people-nodes', apiGroup: 'rbac.authorization.k8s.io' } });
      const home = join(program.folder, name);
      await mkdir(home);
      people.push({ user: await cluster().user(name, { namespace }), home });
    }
    [ada, grace] = people;
  });
  after(async () => {
    await nothingLeft(cluster(), namespace, 20);
    await cluster().api.delete(`/api/v1/nodes/${NODE}`);
    for (const name of ['ada', 'grace']) await cluster().api.delete(`${RBAC}/clusterrolebindings/people-${name}`);
    await cluster().api.delete(`${RBAC}/clusterroles/people-nodes`);
  });

  afterEach('nobody waits for what a failed test holds', () => {
    for (const { child } of held.splice(0)) child.kill('SIGKILL');
  });

  const of = (person: Person | undefined): Person => person ?? assert.fail();
  /** Reads what is typed until its end, and says it again. */
  const begin = async (person: Person | undefined, word: string): Promise<HeldProgram> => {
    const { user, home } = of(person);
    const one = holdProgram(program, ['hostprocess', 'exec', '-i', NODE, '--kubeconfig', user.kubeconfig, '--', 'cat.exe', word], { home });
    held.push(one);
    await runningIn(cluster(), namespace, one, ({ words }) => words.includes(word));
    return one;
  };
  const end = async ({ child, ended }: HeldProgram, text: string): Promise<void> => {
    child.stdin.end(text);
    const { stdout, stderr, exitCode } = await ended;
    assert.deepEqual([exitCode, stdout, stderr.split('\n').filter((line) => !line.startsWith('note: '))], [0, text, ['']]);
  };
  const run = (person: Person | undefined, ...argv: readonly string[]): Promise<Ended> => program.run(['hostprocess', ...argv, '--kubeconfig', of(person).user.kubeconfig], { env: { HOME: of(person).home } });
  const jobs = async (): Promise<readonly string[]> => (await objectsOfRuns(cluster(), namespace)).filter(({ kind }) => kind === 'Job').map(nameOf);
  const recordsOf = async (person: Person | undefined): Promise<readonly string[]> => readdir(join(of(person).home, '.kube', 'kubectl-win', 'runs'));

  it('each has their own pod, input, output and end', async () => {
    const mark = await cluster().auditMark();
    const [first, second] = [await begin(ada, 'first'), await begin(grace, 'second')];
    assert.equal((await jobs()).length, 2);
    await end(first, 'of ada');
    assert.equal((await jobs()).length, 1);
    await end(second, 'of grace');
    assert.deepEqual(await jobs(), []);
    const requests = (await requestsSince(cluster(), mark)).filter(({ isDryRun, resource }) => !isDryRun && ['jobs', 'pods', 'pods/exec'].includes(resource));
    const names = new Map<string, Set<string>>();
    for (const { user, name, verb } of requests) if (name !== '' && verb !== 'list' && verb !== 'watch') names.set(user, (names.get(user) ?? new Set()).add(name.replace(/-0(?:-[a-z0-9]{5})?$/, '')));
    assert.deepEqual([...names].map(([user, some]) => [user, some.size]), [['ada', 1], ['grace', 1]], 'nobody has named what is the other\'s');
  });

  it('one is interrupted, and the other goes on', async () => {
    const [first, second] = [await begin(ada, 'first'), await begin(grace, 'second')];
    first.child.kill('SIGINT');
    assert.equal((await first.ended).exitCode, 130);
    assert.equal((await jobs()).length, 1);
    await end(second, 'all of it');
  });

  it('one is killed, and sweeps: that is removed, and of the other nothing, who would not have removed it either', async () => {
    const [first, second] = [await begin(ada, 'first'), await begin(grace, 'second')];
    first.child.kill('SIGKILL');
    await first.ended;
    const others = await run(grace, 'sweep');
    assert.equal(others.exitCode, 0, others.stderr);
    assert.match(others.stderr, /not in the record of this machine and left alone/);
    assert.equal((await jobs()).length, 2);

    const mark = await cluster().auditMark();
    const own = await run(ada, 'sweep');
    assert.equal(own.exitCode, 0, own.stderr);
    assert.deepEqual([(await jobs()).length, await recordsOf(ada), (await recordsOf(grace)).length], [1, [], 1], own.stdout + own.stderr);
    const deleted = (await requestsSince(cluster(), mark)).filter(({ verb }) => verb === 'delete');
    assert.deepEqual(deleted.map(({ user, resource }) => [user, resource]), [['ada', 'jobs']]);
    assert.notEqual(stringAt(deleted[0]?.body, 'preconditions', 'uid') ?? '', '');
    await end(second, 'all of it');
    assert.deepEqual(await recordsOf(grace), []);
  });

  it('one sweeps while a run of their own is under way in another window, which goes on', async () => {
    const first = await begin(ada, 'first');
    const { exitCode, stdout, stderr } = await run(ada, 'sweep');
    assert.equal(exitCode, 0, stderr);
    assert.equal((await jobs()).length, 1, stdout + stderr);
    await end(first, 'all of it');
    await eventually('no Job', 10, async () => ((await jobs()).length === 0 ? true : undefined));
  });
});
