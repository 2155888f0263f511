import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ListPage } from '../../../../../src/app/ports.ts';
import { continueTokenInHead, pages, type PageRequest, type RawPage } from '../../../../../src/adapters/kube/api/pager.ts';
import { NODES, PODS } from '../../../../../src/domain/kubernetes/resource.ts';
import { ClusterError, InterruptedError } from '../../../../../src/errors.ts';
import { failure, sendJson, type LoopbackHandler, type RecordedRequest } from '../../../../support/loopback-api.ts';
import { withClient } from './with-client.ts';

async function collect(list: AsyncIterable<ListPage>): Promise<readonly ListPage[]> {
  const all: ListPage[] = [];
  for await (const page of list) all.push(page);
  return all;
}

function names(all: readonly ListPage[]): readonly (readonly string[])[] {
  return all.map((page) => page.items.map((item) => String(item.metadata?.name)));
}

const refuse = (what: string): ClusterError => new ClusterError(what, { reason: 'NotKubernetes' });

const node = (name: string): { metadata: { name: string } } => ({ metadata: { name } });

/** A server with `total` nodes that pages as the API server does; `before` may answer instead. */
function pagedNodes(total: number, before: (request: RecordedRequest, ...rest: Parameters<LoopbackHandler> extends [unknown, ...infer R] ? R : never) => boolean = () => false): LoopbackHandler {
  return (request, response, raw) => {
    if (before(request, response, raw)) return;
    const query = new URL(request.url, 'http://x').searchParams;
    const limit = Number(query.get('limit') ?? total);
    const from = Number(query.get('continue') ?? 0);
    const items = Array.from({ length: Math.min(limit, total - from) }, (_, index) => node(`n${from + index}`));
    const more = from + items.length < total;
    sendJson(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '42', ...(more ? { continue: String(from + items.length) } : {}) }, items });
  };
}

