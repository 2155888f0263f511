import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { clusterWithFlags, userWithFlags } from '../../../../../src/adapters/kube/config/connection-flags.ts';
import { processEnvironment } from '../../../../../src/adapters/kube/config/environment.ts';
import { loadKubeconfig } from '../../../../../src/adapters/kube/config/kubeconfig-files.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from '../../../../../src/adapters/kube/config/kubeconfig.ts';
import { ensureParts, unobtainableParts } from '../../../../cluster/build.ts';
import { notRun } from '../../../../support/cases.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';
import type { Random } from '../../../../support/random.ts';

const ROUNDS = 60;
const seed = testSeed();

/** Several kubeconfig files, some missing, empty, JSON or repeated, with names that meet in more than one of them. */
interface Files {
  readonly kubeconfig: string;
  readonly texts: ReadonlyMap<string, string>;
}

function generate(random: Random): Files {
  const texts = new Map<string, string>();
  const paths: string[] = [];
  for (let index = 0; index < 1 + random.below(4); index += 1) {
    const path = random.pick(['one', 'two', 'sub/three', 'sub/deep/four', 'five']);
    paths.push(path);
    if (texts.has(path) || random.chance(12)) continue;
    const document = generateDocument(random);
    texts.set(path, random.chance(10) ? '' : random.chance(30) ? JSON.stringify(document) : yamlOf(document));
  }
  return { kubeconfig: paths.join(':'), texts };
}

type Fields = Readonly<Record<string, unknown>>;

function generateDocument(random: Random): Fields {
  const maybe = (percent: number, fields: Fields): Fields => (random.chance(percent) ? fields : {});
  const names = (): readonly string[] => ['a', 'b', 'c', '2020-01-01'].filter(() => random.chance(50));
  return {
    ...maybe(70, { apiVersion: 'v1', kind: 'Config' }),
    ...maybe(80, {
      clusters: names().map((name) => ({
        name,
        cluster: {
          ...maybe(90, { server: `https://${random.pick(['x', 'y'])}.example` }),
          ...maybe(30, { 'certificate-authority': random.pick(['ca.crt', '../ca.crt', '/etc/ca.crt']) }),
          ...maybe(30, { 'certificate-authority-data': 'aGVsbG8=' }),
          ...maybe(20, { 'insecure-skip-tls-verify': random.chance(50) }),
          ...maybe(20, { 'tls-server-name': 'inside' }),
          ...maybe(20, { 'proxy-url': 'http://proxy:3128' }),
          ...maybe(20, { 'disable-compression': true }),
        },
      })),
    }),
    ...maybe(80, {
      users: names().map((name) => ({
        name,
        user: {
          ...maybe(40, { token: `t-${random.below(9)}` }),
          ...maybe(20, { tokenFile: 'token' }),
          ...maybe(20, { 'client-certificate': './me.crt', 'client-key-data': 'aGVsbG8=' }),
          ...maybe(20, { username: 'joe', password: 'pw' }),
          ...maybe(20, { as: 'jane', 'as-uid': '7', 'as-groups': ['g', 'h'], 'as-user-extra': { k: ['v', 'w'] } }),
          ...maybe(30, { exec: { apiVersion: `client.authentication.k8s.io/${random.pick(['v1', 'v1beta1'])}`, command: random.pick(['tool', './tool', '../bin/tool', '/bin/tool']), args: ['x'], env: null, provideClusterInfo: false, ...maybe(50, { interactiveMode: 'Never' }) } }),
          ...maybe(10, { 'auth-provider': { name: 'oidc', config: { 'client-id': 'i' } } }),
          ...maybe(20, { 'unknown-field': 1 }),
        },
      })),
    }),
    ...maybe(90, {
      contexts: names().map((name) => ({
        name,
        context: { cluster: random.pick(['a', 'b', 'c', 'gone']), user: random.pick(['a', 'b', 'c', 'gone', '']), ...maybe(50, { namespace: random.pick(['n1', '1:30']) }) },
      })),
    }),
    ...maybe(70, { 'current-context': random.pick(['a', 'b', 'c', '']) }),
  };
}

/** Plain scalars where JSON has quotes, so that the YAML reader has something to decide. */
function yamlOf(document: Fields): string {
  const lines = Object.entries(document).map(([key, value]) => `${key}: ${JSON.stringify(value).replaceAll(/"(2020-01-01|1:30|tool|jane)"/g, ' $1')}`);
  return `# generated\n${lines.join('\n')}\n`;
}

interface NamedEntries {
  readonly clusters: readonly { readonly name: string; readonly cluster: Record<string, string> }[] | null;
  readonly users: readonly { readonly name: string; readonly user: Record<string, string> & { exec?: { command: string } } }[] | null;
}

/** What kubectl printed, with the paths made absolute: `config view` shows them as they are in the files. */
function withAbsolutePaths(printed: string, config: Kubeconfig, folder: string): unknown {
  const document = JSON.parse(printed) as NamedEntries;
  const absolute = (fields: Record<string, string>, names: readonly string[], origin: string | undefined): void => {
    for (const name of names) {
      const path = fields[name];
      if (path !== undefined) fields[name] = resolve(folder, dirname(origin ?? ''), path);
    }
  };
  for (const { name, cluster } of document.clusters ?? []) absolute(cluster, ['certificate-authority'], config.clusters.get(name)?.origin);
  for (const { name, user } of document.users ?? []) {
    const origin = config.users.get(name)?.origin;
    absolute(user, ['client-certificate', 'client-key', 'tokenFile'], origin);
    if (user.exec?.command.includes('/') === true) absolute(user.exec as unknown as Record<string, string>, ['command'], origin);
  }
  return document;
}

