import assert from 'node:assert/strict';
import { lineOfField } from '../../../../../src/adapters/kube/config/field-position.ts';
import { mergeKubeconfigs, parseKubeconfig } from '../../../../../src/adapters/kube/config/kubeconfig.ts';
import { InputError } from '../../../../../src/errors.ts';

const COMPLETE = `
apiVersion: v1
kind: Config
preferences: {colors: true}
current-context: prod
unknown-field: [1, 2]
clusters:
- name: east
  cluster:
    server: https://east.example:6443/k8s/clusters/c-1
    certificate-authority-data: aGVsbG8=
    tls-server-name: api.internal
    proxy-url: socks5://127.0.0.1:1080
    disable-compression: yes
    extensions:
    - name: client.authentication.k8s.io/exec
      extension: {audience: east}
    - name: other
      extension: {a: 1}
- name: west
  cluster: {server: http://west.example, insecure-skip-tls-verify: on, certificate-authority: ca.crt}
users:
- name: robot
  user:
    token: abc
    tokenFile: token.txt
    as: jane
    as-uid: "7"
    as-groups: [a, b]
    as-user-extra: {scopes: [view, edit]}
- name: person
  user:
    exec:
      apiVersion: client.authentication.k8s.io/v1beta1
      command: ./plugin
      args: [get-token]
      env: [{name: A, value: b}]
      installHint: get it
      provideClusterInfo: true
- name: old
  user:
    auth-provider: {name: oidc, config: {client-id: me}}
contexts:
- name: prod
  context: {cluster: east, user: person, namespace: shop}
- name: bare
  context: {cluster: west}
`;

async function problemOf(text: string): Promise<InputError> {
  try {
    await parseKubeconfig(text, 'the-file');
  } catch (error) {
    assert.ok(error instanceof InputError, `InputError expected, got ${String(error)}`);
    return error;
  }
  assert.fail('no error');
}

