import assert from 'node:assert/strict';
import { parse } from 'yaml';
import { apiError, clusterRoleFor, parseObject, statusError, type Attempt } from '../../../../../src/adapters/kube/api/api-error.ts';
import type { Answer } from '../../../../../src/adapters/http/transport.ts';
import type { ClusterError, ClusterErrorReason } from '../../../../../src/errors.ts';
import { connectionTo, failure } from '../../../../support/loopback-api.ts';

const connection = connectionTo({ url: 'https://10.0.0.1:6443', ca: undefined });
const LIST_NODES: Attempt = { verb: 'list', group: '', resource: 'nodes' };

function answer(status: number, body: unknown, headers: Answer['headers'] = { 'content-type': 'application/json' }): Answer {
  return { status, statusText: '', headers, body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)), tries: 1 };
}

function errorOf(status: number, body: unknown, headers?: Answer['headers'], attempt: Attempt = LIST_NODES, method = 'GET'): ClusterError {
  return apiError(answer(status, body, headers), { connection, method, attempt });
}

describe('apiError', () => {
  it('#6: prints a Status as kubectl does, and keeps reason, code and details', () => {
    const error = errorOf(404, failure(404, 'NotFound', 'nodes "x" not found', { name: 'x', kind: 'nodes' }));
    assert.equal(error.message, 'Error from server (NotFound): nodes "x" not found');
    assert.equal(error.reason, 'NotFound');
    assert.equal(error.status, 404);
    assert.deepEqual(error.details, { name: 'x', kind: 'nodes' });
    assert.deepEqual(error.attempt, LIST_NODES);
  });

  it('keeps a reason that it does not know in the line and takes its own from the code', () => {
    const error = errorOf(409, { ...failure(409, 'Conflict', 'no'), reason: 'NewFangled' });
    assert.equal(error.message, 'Error from server (NewFangled): no');
    assert.equal(error.reason, 'Conflict');
  });

  it('never ends a line after its colon: a Status without a message is said to be one', () => {
    const context = { connection, method: 'GET', attempt: LIST_NODES };
    assert.equal(statusError({}, context).message, 'Error from server: the server sent an error without a message');
    assert.equal(statusError({ reason: 'Forbidden', code: 403, message: '' }, context).message, 'Error from server (Forbidden): the server sent an error without a message (code 403)');
    assert.equal(statusError({ reason: 'Unauthorized' }, context).message, 'error: You must be logged in to the server (the server sent an error without a message)');
    assert.equal(errorOf(500, { kind: 'Status' }).message, 'Error from server: the server sent an error without a message (code 500)');
  });

  it('tells an answer of the 300s without a Location from a redirect', () => {
    const error = errorOf(304, '', {});
    assert.equal(error.message, 'the server answered "list nodes" with status 304 (Not Modified) and no Location, which an API server does not do; is a proxy, cache or login page in the way?');
    assert.deepEqual([error.reason, error.status], ['NotKubernetes', 304]);
    assert.match(errorOf(302, '', { location: 'https://login.example/?nonce=secret' }).message, /with a redirect to https:\/\/login\.example\/ \(status 302\), which is not followed/);
  });

  it('tells a 401 in the words of kubectl', () => {
    assert.equal(errorOf(401, failure(401, 'Unauthorized', 'Unauthorized')).message, 'error: You must be logged in to the server (Unauthorized)');
    assert.equal(errorOf(401, '', {}).message, 'error: You must be logged in to the server (the server has asked for the client to provide credentials (get nodes))');
  });

  it('writes the causes of an invalid object one a line', () => {
    const details = { kind: 'Node', name: 'x', causes: [{ field: 'spec.podCIDR', message: 'Invalid value: "y"' }, { message: 'bare' }] };
    assert.equal(errorOf(422, failure(422, 'Invalid', 'Node "x" is invalid', details)).message, 'The Node "x" is invalid: \n* spec.podCIDR: Invalid value: "y"\n* bare');
    assert.equal(errorOf(422, failure(422, 'Invalid', 'Node "x" is invalid', { ...details, causes: details.causes.slice(0, 1) })).message, 'The Node "x" is invalid: spec.podCIDR: Invalid value: "y"');
    assert.equal(errorOf(422, failure(422, 'Invalid', 'strict decoding error')).message, 'The request is invalid: strict decoding error');
  });

  // apimachinery pkg/api/errors/errors_test.go and NewGenericServerResponse, v0.37.2.
  const generic: readonly (readonly [number, string, string, ClusterErrorReason])[] = [
    [400, '', 'Error from server (BadRequest): the server rejected our request for an unknown reason (get nodes)', 'BadRequest'],
    [404, '404 page not found', 'Error from server (NotFound): the server could not find the requested resource (get nodes)', 'NotFound'],
    [405, '', 'Error from server (MethodNotAllowed): the server does not allow this method on the requested resource (get nodes)', 'MethodNotAllowed'],
    [410, '', 'Error from server (Gone): the server responded with the status code 410 but did not return more information (get nodes)', 'Gone'],
    [429, '', 'Error from server (TooManyRequests): the server has received too many requests and has asked us to try again later (get nodes)', 'TooManyRequests'],
    [500, 'boom', 'Error from server (InternalError): an error on the server ("boom") has prevented the request from succeeding (get nodes)', 'InternalError'],
    [502, 'bad gateway', 'Error from server (InternalError): an error on the server ("bad gateway") has prevented the request from succeeding (get nodes)', 'InternalError'],
    [503, '', 'Error from server (ServiceUnavailable): the server is currently unable to handle the request (get nodes)', 'ServiceUnavailable'],
    [504, '', 'Error from server (Timeout): the server was unable to return a response in the time allotted, but may still be processing the request (get nodes)', 'Timeout'],
    [418, 'teapot', 'Error from server: the server responded with the status code 418 but did not return more information (get nodes)', 'Unknown'],
  ];
  for (const [status, body, line, reason] of generic) {
    it(`has client-go's sentence for a ${status} without a Status`, () => {
      const error = errorOf(status, body, { 'content-type': 'text/plain' });
      assert.equal(error.message, line);
      assert.equal(error.reason, reason);
    });
  }

  it('tells an existing object from a conflict by the method', () => {
    assert.equal(errorOf(409, '', {}, LIST_NODES, 'POST').reason, 'AlreadyExists');
    assert.equal(errorOf(409, '', {}, LIST_NODES, 'PATCH').reason, 'Conflict');
  });

  it('R180 R182: a 403 names verb, resource and the ClusterRole to ask for, ready to use', () => {
    const error = errorOf(403, failure(403, 'Forbidden', 'nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope'));
    assert.equal(error.message, 'Error from server (Forbidden): nodes is forbidden: User "jane" cannot list resource "nodes" in API group "" at the cluster scope');
    assert.equal(error.suggestions[0], 'missing right: verb "list" on "nodes" for the whole cluster (a ClusterRole with a ClusterRoleBinding; a RoleBinding is not enough)');
    const role = error.suggestions.find((line) => line.includes('kind: ClusterRole'));
    assert.deepEqual(parse(role?.slice(role.indexOf('\n') + 1) ?? ''), {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'kubectl-win-nodes' },
      rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list', 'watch'] }],
    });
    assert.equal(error.suggestions.at(-1), 'and for the binding: kubectl create clusterrolebinding kubectl-win-nodes --clusterrole=kubectl-win-nodes --user=jane');
  });

  it('binds a service account as one, and a namespaced right in its namespace', () => {
    const attempt: Attempt = { verb: 'create', group: 'batch', resource: 'jobs', namespace: 'shop' };
    const error = errorOf(403, failure(403, 'Forbidden', 'jobs.batch is forbidden: User "system:serviceaccount:ci:runner" cannot create resource "jobs" in API group "batch" in the namespace "shop"'), undefined, attempt, 'POST');
    assert.equal(error.suggestions[0], 'missing right: verb "create" on "jobs.batch" in the namespace "shop"');
    assert.equal(error.suggestions.at(-1), 'and for the binding: kubectl create rolebinding -n shop kubectl-win-jobs --clusterrole=kubectl-win-jobs --serviceaccount=ci:runner');
  });

  it('proposes no role when admission, not RBAC, refused', () => {
    const error = errorOf(403, failure(403, 'Forbidden', 'pods "x" is forbidden: violates PodSecurity "baseline:latest": hostProcess'), undefined, { verb: 'create', group: '', resource: 'pods', namespace: 'a' }, 'POST');
    assert.deepEqual(error.suggestions, []);
  });

  it('never proposes nodes/proxy, which is exec on every kubelet', () => {
    assert.ok(!clusterRoleFor([{ verb: 'get', group: '', resource: 'nodes/proxy' }, LIST_NODES]).includes('proxy'));
    assert.match(clusterRoleFor([{ verb: 'get', group: '', resource: 'nodes/proxy' }]), /rules: \[\]$/);
  });

  it('#7: recognises HTML, whatever its status', () => {
    for (const [status, headers] of [[200, { 'content-type': 'text/html; charset=utf-8' }], [403, {}], [502, { 'content-type': 'text/html' }]] as const) {
      const page = '<!DOCTYPE html><html><head><title>Sign  in</title></head></html>';
      const check = (error: unknown): boolean => {
        assert.equal((error as ClusterError).message, `the server answered with HTML; is a proxy or login page in the way? ("list nodes" at 10.0.0.1:6443: status ${status}, title "Sign in")`);
        assert.equal((error as ClusterError).reason, 'NotKubernetes');
        return true;
      };
      if (status === 200) assert.throws(() => parseObject(answer(status, page, headers), { connection, method: 'GET', attempt: LIST_NODES }), check);
      else check(errorOf(status, page, headers));
    }
  });
});

