import assert from 'node:assert/strict';
import { renderYaml } from '../../../src/output/yaml.ts';
import { realKubectl, type RealKubectl } from '../../support/real-kubectl.ts';
import { seededRandom, testSeed } from '../../support/random.ts';
import { AMBIGUOUS, documentOf, randomStrings } from './yaml-strings.ts';

describe('YAML against the real kubectl', function () {
  this.timeout(60_000);
  let kubectl: RealKubectl;
  before(async function () {
    this.timeout(0);
    kubectl = await realKubectl();
  });
  after(() => kubectl.close());

  const seed = testSeed();
  it(`kubectl reads back every string as it was (KUBECTL_WIN_SEED=${seed})`, async () => {
    const document = documentOf([...new Set([...AMBIGUOUS, ...randomStrings(seededRandom(seed), 3000)])]);
    const file = kubectl.write('strings.yaml', [...(await renderYaml(document))].join(''));
    const { exitCode, stdout, stderr } = await kubectl.run(['label', '--local', '-f', file, 'a=b', '-o', 'json']);
    assert.equal(exitCode, 0, stderr);
    assert.deepEqual(JSON.parse(stdout), { ...document, metadata: { name: 'strings', labels: { a: 'b' } } });
  });
});
