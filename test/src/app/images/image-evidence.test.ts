import assert from 'node:assert/strict';
import { ImageEvidence } from '../../../../src/app/images/image-evidence.ts';
import { PullSecretReader, type PullScope } from '../../../../src/app/images/pull-secrets.ts';
import { answeringRegistry, failure, index, type PreparedAnswer } from '../../../support/answering-registry.ts';
import { fakeCluster } from '../../../support/fake-cluster.ts';

const scope = (namespace: string, ...secretNames: readonly string[]): PullScope => ({ namespace, serviceAccount: 'default', secretNames });
const wanted = (image: string, of: PullScope | null = null) => ({ image, scope: of });

describe('ImageEvidence', () => {
  const evidence = (answers: Readonly<Record<string, PreparedAnswer>>) => {
    const registry = answeringRegistry(answers);
    return { registry, evidence: new ImageEvidence({ registry, secrets: null }) };
  };

  it('asks once for an image and its secrets, and no more once it is known', async () => {
    const { registry, evidence: known } = evidence({ 'a/b:1': index(['windows/10.0.20348.1']), 'a/c:1': failure('Unauthorized', 'no') });
    await Promise.all([known.lookUp([wanted('a/b:1'), wanted('a/b:1')]), known.lookUp([wanted('a/c:1', scope('x')), wanted('a/c:1', scope('x'))])]);
    await known.lookUp([wanted('a/b:1', scope('y')), wanted('a/c:1', scope('y'))]);
    assert.deepEqual(registry.asked.map(({ image }) => image), ['a/b:1', 'a/c:1', 'a/c:1']);
    assert.equal(known.platformsOf('a/b:1').confidence, 'registry');
  });

  it('never asks for what is no reference, nor without a registry', async () => {
    const { registry, evidence: known } = evidence({});
    await known.lookUp([wanted('A:1'), wanted('${IMAGE}')]);
    assert.deepEqual(registry.asked, []);
    const silent = new ImageEvidence({ registry: null, secrets: null });
    await silent.lookUp([wanted('a:1')]);
    assert.deepEqual([silent.asksRegistries, silent.failureOf('a:1'), silent.notes], [false, null, []]);
  });

  it('falls back to the name, and says why', async () => {
    const { evidence: known } = evidence({ 'a/b:ltsc2022': failure('Timeout', 'a did not answer') });
    await known.lookUp([wanted('a/b:ltsc2022')]);
    const { confidence, notes } = known.platformsOf('a/b:ltsc2022');
    assert.deepEqual([confidence, notes, known.failureOf('a/b:ltsc2022')?.reason], ['tag', ['a did not answer'], 'Timeout']);
  });

  it('an answer takes the place of a failure, and never the other way round', async () => {
    const open: PreparedAnswer = (texts) => (texts.length > 0 ? index(['windows/10.0.20348.1']) : failure('Unauthorized', 'no'));
    const cluster = fakeCluster({ objects: { secrets: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'x' }, data: { '.dockerconfigjson': 'e30=' } }] } });
    const known = new ImageEvidence({ registry: answeringRegistry({ 'a/b:1': open }), secrets: new PullSecretReader(cluster, undefined) });
    await known.lookUp([wanted('a/b:1')]);
    assert.equal(known.platformsOf('a/b:1').confidence, 'unknown');
    await known.lookUp([wanted('a/b:1', scope('x', 's'))]);
    assert.equal(known.platformsOf('a/b:1').confidence, 'registry');
    assert.equal(known.failureOf('a/b:1'), null);
  });

  it('gives the same object as long as nothing new is known, so that verdicts can be kept by it', async () => {
    const { evidence: known } = evidence({ 'a/b:1': index(['windows/10.0.20348.1']) });
    await known.lookUp([wanted('a/b:1')]);
    const first = known.platformsOf('a/b:1');
    assert.equal(known.platformsOf('a/b:1'), first);
    known.live.addPods([{ spec: { nodeName: 'w', containers: [{ name: 'c', image: 'a/b:1' }] }, status: { containerStatuses: [{ name: 'c', image: 'a/b:1', state: { running: {} } }] } }], () => ({ os: 'windows', build: 17763 }));
    assert.notEqual(known.platformsOf('a/b:1'), first);
    assert.match(known.platformsOf('a/b:1').notes?.join() ?? '', /were seen running on build 10\.0\.17763/);
  });

  it('tells of failures once per registry and reason, with what to do', async () => {
    const { evidence: known } = evidence({ 'a/b:1': failure('Unauthorized', 'registry.example answered 401', ['log in']), 'a/c:1': failure('Unauthorized', 'registry.example answered 401', ['log in']), 'a/d:1': failure('Timeout', 'too late') });
    await known.lookUp(['a/b:1', 'a/c:1', 'a/d:1'].map((image) => wanted(image)));
    assert.deepEqual(known.notes, ['2 images (a/b:1, a/c:1) are judged without a registry: registry.example answered 401; log in', 'a/d:1 is judged without a registry: too late']);
  });

  it('says that an image was not found, which is no matter of having no registry', async () => {
    const { evidence: known } = evidence({ 'a/b:1': failure('NotFound', 'a answered 404 Not Found'), 'a/c:1': failure('NotFound', 'a answered 404 Not Found') });
    await known.lookUp([wanted('a/b:1')]);
    assert.deepEqual([known.notes, known.platformsOf('a/b:1').missing], [['a/b:1 was not found: a answered 404 Not Found'], 'a answered 404 Not Found']);
    await known.lookUp([wanted('a/c:1')]);
    assert.deepEqual(known.notes, ['2 images (a/b:1, a/c:1) were not found: a answered 404 Not Found']);
  });

  it('names the imagePullSecrets that would have been shown to a registry that refuses, where they are not read', async () => {
    const answers = { 'a/b:1': failure('Unauthorized', 'no'), 'a/c:1': failure('Timeout', 'late'), 'a/d:1': index(['windows/10.0.20348.1']) };
    const notesOf = async (secretsUnread: string | null): Promise<readonly string[]> => {
      const known = new ImageEvidence({ registry: answeringRegistry(answers), secrets: null, secretsUnread });
      await known.lookUp([wanted('a/b:1', scope('x', 'regcred')), wanted('a/b:1', scope('y', 'b', 'a')), wanted('a/c:1', scope('x', 'slow')), wanted('a/d:1', scope('x', 'fine'))]);
      return known.notes.filter((note) => note.includes('imagePullSecrets'));
    };
    assert.deepEqual(await notesOf('without --live'), ["the pods' imagePullSecrets (a, b, regcred) are not read without --live: a registry that refused was asked without them"]);
    assert.deepEqual(await notesOf(null), []);
  });

  for (const [message, hint] of [
    ['r.example:5000 cannot be reached: http: server gave HTTP response to HTTPS client', /; if it speaks plain HTTP, the configuration says so: registries\."r\.example:5000"\.plainHTTP: true$/],
    ['r.example answered 400 Bad Request', /; if it speaks HTTPS, the configuration must not say plainHTTP: true or http:\/\/ of r\.example$/],
    ['r.example answered 400 Bad Request (client sent an HTTP request to an HTTPS server)', /; if it speaks HTTPS/],
    ['r.example answered 400 Bad Request (name invalid: no)', /\(name invalid: no\)$/],
  ] as const) {
    it(`gives a hint where TLS and plain HTTP may be mixed up: ${message}`, async () => {
      const { evidence: known } = evidence({ 'r.example/b:1': failure('Malformed', message) });
      await known.lookUp([wanted('r.example/b:1')]);
      assert.match(known.notes.join(), hint);
    });
  }
});