/** Our merged kubeconfig in kubectl's shape, empty fields left out as Go leaves them out. */
function asKubectl(config: Kubeconfig): unknown {
  const filled = (fields: Fields): Fields => Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '' && value !== false && !(Array.isArray(value) && value.length === 0)));
  const cluster = (entry: KubeconfigCluster): Fields => ({
    server: entry.server,
    ...filled({
      'certificate-authority': entry.caFile, 'certificate-authority-data': entry.caData, 'insecure-skip-tls-verify': entry.skipTLSVerify,
      'tls-server-name': entry.tlsServerName, 'proxy-url': entry.proxyUrl, 'disable-compression': entry.disableCompression,
    }),
  });
  const user = (entry: KubeconfigUser): Fields => filled({
    token: entry.token, tokenFile: entry.tokenFile, 'client-certificate': entry.certFile, 'client-certificate-data': entry.certData,
    'client-key': entry.keyFile, 'client-key-data': entry.keyData, username: entry.username, password: entry.password,
    as: entry.impersonateUser, 'as-uid': entry.impersonateUid, 'as-groups': entry.impersonateGroups,
    'as-user-extra': Object.keys(entry.impersonateExtra).length === 0 ? undefined : entry.impersonateExtra,
    'auth-provider': entry.authProvider,
    exec: entry.exec === undefined ? undefined : { apiVersion: entry.exec.apiVersion, command: entry.exec.command, args: entry.exec.args, env: null, provideClusterInfo: entry.exec.provideClusterInfo, ...filled({ interactiveMode: entry.exec.interactiveMode }) },
  });
  const listed = <T>(map: ReadonlyMap<string, T>, field: string, of: (entry: T) => Fields): unknown => (map.size === 0 ? null : [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, entry]) => ({ name, [field]: of(entry) })));
  return {
    kind: 'Config',
    apiVersion: 'v1',
    clusters: listed(config.clusters, 'cluster', cluster),
    users: listed(config.users, 'user', user),
    contexts: listed(config.contexts, 'context', (entry) => ({ cluster: entry.cluster, user: entry.user, ...filled({ namespace: entry.namespace }) })),
    'current-context': config.currentContext,
  };
}

describe('kubeconfigs against the real kubectl', function () {
  this.timeout(60_000);
  let kubectl = '';
  let folder = '';

  before(async function () {
    this.timeout(40 * 60 * 1000);
    const missing = await unobtainableParts(['kubectl']);
    if (missing.length > 0) notRun(this, `comparing kubeconfigs needs Go on PATH, or KUBEBUILDER_ASSETS with ${missing.join(', ')}`);
    ({ kubectl } = await ensureParts(['kubectl']));
  });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-win-kubeconfig-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function run(args: readonly string[], variables: Record<string, string>): Promise<{ readonly failed: boolean; readonly stdout: string; readonly stderr: string }> {
    return new Promise((answer) => {
      execFile(kubectl, [...args], { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, ...variables } }, (error, stdout, stderr) => answer({ failed: error !== null, stdout, stderr }));
    });
  }

  it(`merges and resolves ${ROUNDS} generated sets of files as kubectl does (KUBECTL_WIN_SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    for (let round = 0; round < ROUNDS; round += 1) {
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      const { kubeconfig, texts } = generate(random);
      for (const [path, text] of texts) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), text);
      }
      const variables = { KUBECONFIG: kubeconfig };
      const theirs = await run(['config', 'view', '--raw', '-o', 'json'], variables);
      assert.equal(theirs.failed, false, theirs.stderr);
      const { config } = await loadKubeconfig(undefined, processEnvironment({ variables: { ...variables, HOME: folder }, workingFolder: folder }));
      const message = `round ${round}: KUBECONFIG=${kubeconfig}\n${[...texts].map(([path, text]) => `--- ${path}\n${text}`).join('\n')}`;
      assert.deepEqual(asKubectl(config), withAbsolutePaths(theirs.stdout, config, folder), message);
      await compareMinified(config, variables, message);
    }
  });

  /** What is left for the current context. */
  async function compareMinified(config: Kubeconfig, variables: Record<string, string>, message: string): Promise<void> {
    const context = config.contexts.get(config.currentContext);
    const cluster = config.clusters.get(context?.cluster ?? '');
    const user = config.users.get(context?.user ?? '');
    if (context === undefined || cluster === undefined || user === undefined) return;
    const { stdout, failed, stderr } = await run(['config', 'view', '--raw', '--minify', '-o', 'json'], variables);
    assert.equal(failed, false, `${stderr}\n${message}`);
    const expected = asKubectl({
      ...config,
      clusters: new Map([[cluster.name, clusterWithFlags(cluster, {}, '')]]),
      users: new Map([[user.name, userWithFlags(user, {})]]),
      contexts: new Map([[context.name, context]]),
    });
    assert.deepEqual(expected, withAbsolutePaths(stdout, config, folder), message);
  }

  for (const [title, text] of [
    ['a number for a token', 'users: [{name: u, user: {token: 123}}]'],
    ['a string for a flag', 'clusters: [{name: c, cluster: {insecure-skip-tls-verify: "true"}}]'],
    ['a name twice', 'users: [{name: u}, {name: u}]'],
    ['bad base64', 'users: [{name: u, user: {client-key-data: "a"}}]'],
    ['another kind', 'kind: Pod\napiVersion: v1'],
    ['plain text', 'hello'],
    ['broken YAML', 'a: [\nb'],
  ] as const) {
    it(`refuses ${title}, as kubectl does`, async () => {
      writeFileSync(join(folder, 'config'), text);
      assert.equal((await run(['config', 'view'], { KUBECONFIG: 'config' })).failed, true, 'kubectl takes it');
      await assert.rejects(loadKubeconfig('config', processEnvironment({ variables: {}, workingFolder: folder })));
    });
  }
});