describe('pages', () => {
  it('R189: follows continue to the end, 500 at a time, without losing or repeating an object', async () => {
    await withClient(pagedNodes(1203), async (client, requests) => {
      const all = await collect(client.list(NODES));
      assert.deepEqual(all.map(({ items }) => items.length), [500, 500, 203]);
      assert.deepEqual(names(all).flat(), Array.from({ length: 1203 }, (_, index) => `n${index}`));
      assert.deepEqual(all.map(({ resourceVersion }) => resourceVersion), ['42', '42', '42']);
      assert.deepEqual(requests.map(({ url }) => url), ['/api/v1/nodes?limit=500', '/api/v1/nodes?limit=500&continue=500', '/api/v1/nodes?limit=500&continue=1000']);
    });
  });

  it('--chunk-size=0 asks for everything at once, and selectors reach the server', async () => {
    await withClient(pagedNodes(3), async (client, requests) => {
      assert.deepEqual(names(await collect(client.list(NODES, { chunkSize: 0, labelSelector: 'kubernetes.io/os=windows', fieldSelector: 'metadata.name!=x' }))), [['n0', 'n1', 'n2']]);
      assert.deepEqual(requests.map(({ url }) => url), ['/api/v1/nodes?labelSelector=kubernetes.io%2Fos%3Dwindows&fieldSelector=metadata.name!%3Dx']);
    });
  });

  it('#3: gives items the apiVersion and kind that lists leave out, and keeps every field', async () => {
    await withClient((_request, response) => sendJson(response, 200, { kind: 'PodList', apiVersion: 'v1', metadata: {}, items: [{ metadata: { name: 'p' }, spec: { brandNew: { deep: [1, null] } } }] }), async (client) => {
      const [page] = await collect(client.list(PODS, { namespace: 'a' }));
      assert.deepEqual(page?.items, [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p' }, spec: { brandNew: { deep: [1, null] } } }]);
    });
  });

  it('R188: reads the whole list at once after 410 on a later page, and says that it began anew', async () => {
    await withClient(pagedNodes(5, (request, response) => {
      if (!request.url.includes('continue=4')) return false;
      sendJson(response, 410, failure(410, 'Expired', 'The provided continue parameter is too old', { retryAfterSeconds: 1 }));
      return true;
    }), async (client, requests) => {
      const all = await collect(client.list(NODES, { chunkSize: 2 }));
      assert.deepEqual(names(all), [['n0', 'n1'], ['n2', 'n3'], ['n0', 'n1', 'n2', 'n3', 'n4']]);
      assert.deepEqual(all.map(({ restarted }) => restarted === true), [false, false, true]);
      assert.equal(requests.at(-1)?.url, '/api/v1/nodes');
    });
  });

  it('reports a 410 on the first page instead of trying for ever', async () => {
    await withClient((_request, response) => sendJson(response, 410, failure(410, 'Expired', 'too old')), async (client, requests) => {
      await assert.rejects(collect(client.list(NODES)), (error) => error instanceof ClusterError && error.reason === 'Expired');
      assert.equal(requests.length, 1);
    });
  });

  it('asks once more for a page that was cut off, and then gives up', async () => {
    for (const cuts of [1, 2]) {
      let left = cuts;
      await withClient(pagedNodes(4, (request, response) => {
        if (!request.url.includes('continue=2') || left === 0) return false;
        left -= 1;
        response.writeHead(200, { 'Content-Type': 'application/json' });
        response.write('{"kind":"NodeList","items":[', () => setTimeout(() => response.destroy(), 5));
        return true;
      }), async (client, requests) => {
        if (cuts === 1) {
          assert.deepEqual(names(await collect(client.list(NODES, { chunkSize: 2 }))), [['n0', 'n1'], ['n2', 'n3']]);
        } else {
          await assert.rejects(collect(client.list(NODES, { chunkSize: 2 })), (error) => error instanceof ClusterError && error.reason === 'ConnectionLost' && error.exitCode === 3);
        }
        assert.equal(requests.length, 3);
      });
    }
  });

  it('R181: a forbidden list leaves get by name to the caller, with the verb named', async () => {
    await withClient((request, response) => {
      if (request.url === '/api/v1/nodes/win-1') return sendJson(response, 200, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'win-1' } });
      sendJson(response, 403, failure(403, 'Forbidden', 'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope'));
    }, async (client) => {
      await assert.rejects(collect(client.list(NODES)), (error) => error instanceof ClusterError && error.reason === 'Forbidden' && error.attempt?.verb === 'list' && error.suggestions.some((line) => line.includes('resourceNames')));
      assert.equal((await client.get(NODES, 'win-1')).kind, 'Node');
    });
  });

  it('#7: refuses an answer of another kind, or without items', async () => {
    for (const [body, what] of [
      [{ kind: 'PodList', apiVersion: 'v1', items: [] }, 'a PodList instead of a NodeList'],
      [{ kind: 'NodeList', apiVersion: 'v1', metadata: {} }, 'a NodeList without items'],
      [{ kind: 'NodeList', apiVersion: 'v1', items: 'none' }, 'a NodeList without items'],
      [{ ok: true }, 'an object without a kind instead of a NodeList'],
      [{ kind: 'NodeList', apiVersion: 'v1', items: [1] }, 'a NodeList with an item that is no object'],
    ] as const) {
      await withClient((_request, response) => sendJson(response, 200, body), async (client) => {
        await assert.rejects(collect(client.list(NODES)), (error) => error instanceof ClusterError && error.reason === 'NotKubernetes' && error.message.includes(`"list nodes" with ${what};`));
      });
    }
  });

  it('refuses a continue token that has been used before, at once and after a round', async () => {
    for (const tokens of [['abc', 'abc'], ['a', 'b', 'c', 'a']]) {
      let calls = 0;
      await withClient((_request, response) => {
        const token = tokens[calls % tokens.length];
        calls += 1;
        sendJson(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { continue: token }, items: [node(`n${calls}`)] });
      }, async (client, requests) => {
        await assert.rejects(collect(client.list(NODES)), (error) => {
          assert.ok(error instanceof ClusterError);
          assert.match(error.message, /^the server 127\.0\.0\.1:\d+ answered "list nodes" with the continue token of an earlier page again, so that the list would never end; is it a Kubernetes API server\?$/);
          assert.deepEqual([error.reason, error.exitCode], ['NotKubernetes', 3]);
          return true;
        });
        // One that was read ahead may be among them.
        assert.ok(requests.length <= tokens.length + 1, String(requests.length));
      });
    }
  });

  it('gives up after 1000 empty pages in a row, and not where one of them brings something', async () => {
    let calls = 0;
    const endless = (full: (call: number) => boolean, last: number) => async (): Promise<RawPage> => {
      calls += 1;
      return { items: full(calls) ? [node('n')] : [], resourceVersion: '1', continueToken: calls === last ? '' : `t${calls}` };
    };
    await assert.rejects(collect(pages(endless(() => false, Infinity), { refuse })), { message: '1000 pages in a row without an object, each with a continue token for another' });
    assert.ok(calls <= 1001, String(calls));
    calls = 0;
    assert.equal((await collect(pages(endless((call) => call % 1000 === 0, 2500), { refuse }))).length, 2500);
  });

  for (const [what, itemsOf] of [
    ['the same page', () => [node('a'), node('b')]],
    ['a few pages in turn', (call) => [node(`n${call % 7}`)]],
    ['a page with empty ones between', (call) => (call % 3 === 0 ? [node('a')] : [])],
    ['objects without a name', () => [{}]],
  ] satisfies readonly [string, (call: number) => RawPage['items']][]) {
    it(`refuses ${what} again and again under ever new continue tokens`, async () => {
      let calls = 0;
      const fetch = async (): Promise<RawPage> => {
        calls += 1;
        return { items: itemsOf(calls), resourceVersion: '1', continueToken: `t${calls}` };
      };
      await assert.rejects(collect(pages(fetch, { refuse })), { name: 'ClusterError', message: '10 pages in a row that begin with an object of an earlier page, each with a new continue token, so that the list would never end' });
      assert.ok(calls < 50, String(calls));
    });
  }

  it('reads lists in any order, also where an object comes on two pages', async () => {
    const starts = ['z', 'm', 'z', 'a', 'a', 'q', 'b', 'b', 'b'];
    let calls = 0;
    const fetch = async (): Promise<RawPage> => {
      calls += 1;
      return { items: [node(starts[calls - 1] ?? '')], resourceVersion: '1', continueToken: calls === starts.length ? '' : `t${calls}` };
    };
    assert.deepEqual(names(await collect(pages(fetch, { refuse }))).flat(), starts);
    // one name in several namespaces, and one that was deleted and made anew
    const same = ['a', 'b', 'c'].map((namespace) => ({ metadata: { namespace, name: 'x' } }));
    const anew = Array.from({ length: 20 }, (_none, index) => ({ metadata: { namespace: 'd', name: 'x', uid: String(index) } }));
    const objects = [...same, ...anew];
    calls = 0;
    const one = async (): Promise<RawPage> => ({ items: objects.slice(calls, calls + 1), resourceVersion: '1', continueToken: ++calls === objects.length ? '' : `t${calls}` });
    assert.equal((await collect(pages(one, { refuse }))).length, objects.length);
  });

  it('has the next page under way while one is worked on, and never more than that in the head', async () => {
    const asked: string[] = [];
    const fetch = async ({ continueToken, onContinueToken }: PageRequest): Promise<RawPage> => {
      asked.push(continueToken);
      const next = continueToken === '' ? 'a' : continueToken === 'a' ? 'b' : continueToken === 'b' ? 'c' : '';
      if (next !== '') onContinueToken?.(next);
      return { items: [], resourceVersion: '1', continueToken: next };
    };
    const list = pages(fetch, { refuse });
    await list.next();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(asked, ['', 'a']);
    await list.next();
    assert.deepEqual(asked, ['', 'a', 'b']);
    await list.next();
    await list.next();
    assert.deepEqual((await list.next()).done, true);
    assert.deepEqual(asked, ['', 'a', 'b', 'c']);
  });

  it('follows the body when the head promised another page', async () => {
    const asked: string[] = [];
    const fetch = async ({ continueToken, onContinueToken }: PageRequest): Promise<RawPage> => {
      asked.push(continueToken);
      if (continueToken === '') onContinueToken?.('wrong');
      return { items: [{ metadata: { name: continueToken } }], resourceVersion: '1', continueToken: continueToken === '' ? 'right' : '' };
    };
    assert.deepEqual(names(await collect(pages(fetch, { refuse }))), [[''], ['right']]);
    assert.deepEqual(asked, ['', 'wrong', 'right']);
  });

  it('stops the page under way when the reader leaves or is interrupted', async () => {
    const signals: AbortSignal[] = [];
    const fetch = async ({ continueToken }: PageRequest, signal: AbortSignal): Promise<RawPage> => {
      signals.push(signal);
      if (continueToken !== '') return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new InterruptedError('interrupted'))));
      return { items: [], resourceVersion: '1', continueToken: 'next' };
    };
    for await (const page of pages(fetch, { refuse })) {
      assert.equal(page.resourceVersion, '1');
      break;
    }
    assert.equal(signals.length, 2);
    assert.ok(signals.every((signal) => signal.aborted));
    const controller = new AbortController();
    await assert.rejects(async () => {
      for await (const page of pages(fetch, { signal: controller.signal, refuse })) {
        assert.equal(page.resourceVersion, '1');
        controller.abort();
      }
    }, InterruptedError);
  });
});

