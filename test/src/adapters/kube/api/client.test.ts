import assert from 'node:assert/strict';
import type { AccessQuestion } from '../../../../../src/adapters/kube/api/client.ts';
import { DAEMON_SETS, NODES, PODS, SECRETS } from '../../../../../src/domain/kubernetes/resource.ts';
import { ClusterError } from '../../../../../src/errors.ts';
import { failure, sendJson } from '../../../../support/loopback-api.ts';
import { withClient } from './with-client.ts';

describe('KubeClient', () => {
  const POD = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-0' }, spec: { newField: { kept: true } } };

  it('#3: writes and reads raw objects, so that unknown fields survive', async () => {
    await withClient((request, response) => sendJson(response, request.method === 'POST' ? 201 : 200, { ...JSON.parse(request.body), answered: 1 }), async (client, requests) => {
      assert.deepEqual(await client.create(PODS, POD, { namespace: 'shop', dryRun: true }), { ...POD, answered: 1 });
      assert.deepEqual(await client.replace(PODS, POD, { namespace: 'shop', fieldManager: 'someone' }), { ...POD, answered: 1 });
      assert.deepEqual(requests.map(({ method, url, body }) => [method, url, JSON.parse(body)]), [
        ['POST', '/api/v1/namespaces/shop/pods?dryRun=All&fieldManager=kubectl-win', POD],
        ['PUT', '/api/v1/namespaces/shop/pods/web-0?fieldManager=someone', POD],
      ]);
      assert.equal(requests[0]?.headers['content-type'], 'application/json');
    });
  });

  it('sends each kind of patch with its media type', async () => {
    await withClient((_request, response) => sendJson(response, 200, POD), async (client, requests) => {
      await client.patch(DAEMON_SETS, 'ds', [{ op: 'add', path: '/a', value: 1 }], { type: 'json', namespace: 'a' });
      await client.patch(DAEMON_SETS, 'ds', { a: null }, { type: 'merge', namespace: 'a' });
      await client.patch(DAEMON_SETS, 'ds', {}, { type: 'strategic', namespace: 'a', dryRun: true });
      await client.patch(NODES, 'n', {}, { type: 'apply', force: true, subresource: 'status' });
      assert.deepEqual(requests.map(({ url, headers }) => [url, headers['content-type']]), [
        ['/apis/apps/v1/namespaces/a/daemonsets/ds?fieldManager=kubectl-win', 'application/json-patch+json'],
        ['/apis/apps/v1/namespaces/a/daemonsets/ds?fieldManager=kubectl-win', 'application/merge-patch+json'],
        ['/apis/apps/v1/namespaces/a/daemonsets/ds?dryRun=All&fieldManager=kubectl-win', 'application/strategic-merge-patch+json'],
        ['/api/v1/nodes/n/status?fieldManager=kubectl-win&force=true', 'application/apply-patch+yaml'],
      ]);
      assert.equal(requests[1]?.body, '{"a":null}');
    });
  });

  it('shows no body of a Secret in a trace, whatever the level', async () => {
    const lines: string[] = [];
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { '.dockerconfigjson': 'aHVudGVyMg==' } };
    await withClient((request, response) => sendJson(response, 200, request.url?.includes('/pods/') === true ? POD : secret), async (client) => {
      assert.deepEqual(await client.get(SECRETS, 's', { namespace: 'a' }), secret);
      await client.create(SECRETS, secret, { namespace: 'a' });
      await client.get(PODS, 'web-0', { namespace: 'a' });
    }, { trace: { verbosity: 10, write: (line) => void lines.push(line) } });
    const text = lines.join('\n');
    assert.match(text, /namespaces\/a\/secrets\/s/);
    assert.match(text, /newField/);
    assert.doesNotMatch(text, /aHVudGVyMg|hunter2/);
  });

  it('deletes with its options in the body', async () => {
    await withClient((_request, response) => sendJson(response, 200, { kind: 'Status', apiVersion: 'v1', status: 'Success' }), async (client, requests) => {
      await client.delete(PODS, 'web-0', { namespace: 'shop', propagationPolicy: 'Background', gracePeriodSeconds: 0, uid: 'u1', dryRun: true });
      assert.deepEqual(JSON.parse(requests[0]?.body ?? ''), { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: 'Background', gracePeriodSeconds: 0, preconditions: { uid: 'u1' }, dryRun: ['All'] });
    });
  });

  it('#7: refuses an object of another kind', async () => {
    await withClient((_request, response) => sendJson(response, 200, POD), async (client) => {
      await assert.rejects(client.get(NODES, 'n'), (error) => error instanceof ClusterError && error.reason === 'NotKubernetes' && error.message.includes('"get nodes n" with a Pod instead of a Node'));
    });
  });

  it('reads a stream as it comes', async () => {
    await withClient((_request, response) => void response.writeHead(200, { 'Content-Type': 'text/plain' }).end('line 1\nline 2\n'), async (client, requests) => {
      let text = '';
      for await (const chunk of await client.rawStream(PODS, 'web-0', { namespace: 'shop', subresource: 'log', query: { tailLines: 2 } })) text += String(chunk);
      assert.equal(text, 'line 1\nline 2\n');
      assert.equal(requests[0]?.url, '/api/v1/namespaces/shop/pods/web-0/log?tailLines=2');
    });
    await withClient((_request, response) => sendJson(response, 400, failure(400, 'BadRequest', 'container "a" is waiting to start')), async (client) => {
      await assert.rejects(client.rawStream(PODS, 'web-0', { namespace: 'shop', subresource: 'log' }), { message: 'Error from server (BadRequest): container "a" is waiting to start' });
    });
  });

  it('reviews rights in one batch, ten at a time, and takes a refusal to answer for unknown', async () => {
    let open = 0;
    let most = 0;
    await withClient(async (request, response) => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 5));
      open -= 1;
      const { spec } = JSON.parse(request.body) as { spec: { resourceAttributes: AccessQuestion } };
      if (spec.resourceAttributes.resource === 'secrets') return sendJson(response, 403, failure(403, 'Forbidden', 'no'));
      sendJson(response, 201, { kind: 'SelfSubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec, status: { allowed: spec.resourceAttributes.verb === 'list', reason: 'because' } });
    }, async (client, requests) => {
      const questions: readonly AccessQuestion[] = [
        { verb: 'list', group: '', resource: 'nodes' },
        { verb: 'create', group: '', resource: 'pods', subresource: 'exec', namespace: 'a' },
        { verb: 'get', group: '', resource: 'secrets' },
        ...Array.from({ length: 22 }, () => ({ verb: 'list', group: 'apps', resource: 'daemonsets' })),
      ];
      const answers = await client.review(questions);
      assert.deepEqual(answers.slice(0, 3).map(({ allowed, reason }) => [allowed, reason]), [[true, 'because'], [false, 'because'], [null, 'Error from server (Forbidden): no']]);
      assert.equal(answers.length, 25);
      assert.ok(most > 1 && most <= 10, `${most} at a time`);
      assert.equal(requests[0]?.url, '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews');
    });
  });

  it('asks for the version, and says when the answer is none', async () => {
    await withClient((_request, response) => sendJson(response, 200, { gitVersion: 'v1.31.4-gke.1' }), async (client) => {
      assert.deepEqual(await client.serverVersion(), { gitVersion: 'v1.31.4-gke.1' });
    });
    await withClient((_request, response) => sendJson(response, 200, { hello: 'world' }), async (client) => {
      await assert.rejects(client.serverVersion(), (error) => error instanceof ClusterError && error.reason === 'NotKubernetes');
    });
  });
});
