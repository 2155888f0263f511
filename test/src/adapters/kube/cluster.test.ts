import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { openCluster } from '../../../../src/adapters/kube/cluster.ts';
import type { AttachRequest } from '../../../../src/app/ports.ts';
import { NODES } from '../../../../src/domain/kubernetes/resource.ts';
import { connectionTo, sendJson, startLoopbackApi } from '../../../support/loopback-api.ts';
import { startExecServer, STDOUT } from './streams/exec-server.ts';

describe('openCluster', () => {
  it('reads through the port that use cases know, names itself and its source, and closes its sockets', async () => {
    const api = await startLoopbackApi((request, response) => {
      if (request.url === '/version') return sendJson(response, 200, { gitVersion: 'v1.37.2' });
      sendJson(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '3' }, items: [{ metadata: { name: 'win-1' } }] });
    });
    const cluster = openCluster(connectionTo(api), { userAgentVersion: '9.9.9' });
    try {
      assert.deepEqual(cluster.description, { source: 'cluster', context: 'loopback', location: api.url });
      assert.deepEqual(await cluster.serverVersion(), { gitVersion: 'v1.37.2' });
      const pages = [];
      for await (const page of cluster.list(NODES)) pages.push(page);
      assert.deepEqual(pages, [{ items: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'win-1' } }], resourceVersion: '3' }]);
      assert.match(api.requests[0]?.headers['user-agent'] ?? '', /^kubectl-win\/9\.9\.9 /);
    } finally {
      await cluster.close();
      await api.close();
    }
  });

  it('runs commands and joins processes through the port for it', async () => {
    const server = await startExecServer((call) => {
      const stream = call.accept();
      stream.send(STDOUT, Buffer.from(call.url.pathname.split('/').at(-1) ?? ''));
      stream.succeed();
    });
    const traced: string[] = [];
    const cluster = openCluster(server.connection(), { userAgentVersion: '9.9.9', trace: { verbosity: 7, write: (text) => traced.push(text.split('\n')[0] ?? '') } });
    const outputOf = async (run: (request: AttachRequest) => Promise<{ readonly exitCode: number }>): Promise<string> => {
      const [stdout, stderr] = [new PassThrough(), new PassThrough()];
      assert.deepEqual(await run({ namespace: 'default', pod: 'web', container: 'app', stdout, stderr, tty: false }), { exitCode: 0 });
      return text(stdout.end());
    };
    try {
      assert.equal(await outputOf((request) => cluster.execChannel.exec({ ...request, command: ['ver'] })), 'exec');
      assert.equal(await outputOf((request) => cluster.execChannel.attach(request)), 'attach');
      assert.deepEqual(traced.slice(0, 2).map((line) => line.replace(/(:)\d+\/|(milliseconds=)\d+/g, '$1$2')), [
        '"Request" verb="GET" url="https://127.0.0.1:api/v1/namespaces/default/pods/web/exec?container=app&command=ver&stdout=true&stderr=true" headers=<',
        '"Response" verb="GET" url="https://127.0.0.1:api/v1/namespaces/default/pods/web/exec?container=app&command=ver&stdout=true&stderr=true" status="101 Switching Protocols" milliseconds=',
      ]);
      assert.deepEqual(server.calls.map((call) => call.header('user-agent')[0]?.split(' ')[0]), ['kubectl-win/9.9.9', 'kubectl-win/9.9.9']);
    } finally {
      await cluster.close();
      await server.close();
    }
  });
});
