import assert from 'node:assert/strict';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../../src/domain/kubernetes/object.ts';
import { renderObjects, renderObjectsAsJson } from '../../../src/output/objects.ts';

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

describe('renderObjectsAsJson', () => {
  const object = (name: string): KubeObject => ({ apiVersion: 'batch/v1', kind: 'Job', metadata: { name } });
  const textOf = async (objects: readonly KubeObject[]): Promise<string> => {
    let text = '';
    for await (const chunk of renderObjectsAsJson(objects)) text += chunk;
    return text;
  };

  it('writes one object as it is', async () => assert.deepEqual(JSON.parse(await textOf([object('a')])), object('a')));

  it('writes several as a List, which kubectl takes', async () => {
    const { kind, apiVersion, items } = JSON.parse(await textOf([object('a'), object('b')])) as Record<string, unknown>;
    assert.deepEqual([apiVersion, kind, items], ['v1', 'List', [object('a'), object('b')]]);
  });

  it('writes nothing for none', async () => assert.equal(await textOf([]), ''));
});