describe('pages in memory', () => {
  it('are let go one by one: the heap after 40 pages is that after a few', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', fileURLToPath(new URL('page-memory.ts', import.meta.url)), '40']);
    const usedMegabytes = (JSON.parse(stdout) as readonly number[]).map((bytes) => bytes / 1e6);
    assert.equal(usedMegabytes.length, 40);
    // A page has 1 MB of JSON and more as objects: 35 pages that are held would be 35 MB at least.
    const growth = Math.max(...usedMegabytes.slice(5)) - (usedMegabytes[4] ?? 0);
    assert.ok(growth < 8, `grown by ${growth.toFixed(1)} MB: ${usedMegabytes.map((used) => used.toFixed(0)).join(' ')}`);
  });
});

describe('continueTokenInHead', () => {
  it('finds the token before the items and nowhere else', () => {
    assert.equal(continueTokenInHead(Buffer.from('{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1","continue":"eyJ2-_=","remainingItemCount":3},"items":[{')), 'eyJ2-_=');
    assert.equal(continueTokenInHead(Buffer.from('{"kind":"NodeList","metadata":{"resourceVersion":"1"},"items":[{"metadata":{"continue":"no"}}')), null);
    assert.equal(continueTokenInHead(Buffer.from('{"items":[{"metadata":{"continue":"no"}}],"metadata":{"continue":"x"}')), null);
    assert.equal(continueTokenInHead(Buffer.from('{"kind":"NodeList","metadata":{"continue":"cut')), null);
  });
});
