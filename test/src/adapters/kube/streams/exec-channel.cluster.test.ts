import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { PassThrough, Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { KubeClient } from '../../../../../src/adapters/kube/api/client.ts';
import type { LogLine } from '../../../../../src/adapters/kube/api/follow-log.ts';
import type { Connection, Impersonation } from '../../../../../src/adapters/kube/connection.ts';
import { closeAgent } from '../../../../../src/adapters/http/agent.ts';
import type { ExecRequest } from '../../../../../src/app/ports.ts';
import { openAttach, openExec } from '../../../../../src/adapters/kube/streams/exec-channel.ts';
import { ClusterError, InterruptedError } from '../../../../../src/errors.ts';
import type { ClusterUser } from '../../../../cluster/start.ts';
import { useCluster } from '../../../../cluster/use-cluster.ts';
import { fixedCredentials } from './exec-server.ts';

describe('exec and attach through a real API server', function () {
  this.timeout(60_000);
  // Its own cluster: the last tests stop parts of it.
  const cluster = useCluster({ with: ['kubelet'], shared: false });
  const namespace = 'exec';
  const connections: Connection[] = [];

  before('create a pod', async () => {
    await cluster().loadNodes([{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'win-1', labels: { 'kubernetes.io/os': 'windows' } } }], { kubelet: true });
    await cluster().createNamespace(namespace);
    await cluster().api.create(`/api/v1/namespaces/${namespace}/pods`, {
      metadata: { name: 'web' },
      spec: { nodeName: 'win-1', automountServiceAccountToken: false, containers: [{ name: 'app', image: 'example.com/app', stdin: true }, { name: 'other', image: 'example.com/other' }] },
    });
  });

  after('close the connections', () => connections.forEach(closeAgent));

  const connectionOf = (user: ClusterUser = cluster().admin, impersonate?: Impersonation): Connection => {
    const connection: Connection = {
      server: cluster().server,
      tls: { ca: cluster().ca, insecureSkipVerify: false },
      disableCompression: false,
      impersonate,
      credentials: fixedCredentials({ clientCertificate: user.identity }),
      contextName: 'test',
      clusterName: 'test',
      userName: user.name,
      namespace,
    };
    connections.push(connection);
    return connection;
  };

  const run = async (command: readonly string[], overrides: Partial<ExecRequest> = {}, connection = connectionOf()): Promise<{ exitCode: number; stdout: string; stderr: string }> => {
    const [stdout, stderr] = [collect(), collect()];
    const { exitCode } = await openExec(connection, { namespace, pod: 'web', container: 'app', command, stdout, stderr, tty: false, ...overrides });
    return { exitCode, stdout: stdout.text(), stderr: stderr.text() };
  };

  for (const exitCode of [0, 1, 7, 255, 256, 3221225477, 4294967295]) {
    it(`brings back the exit code ${exitCode}`, async () => {
      assert.deepEqual(await run(['code', String(exitCode)]), { exitCode, stdout: '', stderr: '' });
    });
  }

  it('hands on arguments as they are', async () => {
    const words = ['a b', '"c"', "d'", '%PATH%', '&|<>^', 'ü 中', '', '\\', '+', 'x=1&command=y'];
    assert.equal((await run(['argv', ...words])).stdout, `${words.map((word) => `[${word}]`).join('')}\n`);
  });

  it('brings 20 MB there and back and closes stdin', async () => {
    const bytes = randomBytes(20_000_000);
    const stdout = collect();
    const { exitCode } = await run(['cat'], { stdin: Readable.from([bytes]), stdout });
    assert.equal(exitCode, 0);
    assert.equal(stdout.bytes().equals(bytes), true);
    const hashed = await run(['hash'], { stdin: Readable.from([bytes]) });
    assert.equal(hashed.stdout, `20000000 ${createHash('sha256').update(bytes).digest('hex')}\n`);
  });

  it('ends at once where nothing is given to read', async () => {
    assert.equal((await run(['cat'], { stdin: Readable.from([]) })).exitCode, 0);
    assert.equal((await run(['cat'])).exitCode, 0);
  });

  it('keeps stderr apart', async () => {
    assert.deepEqual(await run(['err']), { exitCode: 7, stdout: 'out\n', stderr: 'err\n' });
  });

  it('loses nothing to a slow reader', async () => {
    let length = 0;
    const stdout = new Writable({
      highWaterMark: 64 * 1024,
      write(chunk: Buffer, _encoding, done) {
        length += chunk.length;
        if (length % 7 === 0) setTimeout(done, 1);
        else done();
      },
    });
    assert.equal((await run(['bytes', '50000000'], { stdout })).exitCode, 0);
    assert.equal(length, 50_000_000);
  });

  it('gives a terminal its size, and a new one', async () => {
    const { exitCode, stdout } = await run(['size'], { tty: true, initialSize: { width: 91, height: 33 } });
    // The size travels beside the start of the program, so the program may have asked before it came.
    assert.equal(exitCode, 0);
    assert.match(stdout, /^(33 91|\d+ \d+)\r\n$/);

    const sink = collect();
    async function* resizes(): AsyncGenerator<{ width: number; height: number }> {
      for (let width = 101; ; width += 1) {
        yield { width, height: 41 };
        await delay(50);
      }
    }
    await run(['sizes', '3'], { tty: true, initialSize: { width: 91, height: 33 }, resizes: resizes(), stdout: sink, stdin: new PassThrough() });
    assert.match(sink.text(), /^(\d+ \d+\r\n){2}41 1\d\d\r\n$/);
  });

  it('attaches to the main process', async () => {
    const stdout = collect();
    const result = await openAttach(connectionOf(), { namespace, pod: 'web', container: 'app', stdin: Readable.from([Buffer.from('hello')]), stdout, stderr: collect(), tty: false });
    assert.deepEqual([result.exitCode, stdout.text()], [0, 'hello']);
  });

  it('runs 20 commands at a time on one connection', async () => {
    const connection = connectionOf();
    const results = await Promise.all(Array.from({ length: 20 }, (_, index) => run(['echo', String(index)], {}, connection)));
    assert.deepEqual(results.map(({ stdout }) => stdout), Array.from({ length: 20 }, (_, index) => `${index}\n`));
  });

  const failureOf = async (promise: Promise<unknown>): Promise<ClusterError> => {
    const error: unknown = await promise.then(() => assert.fail('it did not fail'), (reason: unknown) => reason);
    assert.ok(error instanceof ClusterError, String(error));
    return error;
  };

  it('follows a log, of which the kubelet is asked for whole seconds', async () => {
    const client = new KubeClient(connectionOf());
    const read: LogLine[] = [];
    for await (const line of client.followLog({ namespace, name: 'web', container: 'other' }, { sinceTime: '2026-11-30T12:00:01.987654321Z', tailLines: 3 })) read.push(line);
    const [line] = read;
    assert.ok(line !== undefined && read.length === 1 && line.time === null, JSON.stringify(read));
    const [, place, query] = /^log of (\S+) \((.*)\)$/.exec(line.text) ?? [];
    assert.equal(place, 'exec/web/other');
    assert.deepEqual(Object.fromEntries(new URLSearchParams(query)), { follow: 'true', timestamps: 'true', sinceTime: '2026-11-30T12:00:01Z', tailLines: '3' });
  });

  describe('rights', () => {
    const grant = async (name: string, verbs: readonly string[], subject: object): Promise<void> => {
      const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}`;
      await cluster().api.create(`${path}/roles`, { metadata: { name }, rules: [{ apiGroups: [''], resources: ['pods/exec'], verbs }] });
      await cluster().api.create(`${path}/rolebindings`, { metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name }, subjects: [subject] });
    };
    const user = (name: string): object => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name });

    const only = async (verb: string): Promise<ClusterError> => {
      await grant(`only-${verb}`, [verb], user(`only-${verb}`));
      const error = await failureOf(run(['echo'], {}, connectionOf(await cluster().user(`only-${verb}`))));
      assert.deepEqual([error.reason, error.status], ['Forbidden', 403]);
      assert.ok(error.suggestions.includes('ask an administrator for: kubectl create role kubectl-win-pods-exec -n exec --verb=get,create --resource=pods/exec'));
      return error;
    };

    it('with create alone: the server names get, we ask for both', async () => {
      const error = await only('create');
      assert.equal(error.attempt?.verb, 'get');
      assert.equal(error.message, 'Error from server (Forbidden): pods "web" is forbidden: User "only-create" cannot get resource "pods/exec" in API group "" in the namespace "exec"');
    });

    it('with get alone: the server gives no reason, we name create', async () => {
      const error = await only('get');
      assert.equal(error.attempt?.verb, 'create');
      assert.match(error.message, /^Error from server \(Forbidden\): pods "web" is forbidden: .*"create" on "pods\/exec"$/);
    });

    it('the role that is proposed is enough, and both commands of the proposal run', async () => {
      const jane = await cluster().user('jane');
      const { suggestions } = await failureOf(run(['echo'], {}, connectionOf(jane)));
      for (const line of suggestions.slice(1)) {
        const words = line.slice(line.indexOf('kubectl ') + 'kubectl '.length).replaceAll("'", '').split(' ');
        const { code, stderr } = await cluster().kubectl(words);
        assert.equal(code, 0, stderr);
      }
      assert.equal((await run(['echo', 'hi'], {}, connectionOf(jane))).stdout, 'hi\n');
    });

    it('impersonates user and groups one by one', async () => {
      await grant('by-group', ['get', 'create'], { apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'windows-admins' });
      const mark = await cluster().auditMark();
      const as = { user: 'nobody', groups: ['others', 'windows-admins'], extra: { scopes: ['a', 'b'] } };
      assert.equal((await run(['echo', 'hi'], {}, connectionOf(cluster().admin, as))).stdout, 'hi\n');
      const event = (await cluster().auditEvents(mark)).find(({ objectRef }) => objectRef?.subresource === 'exec');
      assert.equal(event?.impersonatedUser?.username, 'nobody');
      assert.deepEqual(event.impersonatedUser.groups, ['others', 'windows-admins', 'system:authenticated']);
      assert.match(event.userAgent ?? '', /^kubectl-win/);
    });
  });

  describe('failures', () => {
    it('a pod that does not exist', async () => {
      const error = await failureOf(run(['echo'], { pod: 'gone' }));
      assert.deepEqual([error.reason, error.status, error.message], ['NotFound', 404, 'Error from server (NotFound): pods "gone" not found']);
    });

    it('a container that does not exist', async () => {
      const error = await failureOf(run(['echo'], { container: 'nope' }));
      assert.deepEqual([error.reason, error.status], ['BadRequest', 400]);
      assert.match(error.message, /container nope is not valid for pod web/);
    });

    it('an expired or unknown token', async () => {
      const connection = { ...connectionOf(), credentials: fixedCredentials({ authorization: 'Bearer nonsense' }) };
      connections.push(connection);
      const error = await failureOf(run(['echo'], {}, connection));
      assert.deepEqual([error.reason, error.status, error.message], ['Unauthorized', 401, 'error: You must be logged in to the server (Unauthorized)']);
    });

    it('an abort while the command runs', async () => {
      const controller = new AbortController();
      const stdout = collect();
      const running = run(['sleep', '60'], { signal: controller.signal, stdout });
      while (stdout.text() === '') await delay(10);
      controller.abort();
      await assert.rejects(running, InterruptedError);
    });

    it('a kubelet that cannot be reached', async () => {
      await cluster().stopComponent('kubelet');
      const error = await failureOf(run(['echo']));
      assert.deepEqual([error.reason, error.exitCode], ['InternalError', 3]);
      assert.match(error.message, /error dialing backend|connection refused/);
      await cluster().restartComponent('kubelet');
    });

    it('an API server that dies while the command runs', async () => {
      const stdout = collect();
      const running = run(['sleep', '60'], { stdout });
      while (stdout.text() === '') await delay(10);
      const failed = failureOf(running);
      await cluster().stopComponent('kube-apiserver');
      const error = await failed;
      assert.equal(error.reason, 'ConnectionLost');
      assert.match(error.message, /the command may still be running$/);
    });
  });
});

function collect(): Writable & { bytes(): Buffer; text(): string } {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return Object.assign(sink, { bytes: () => Buffer.concat(chunks), text: () => Buffer.concat(chunks).toString() });
}
