import assert from 'node:assert/strict';
import Images from '../../../../commands/images.ts';
import { readImagesRequest, type ImagesRequest } from '../../../../src/cli/images/images-request.ts';
import { fakeCluster } from '../../../support/fake-cluster.ts';
import { runCommand } from '../../../support/run-command.ts';

/** The request that a command line becomes, read by the command's own parser; null where it is refused. */
async function probe(argv: readonly string[], env: Readonly<Record<string, string | undefined>> = {}): Promise<{ readonly request: ImagesRequest | null; readonly stderr: string }> {
  let request: ImagesRequest | null = null;
  class Probe extends Images {
    override async run(): Promise<number> {
      request = readImagesRequest(this.words, this.flags, await this.settings(), await this.formatFile());
      return 0;
    }
  }
  const { stderr } = await runCommand(['images', ...argv], { commands: { images: Probe as never }, reader: fakeCluster(), env: { HOME: '/nowhere', KUBECTL_WIN_IMAGES: undefined, ...env } });
  return { request, stderr };
}

async function listOf(...argv: string[]): Promise<ImagesRequest['list']> {
  const { request, stderr } = await probe(argv);
  assert.ok(request !== null, stderr);
  return request.list;
}

describe('readImagesRequest', () => {
  it('without anything: the namespace of the context, as a table, nothing fails', async () => {
    assert.deepEqual((await probe([])).request, {
      format: { name: 'table' }, failOn: 'none', onlyProblems: false, sortBy: '',
      list: {
        named: [], pullNamespace: null, pullSecrets: true, allOs: false, sandbox: false, looksUpAll: false, sizes: false, scope: { namespace: undefined, labelSelector: undefined, targets: [], customResources: 'known' },
        chunkSize: 500, kubernetesVersion: undefined, goesOnWithoutCluster: false, silenceSeconds: 10,
      },
    });
  });

  it('reads namespaces', async () => {
    const namespaceOf = async (...argv: string[]): Promise<unknown> => (await listOf(...argv)).scope.namespace;
    assert.deepEqual([await namespaceOf('-n', 'a'), await namespaceOf('-A'), await namespaceOf('-A', '-n', 'a'), await namespaceOf('-n', '')], ['a', null, null, undefined]);
    assert.equal((await listOf('-n', 'a', 'x:1')).pullNamespace, 'a');
  });

  it('reads pull secrets unless it is told not to', async () => assert.deepEqual([(await listOf('--pull-secrets')).pullSecrets, (await listOf('--pull-secrets=false')).pullSecrets], [true, false]));

  for (const [argv, sizes] of [
    [[], false], [['-o', 'markdown'], false], [['-o', 'name'], false], [['-o', 'wide'], true], [['-o', 'json'], true], [['-o', 'csv'], true], [['-o', 'jsonpath={.items}'], true], [['--sort-by', 'size'], true], [['--sort-by', '.sizeBytes'], true], [['--sort-by', 'image'], false],
  ] as const) it(`${argv.join(' ') || 'a table'} ${sizes ? 'asks for sizes' : 'does not ask for sizes'}`, async () => assert.equal((await listOf(...argv)).sizes, sizes));

  it('goes on without a cluster for images alone, and not where a file is to be read or written', async () => {
    for (const [argv, expected] of [[['x:1'], true], [['x:1', '--inventory', 'f'], false], [['x:1', '--save', 'f'], false], [[], false]] as const) assert.equal((await listOf(...argv)).goesOnWithoutCluster, expected);
  });

  it('waits for a cluster that is an extra for 10 s, or for what --request-timeout says', async () => {
    for (const [argv, expected] of [[[], 10], [['--request-timeout=3s'], 3], [['--request-timeout=250ms'], 0.25], [['--request-timeout=0'], 10]] as const) assert.equal((await listOf('x:1', ...argv)).silenceSeconds, expected);
  });

  it('sorts by columns and fields that there are, and knows the short name of the worst first', async () => {
    for (const [by, expected] of [['fails', 'FAILS-WHERE-USED'], ['FAILS', 'FAILS-WHERE-USED'], ['fails-on', 'fails-on'], ['size', 'size'], ['.evidence', '.evidence'], ['{.registryFailure.reason}', '{.registryFailure.reason}'], ['.platforms[0].build', '.platforms[0].build'], ['{.platforms[?(@.os=="linux")].os}', '{.platforms[?(@.os=="linux")].os}']] as const) {
      const { request, stderr } = await probe(['--sort-by', by]);
      assert.equal(request?.sortBy, expected, stderr);
    }
    for (const by of ['bogus', '{.nothing}', '.platforms[0].nothing', '{.image']) assert.equal((await probe(['--sort-by', by])).request, null, by);
  });

  it('looks up what is for others by --images=registry, wherever that was said', async () => {
    assert.equal((await listOf('--images=registry')).looksUpAll, true);
    const { request } = await probe([], { KUBECTL_WIN_IMAGES: 'registry' });
    assert.equal(request?.list.looksUpAll, true);
  });

  for (const word of ['deploy/web', 'pods/x', 'ds/agent', 'deployment/web']) {
    it(`refuses ${word}, which is no image that anybody means`, async () => assert.match((await probe([word])).stderr, new RegExp(`^error: "${word}" names a workload.*\\nkubectl get ${word} -o yaml \\| kubectl win images -f - --live\\n.*docker\\.io/${word}`)));
  }

  for (const word of ['deploy/web:1', 'docker.io/deploy/web', 'library/nginx', 'nginx', 'Nginx:1', '${IMAGE}']) it(`takes ${word}`, async () => assert.deepEqual((await listOf(word)).named, [word]));
});
