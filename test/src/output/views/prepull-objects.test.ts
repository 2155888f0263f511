import assert from 'node:assert/strict';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { renderObjects } from '../../../../src/output/views/prepull-objects.ts';

describe('renderObjects', () => {
  it('writes a document for each', async () => {
    const objects: readonly KubeObject[] = [{ apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' } }, { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'b' } }];
    let text = '';
    for await (const chunk of renderObjects(objects)) text += chunk;
    assert.deepEqual(parseAllDocuments(text).map((document) => document.toJS() as unknown), objects);
    assert.ok(!text.startsWith('---'));
  });

  it('writes nothing for none', async () => {
    for await (const chunk of renderObjects([])) assert.fail(chunk);
  });
});