describe('parseKubeconfig', () => {
  it('reads every field that client-go knows and ignores the others', async () => {
    const config = await parseKubeconfig(COMPLETE, 'f');
    assert.equal(config.currentContext, 'prod');
    assert.deepEqual(config.clusters.get('east'), {
      name: 'east',
      server: 'https://east.example:6443/k8s/clusters/c-1',
      skipTLSVerify: false,
      disableCompression: true,
      caData: 'aGVsbG8=',
      tlsServerName: 'api.internal',
      proxyUrl: 'socks5://127.0.0.1:1080',
      execConfig: { audience: 'east' },
      origin: 'f',
    });
    assert.deepEqual(config.clusters.get('west'), { name: 'west', server: 'http://west.example', skipTLSVerify: true, disableCompression: false, caFile: 'ca.crt', origin: 'f' });
    assert.deepEqual(config.users.get('robot'), {
      name: 'robot', token: 'abc', tokenFile: 'token.txt', impersonateUser: 'jane', impersonateUid: '7',
      impersonateGroups: ['a', 'b'], impersonateExtra: { scopes: ['view', 'edit'] }, origin: 'f',
    });
    assert.deepEqual(config.users.get('person')?.exec, {
      apiVersion: 'client.authentication.k8s.io/v1beta1', command: './plugin', args: ['get-token'], env: [{ name: 'A', value: 'b' }],
      installHint: 'get it', provideClusterInfo: true, interactiveMode: 'IfAvailable',
    });
    assert.deepEqual(config.users.get('old')?.authProvider, { name: 'oidc', config: { 'client-id': 'me' } });
    assert.deepEqual(config.contexts.get('bare'), { name: 'bare', cluster: 'west', user: '', origin: 'f' });
  });

  it('reads the same from JSON', async () => {
    const yaml = await parseKubeconfig('clusters: [{name: c, cluster: {server: "https://a"}}]\ncurrent-context: x', 'f');
    const json = await parseKubeconfig('{"clusters":[{"name":"c","cluster":{"server":"https://a"}}],"current-context":"x"}', 'f');
    assert.deepEqual(json, yaml);
  });

  it('leaves interactiveMode open for v1, where it is obligatory', async () => {
    const config = await parseKubeconfig('users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: p}}}]', 'f');
    assert.equal(config.users.get('u')?.exec?.interactiveMode, '');
  });

  for (const [name, text] of [['nothing', ''], ['a comment', '# later\n'], ['null', 'null'], ['null lists', 'clusters: null\nusers:\ncontexts: ~\n']] as const) {
    it(`takes a file with ${name} for an empty kubeconfig`, async () => {
      const config = await parseKubeconfig(text, 'f');
      assert.deepEqual([config.clusters.size, config.users.size, config.contexts.size, config.currentContext], [0, 0, 0, '']);
    });
  }

  it('takes scalars as kubectl does: dates are strings, the last of two equal keys counts', async () => {
    const config = await parseKubeconfig('contexts: [{name: 2020-01-01, context: {namespace: a, namespace: 1:30}}]', 'f');
    assert.deepEqual(config.contexts.get('2020-01-01'), { name: '2020-01-01', cluster: '', user: '', namespace: '1:30', origin: 'f' });
  });

  it('uses the first of several documents', async () => {
    assert.equal((await parseKubeconfig('current-context: a\n---\ncurrent-context: b\n', 'f')).currentContext, 'a');
  });

  const broken: readonly (readonly [title: string, text: string, line: number | null, message: RegExp])[] = [
    ['text that is not YAML', 'clusters: [\n  name: b\n', 3, /is not valid YAML/],
    ['an alias that may be a token, which is not quoted', 'users:\n- user:\n    token: *s3cr3t\n', 3, /is not valid YAML: unidentified alias$/],
    ['a tab as indentation', 'clusters:\n\t- name: a\n', 2, /is not valid YAML/],
    ['broken JSON', '{"clusters": [\n  {"name": "c",\n', 3, /is not valid YAML/],
    ['a number for a token', 'users:\n- name: u\n  user:\n    token: 12345678\n', 4, /users\[0\]\.user\.token must be a string, not a number; put it in quotes$/],
    ['a string for a flag', 'clusters:\n- name: c\n  cluster:\n    server: s\n    insecure-skip-tls-verify: "true"\n', 5, /clusters\[0\]\.cluster\.insecure-skip-tls-verify must be true or false, not a string/],
    ['a map for a list', 'apiVersion: v1\ncontexts:\n  a: b\n', 2, /contexts must be a list, not a map/],
    ['a list entry that is no map', 'users:\n- name: a\n- b\n', 3, /users\[1\] must be a map with name and user, not a string/],
    ['a number among the groups', 'users:\n- name: a\n  user:\n    as-groups:\n    - x\n    - 7\n', 6, /users\[0\]\.user\.as-groups\[1\] must be a string, not a number/],
    ['bad base64', 'users:\n- name: a\n  user:\n    client-key-data: "c2Vj!cmV0"\n', 4, /users\[0\]\.user\.client-key-data: illegal base64 data$/],
    ['a name that stands twice', 'clusters:\n- name: a\n- name: b\n- name: a\n', 4, /duplicate name "a" in clusters/],
    ['two entries without a name', 'users:\n- user: {}\n- user: {}\n', 3, /duplicate name "" in users/],
    ['another kind', 'apiVersion: v1\nkind: Pod\n', 2, /kind Config of apiVersion v1 is needed, this is Pod of v1/],
    ['plain text', 'hello\n', 1, /is not a kubeconfig: a map with clusters, users and contexts is needed, this is a string/],
    ['a wrong type in JSON', '{"users": [\n {"name": "u",\n  "user": {"token": 5}}]}', 3, /users\[0\]\.user\.token must be a string/],
    ['binary data', 'a\0b', null, /is not a kubeconfig: the file is binary/],
  ];
  for (const [title, text, line, message] of broken) {
    it(`names the place of ${title}`, async () => {
      const error = await problemOf(text);
      assert.match(error.message, message);
      assert.equal(error.line, line);
      assert.equal(error.file, 'the-file');
      assert.equal(error.exitCode, 2);
    });
  }

  it('never repeats a value of the file', async () => {
    for (const text of ['users: [{name: u, user: {token: [hunter2]}}]', 'users: [{name: u, user: {client-key-data: "hunter2!"}}]', 'users: [{name: u, user: {password: {a: hunter2}}}]']) {
      const error = await problemOf(text);
      assert.doesNotMatch(`${error.message} ${error.suggestions.join(' ')}`, /hunter2/);
    }
  });

  it('stops at an alias bomb', async () => {
    const bomb = ['a0: &a0 [x]', ...Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}, *a${i}]`)].join('\n');
    const started = process.memoryUsage().heapUsed;
    await parseKubeconfig(bomb, 'f');
    assert.ok(process.memoryUsage().heapUsed - started < 200e6);
  });
});

describe('lineOfField', () => {
  it('answers the nearest line above for a field that is not there', async () => {
    assert.equal(await lineOfField('a: 1\nb:\n  c: 2\n', ['b', 'missing', 'deeper']), 2);
    assert.equal(await lineOfField('', ['a']), null);
  });
});

describe('mergeKubeconfigs', () => {
  it('takes each entry whole from the first file that has it, and the first current-context', async () => {
    const first = await parseKubeconfig('clusters: [{name: c, cluster: {server: "https://first"}}]\nusers: [{name: a, user: {token: t1}}]', 'one');
    const second = await parseKubeconfig('clusters: [{name: c, cluster: {server: "https://second", tls-server-name: s}}, {name: d, cluster: {server: "https://d"}}]\ncurrent-context: from-two', 'two');
    const third = await parseKubeconfig('current-context: from-three', 'three');
    const merged = mergeKubeconfigs([first, second, third]);
    assert.deepEqual([...merged.clusters.values()].map(({ name, server, tlsServerName, origin }) => [name, server, tlsServerName, origin]), [['c', 'https://first', undefined, 'one'], ['d', 'https://d', undefined, 'two']]);
    assert.deepEqual([...merged.users.keys()], ['a']);
    assert.deepEqual([merged.currentContext, merged.currentContextOrigin], ['from-two', 'two']);
  });
});