describe('parseObject', () => {
  const context = { connection, method: 'GET', attempt: LIST_NODES };

  it('tells JSON that was cut short, an empty body, other text and other JSON', () => {
    for (const [body, message, reason] of [
      ['{"kind":"NodeList","items":[{"metadata":{"na', 'the server 10.0.0.1:6443 answered "list nodes" with JSON that was cut short after 44 bytes', 'ConnectionLost'],
      ['', 'the server 10.0.0.1:6443 answered "list nodes" with an empty body', 'NotKubernetes'],
      ['pong', 'the server 10.0.0.1:6443 answered "list nodes" with something that is not JSON ("pong")', 'NotKubernetes'],
      ['[]', 'the server 10.0.0.1:6443 answered "list nodes" with a JSON array instead of an object; is it a Kubernetes API server?', 'NotKubernetes'],
      ['null', 'the server 10.0.0.1:6443 answered "list nodes" with a JSON null instead of an object; is it a Kubernetes API server?', 'NotKubernetes'],
    ] as const) {
      assert.throws(() => parseObject(answer(200, body), context), { message, reason });
    }
  });

  it('takes a Failure that came with 200 for what it is', () => {
    assert.throws(() => parseObject(answer(200, failure(500, 'InternalError', 'late')), context), { message: 'Error from server (InternalError): late' });
  });
});
