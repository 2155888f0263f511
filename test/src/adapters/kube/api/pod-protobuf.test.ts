import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { continueTokenInProtobufHead, isProtobuf, readKubernetesProtobuf } from '../../../../../src/adapters/kube/api/pod-protobuf.ts';
import { MalformedProtobufError } from '../../../../../src/adapters/kube/api/protobuf-reader.ts';
import { nameOf } from '../../../../../src/domain/kubernetes/object.ts';
import { NODES, PODS } from '../../../../../src/domain/kubernetes/resource.ts';
import { ClusterError } from '../../../../../src/errors.ts';
import { sendJson } from '../../../../support/loopback-api.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';
import { envelope, failureStatus, field, message, podList } from './protobuf-writer.ts';
import { withClient } from './with-client.ts';

const PROTOBUF = { 'Content-Type': 'application/vnd.kubernetes.protobuf' };

const entry = (key: string, value: string): Buffer => message(field(1, key), field(2, value));
const status = (name: string, state: Buffer): Buffer => message(field(1, name), field(2, state), field(3, ''), field(4, false), field(5, 3), field(6, 'img:1'), field(7, 'sha256:1'), field(8, ''));
const POD = message(
  field(1, message(
    field(1, 'web-1'), field(2, 'web-'), field(3, 'shop'), field(4, ''), field(5, 'u1'), field(7, 0), field(11, entry('app', 'wéb')), field(11, entry('empty', '')), field(12, entry('note', 'skipped')),
    field(13, message(field(1, 'ReplicaSet'), field(3, 'web'), field(4, 'u2'), field(5, 'apps/v1'), field(6, true), field(7, true))), field(17, message(field(1, 'kubelet'))),
  )),
  field(2, message(field(2, message(field(1, 'main'), field(2, 'img:1'), field(7, entry('A', 'b')))), field(10, 'win1'), field(20, message(field(1, 'init'), field(2, ''))))),
  field(3, message(
    field(1, 'Pending'), field(2, message(field(1, 'Ready'), field(2, 'False'), field(5, 'ContainersNotReady'), field(6, ''))), field(3, ''), field(4, 'Evicted'),
    field(8, status('main', field(1, message(field(1, 'CrashLoopBackOff'), field(2, 'back-off'))))), field(10, status('init', field(3, message(field(1, -1073741502), field(3, 'Error'), field(4, 'gone'))))),
  )),
);
const WANTED = {
  metadata: { name: 'web-1', generateName: 'web-', namespace: 'shop', labels: { app: 'wéb', empty: '' }, ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true }] },
  spec: { containers: [{ name: 'main', image: 'img:1' }], nodeName: 'win1', initContainers: [{ name: 'init' }] },
  status: {
    phase: 'Pending', conditions: [{ type: 'Ready', status: 'False', reason: 'ContainersNotReady' }], reason: 'Evicted',
    containerStatuses: [{ name: 'main', state: { waiting: { reason: 'CrashLoopBackOff', message: 'back-off' } }, lastState: {}, ready: false, image: 'img:1', imageID: 'sha256:1' }],
    initContainerStatuses: [{ name: 'init', state: { terminated: { exitCode: -1073741502, reason: 'Error', message: 'gone' } }, lastState: {}, ready: false, image: 'img:1', imageID: 'sha256:1' }],
  },
};
const LIST = envelope('PodList', message(field(1, message(field(1, ''), field(2, '7'), field(3, 'token'), field(4, 12))), field(2, POD)));

