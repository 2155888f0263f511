import assert from 'node:assert/strict';
import type { ManifestObject, ManifestSource } from '../../../../src/app/ports.ts';
import { withNamedNamespaces } from '../../../../src/app/prepull/named-namespaces.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { InputError } from '../../../../src/errors.ts';

function manifestsOf(...objects: readonly KubeObject[]): ManifestSource {
  const locate: ManifestObject['locate'] = () => ({ file: 'web.yaml', line: 3, column: 5, length: 1 });
  return { description: { source: 'files', context: null, location: 'web.yaml' }, notes: ['skipped'], async* read() {
    for (const object of objects) yield { object, file: 'web.yaml', locate, lineText: () => '', problems: [] };
  } };
}

const pod = (namespace?: string): KubeObject => ({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', ...(namespace === undefined ? {} : { namespace }) }, spec: { containers: [{ name: 'c', image: 'a:1' }] } });
const read = async (...objects: readonly KubeObject[]): Promise<number> => {
  let count = 0;
  for await (const _ of withNamedNamespaces(manifestsOf(...objects)).read()) count += 1;
  return count;
};

describe('withNamedNamespaces', () => {
  it('lets pass what can be, and what has no pods', async () => {
    assert.equal(await read(pod(), pod('shop'), { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'x', namespace: 'No!' } }), 3);
    assert.deepEqual(withNamedNamespaces(manifestsOf()).notes, ['skipped']);
  });

  it('says where one stands that cannot be', async () => {
    await assert.rejects(read(pod('shop'), pod('a b')), (error: InputError) => error instanceof InputError && error.message === 'web.yaml:3:5: pod/web is in "a b", which is no name of a namespace');
  });
});
