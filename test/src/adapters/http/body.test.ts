import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { KubeClient } from '../../../../src/adapters/kube/api/client.ts';
import { Transport } from '../../../../src/adapters/http/transport.ts';
import { NODES } from '../../../../src/domain/kubernetes/resource.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { connectionTo, sendJson, withLoopbackApi, type LoopbackHandler } from '../../../support/loopback-api.ts';
import { errorOfRawAnswer } from './raw-answer.ts';

const NODE = { kind: 'Node', apiVersion: 'v1', metadata: { name: 'n' } };

describe('readBody', () => {
  it('asks for gzip and inflates it, and asks for none with --disable-compression', async () => {
    await withLoopbackApi((request, response) => {
      const body = JSON.stringify({ ...NODE, big: 'ü'.repeat(100_000) });
      if (request.headers['accept-encoding'] === 'gzip') {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
        return void response.end(gzipSync(body));
      }
      sendJson(response, 200, JSON.parse(body));
    }, async (api) => {
      for (const disableCompression of [false, true]) {
        const client = new KubeClient(connectionTo(api, { disableCompression }));
        assert.equal((await client.get(NODES, 'n')).big, 'ü'.repeat(100_000));
        client.close();
      }
      assert.deepEqual(api.requests.map(({ headers }) => headers['accept-encoding']), ['gzip', 'identity']);
    });
  });

  it('tells a body that was cut off, plain, chunked and compressed', async () => {
    const whole = gzipSync(JSON.stringify({ ...NODE, text: 'x'.repeat(5000) }));
    const variants: readonly LoopbackHandler[] = [
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 500 });
        response.write('{"kind":"Node"', () => setTimeout(() => response.destroy(), 10));
      },
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.write('{"kind":"Node"', () => setTimeout(() => response.destroy(), 10));
      },
      (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' });
        response.end(whole.subarray(0, 20));
      },
    ];
    for (const handler of variants) {
      await withLoopbackApi(handler, async (api) => {
        const client = new KubeClient(connectionTo(api));
        await assert.rejects(client.get(NODES, 'n'), (error) => {
          assert.ok(error instanceof ClusterError);
          assert.equal(error.reason, 'ConnectionLost');
          assert.match(error.message, /^the answer of the server 127\.0\.0\.1:\d+ was cut off after \d+ bytes: unexpected EOF$/);
          assert.deepEqual(error.attempt, { verb: 'get', group: '', resource: 'nodes', name: 'n' });
          return true;
        });
        client.close();
      });
    }
  });

  it('names what is wrong with a body that is whole but cannot be read', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
    for (const [answer, problem] of [
      [`${head}Content-Encoding: gzip\r\nContent-Length: 15\r\n\r\n{"kind":"Node"}`, 'it is marked as gzip, and is not (incorrect header check)'],
      [`${head}Content-Encoding: br\r\nContent-Length: 4\r\n\r\nabcd`, 'it has the Content-Encoding "br", which was not asked for'],
      [`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{"kind":"Node"}\r\n`, 'malformed HTTP ('],
    ] as const) {
      const error = await errorOfRawAnswer(answer);
      assert.match(error.message, /^the answer of the server 127\.0\.0\.1:\d+ cannot be read: /);
      assert.ok(error.message.includes(`: ${problem}`), error.message);
      assert.equal(error.reason, 'NotKubernetes');
      assert.deepEqual(error.attempt, { verb: 'get', group: '', resource: 'nodes', name: 'n' });
    }
  });

  it('names an encoding that was not asked for also where the body is left to the caller', async () => {
    await withLoopbackApi((_request, response) => void response.writeHead(200, { 'Content-Encoding': 'br' }).end('abcd'), async (api) => {
      const client = new KubeClient(connectionTo(api));
      await assert.rejects(client.rawStream(NODES, 'n'), (error) => error instanceof ClusterError && error.reason === 'NotKubernetes' && error.message.includes('Content-Encoding "br"'));
      client.close();
    });
  });

  it('keeps an error of a stream that follows a head that was read', async () => {
    const error = await errorOfRawAnswer('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nf\r\n{"kind":"Node"}', { ends: true });
    assert.equal(error.reason, 'ConnectionLost');
    assert.match(error.message, / was cut off after 15 bytes: unexpected EOF$/);
  });

  it('gives the head away before the body is complete, once, and also of a short body', async () => {
    for (const rest of [10_000, 0]) {
      let finish: () => void = () => undefined;
      await withLoopbackApi((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.write(`{"kind":"Node"${' '.repeat(rest)}`);
        finish = () => response.end('}');
        if (rest === 0) finish();
      }, async (api) => {
        const heads: number[] = [];
        const transport = new Transport(connectionTo(api));
        const answer = await transport.request({ method: 'GET', path: '/', onHead: (head) => { heads.push(head.length); finish(); } });
        assert.equal(answer.body.length, 15 + rest);
        assert.equal(heads.length, 1);
        assert.ok(rest === 0 ? heads[0] === 15 : (heads[0] ?? 0) >= 2048, String(heads));
        transport.close();
      });
    }
  });
});