describe('readKubernetesProtobuf', () => {
  it('reads of pods what tells of their health and owner, in the shape of JSON', () => {
    assert.deepEqual(readKubernetesProtobuf(LIST), { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7', continue: 'token', remainingItemCount: 12 }, items: [WANTED] });
    assert.deepEqual(readKubernetesProtobuf(podList([])), { kind: 'PodList', apiVersion: 'v1', metadata: { resourceVersion: '7' }, items: [] });
    assert.deepEqual(readKubernetesProtobuf(envelope('NodeList', LIST)), { kind: 'NodeList', apiVersion: 'v1' });
    assert.deepEqual(readKubernetesProtobuf(envelope('PodList', LIST, 'example.com/v1')), { kind: 'PodList', apiVersion: 'example.com/v1' });
  });

  it('reads errors', () => {
    assert.deepEqual(readKubernetesProtobuf(failureStatus(403, 'Forbidden', 'no')), { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message: 'no', reason: 'Forbidden', details: { kind: 'pods' }, code: 403 });
  });

  it('refuses a list that is cut short wherever it is cut', () => {
    // the last four bytes are two empty fields behind the list
    for (let length = 0; length < LIST.length - 4; length += 1) {
      assert.throws(() => readKubernetesProtobuf(LIST.subarray(0, length)), (error) => error instanceof MalformedProtobufError && error.isCut, String(length));
    }
    // and messages in it
    for (let length = 0; length < POD.length; length += 1) {
      try {
        readKubernetesProtobuf(envelope('PodList', field(2, POD.subarray(0, length))));
      } catch (error) {
        // the answer is all there, and asking again would give the same
        assert.ok(error instanceof MalformedProtobufError && !error.isCut, String(error));
      }
    }
  });

  it('refuses what is not Kubernetes\' protobuf', () => {
    assert.throws(() => readKubernetesProtobuf(Buffer.from('{"kind":"PodList"}')), (error) => error instanceof MalformedProtobufError && !error.isCut);
    assert.throws(() => readKubernetesProtobuf(message(Buffer.from('k8s\0'), field(1, field(2, 'PodList')), field(2, ''), field(3, 'gzip'))), /encoding "gzip"/);
  });

  const seed = testSeed();
  it(`throws nothing else, and ends, for random bytes (seed ${seed})`, () => {
    const random = seededRandom(seed);
    for (let round = 0; round < 3000; round += 1) {
      const bytes = Buffer.from(LIST);
      for (let change = random.below(8); change >= 0; change -= 1) bytes[4 + random.below(bytes.length - 4)] = random.below(256);
      const noise = message(Buffer.from('k8s\0'), field(1, message(field(1, 'v1'), field(2, 'PodList'))), field(2, Buffer.from(Array.from({ length: random.below(60) }, () => random.below(256)))));
      for (const body of [bytes, noise]) {
        try {
          readKubernetesProtobuf(body);
        } catch (error) {
          assert.ok(error instanceof MalformedProtobufError, `${String(error)}: ${body.toString('hex')}`);
        }
        continueTokenInProtobufHead(body);
      }
    }
  });

  it('knows its media type', () => {
    assert.deepEqual(['application/vnd.kubernetes.protobuf', 'Application/vnd.kubernetes.protobuf;stream=watch', 'application/json', 'application/vnd.kubernetes.protobufs', undefined].map(isProtobuf), [true, true, false, false, false]);
  });
});

describe('continueTokenInProtobufHead', () => {
  it('finds the token as soon as the metadata of the list are there', () => {
    const end = LIST.indexOf('token') + 'token'.length + field(4, 12).length;
    for (let length = 0; length <= LIST.length; length += 1) assert.equal(continueTokenInProtobufHead(LIST.subarray(0, length)), length < end ? null : 'token', String(length));
    assert.equal(continueTokenInProtobufHead(podList(['a'])), null);
    assert.equal(continueTokenInProtobufHead(Buffer.from('{"metadata":{"continue":"x"},"items":[')), null);
  });
});

describe('lists of digests', () => {
  it('ask for protobuf of pods alone, and take JSON where it comes', async () => {
    await withClient((request, response) => sendJson(response, 200, request.url.includes('nodes') ? { kind: 'NodeList', items: [] } : { kind: 'PodList', metadata: {}, items: [{ metadata: { name: 'a' }, spec: { kept: true } }] }), async (client, requests) => {
      for await (const page of client.list(PODS, { podDigest: () => true })) assert.deepEqual(page, { items: [{ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { kept: true } }], resourceVersion: '' });
      for await (const page of client.list(NODES, { podDigest: () => true })) assert.equal(page.whole, undefined);
      for await (const page of client.list(PODS, { podDigest: () => false })) assert.equal(page.whole, undefined);
      assert.deepEqual(requests.map(({ headers }) => headers.accept), ['application/vnd.kubernetes.protobuf, application/json', 'application/json', 'application/json']);
    });
  });

  it('are read page by page, the next one asked for by the head of the one before; each can be had whole', async () => {
    let release = (): void => undefined;
    const second = new Promise<void>((resolve) => {
      release = resolve;
    });
    await withClient(async (request, response) => {
      const token = new URL(request.url, 'https://x').searchParams.get('continue');
      if (!request.headers.accept?.includes('protobuf')) return sendJson(response, 200, { kind: 'PodList', metadata: { resourceVersion: '7' }, items: [{ metadata: { name: `whole ${token}` } }] });
      response.writeHead(200, PROTOBUF);
      if (token === 'next') {
        release();
        response.end(podList(['c']));
        return;
      }
      const page = podList(['a', 'b'.repeat(4000)], { continueToken: 'next' });
      response.write(page.subarray(0, 3000));
      // a client that waits for the end of this page waits for ever
      await second;
      response.end(page.subarray(3000));
    }, async (client, requests) => {
      const seen: unknown[] = [];
      for await (const page of client.list(PODS, { podDigest: () => true, chunkSize: 2 })) seen.push(page.items.map(({ apiVersion, kind, metadata }) => `${apiVersion} ${kind} ${String(metadata?.['name']).slice(0, 3)}`), (await page.whole?.())?.map(nameOf), page.resourceVersion);
      assert.deepEqual(seen, [['v1 Pod a', 'v1 Pod bbb'], ['whole null'], '7', ['v1 Pod c'], ['whole next'], '7']);
      assert.ok(requests.every(({ url }) => url.includes('limit=2')));
    });
  });

  it('ask for each page anew whether it is to be of digests', async () => {
    let wants = true;
    await withClient(async (request, response) => {
      const page = Number(new URL(request.url, 'https://x').searchParams.get('continue') ?? 0);
      const continueToken = page < 4 ? String(page + 1) : '';
      if (request.headers.accept?.includes('protobuf')) response.writeHead(200, PROTOBUF).end(podList([`p${page}`], { continueToken }));
      else sendJson(response, 200, { kind: 'PodList', metadata: { continue: continueToken }, items: [{ metadata: { name: `p${page}` } }] });
      await delay(1);
    }, async (client) => {
      const seen: string[] = [];
      for await (const { items, whole } of client.list(PODS, { podDigest: () => wants })) {
        seen.push(`${items.map(nameOf).join()} ${whole === undefined ? 'whole' : 'digest'}`);
        wants = false;
      }
      // the second was under way when the first was handed over
      assert.deepEqual(seen.map((line) => line.split(' ')[0]), ['p0', 'p1', 'p2', 'p3', 'p4']);
      assert.deepEqual([seen[0], seen[3], seen[4]], ['p0 digest', 'p3 whole', 'p4 whole']);
    });
  });

  for (const [what, code, body, expected] of [
    ['a refusal in protobuf', 403, failureStatus(403, 'Forbidden', 'pods is forbidden: User "x" cannot list resource "pods"'), { reason: 'Forbidden', status: 403, message: 'Error from server (Forbidden): pods is forbidden: User "x" cannot list resource "pods"' }],
    ['a failure sent with 200', 200, failureStatus(500, 'InternalError', 'broken'), { reason: 'InternalError', status: 200, message: 'Error from server (InternalError): broken' }],
    ['an error that is no Status', 400, Buffer.from('k8s\0\x07'), { reason: 'BadRequest', status: 400 }],
    ['a list that is cut short', 200, LIST.subarray(0, -40), { reason: 'ConnectionLost', message: /^the server \S+ answered "list pods" with protobuf that was cut short after \d+ bytes$/ }],
    ['bytes that are no list', 200, envelope('PodList', Buffer.from([0x0a, 9, 1])), { reason: 'NotKubernetes', message: /answered "list pods" with protobuf that is not valid \(a field up to byte 11 in a message up to byte 3\)/ }],
    ['text', 200, Buffer.from('hello'), { reason: 'NotKubernetes' }],
    ['another list', 200, envelope('NodeList', LIST), { reason: 'NotKubernetes', message: /a NodeList instead of a PodList/ }],
  ] satisfies readonly [string, number, Buffer, object][]) {
    it(`give the error of ${what}`, async () => {
      await withClient((_request, response) => void response.writeHead(code, PROTOBUF).end(body), async (client) => {
        await assert.rejects(client.listPage(PODS, { podDigest: () => true }, { limit: 500, continueToken: '' }), expected);
      });
    });
  }

  it('do not take digests for whole objects where none were asked for', async () => {
    await withClient((_request, response) => void response.writeHead(200, PROTOBUF).end(LIST), async (client) => {
      await assert.rejects(client.listPage(PODS, {}, { limit: 500, continueToken: '' }), (error) => error instanceof ClusterError && error.reason === 'NotKubernetes');
    });
  });
});
