import assert from 'node:assert/strict';
import { assertMatchesSchema, readSchema, SCHEMA_KINDS } from './schema.ts';
import type { WindowsNode } from '../../src/domain/node/windows-node.ts';
import { nodeDocument, nodeListDocument } from '../../src/output/views/nodes.ts';
import { HOSTILE_NODE, READY_NODE } from '../src/output/sample-view.ts';

describe('docs/schemas', () => {
  for (const kind of SCHEMA_KINDS) {
    it(`${kind} is named by its own urn and describes itself`, () => {
      const schema = readSchema(kind) as Record<string, unknown>;
      assert.equal(schema['$schema'], 'https://json-schema.org/draft/2020-12/schema');
      assert.equal(schema['$id'], `urn:kubectl-win:schema:v1alpha1:${kind}`);
      assert.equal(schema['title'], kind);
    });
  }

  const item = (node: WindowsNode): Record<string, unknown> => nodeDocument({ node, pods: null, context: null, serverVersion: null });
  const list = nodeListDocument({ reports: [], listed: [] }, { now: new Date('2026-11-30T00:00:00Z'), generatedAt: new Date('2026-11-30T12:00:00Z'), toolVersion: '0.1.0' });

  it('WindowsNodeList describes every field of a node that is known, and of one that is not', () => {
    assertMatchesSchema('WindowsNodeList', { ...list, items: [item(READY_NODE), item(HOSTILE_NODE)] });
    const pods = { total: 12, hostProcess: 1, requested: { cpuCores: 1.5, memoryBytes: 2_147_483_648 }, agents: [{ role: 'csi', name: 'csi-proxy', container: 'csi-proxy', version: null, image: 'x', ready: true }], imageFailures: [{ pod: 'shop/web', image: 'web:1', reason: 'ErrImagePull', otherBuild: true }] };
    assertMatchesSchema('WindowsNodeList', { ...list, items: [{ ...item(READY_NODE), pods, context: 'a' }] });
  });

  const wrong = [
    ['a field that nobody described', { ...list, items: [{ ...item(READY_NODE), surprise: 1 }] }],
    ['a missing field', { ...list, items: [{ ...item(READY_NODE), build: undefined }] }],
    ['a build that is text', { ...list, items: [{ ...item(READY_NODE), build: '20348' }] }],
    ['a made-up severity', { ...list, items: [{ ...item(READY_NODE), issues: [{ ...READY_NODE.issues[0], severity: 'fatal' }] }] }],
    ['another apiVersion', { ...list, apiVersion: 'v1' }],
    ['a time that is none', { ...list, metadata: { ...(list['metadata'] as object), generatedAt: 'today' } }],
    ['no summary', { ...list, summary: undefined }],
  ] as const;
  for (const [name, document] of wrong) it(`WindowsNodeList refuses ${name}`, () => assert.throws(() => assertMatchesSchema('WindowsNodeList', document), assert.AssertionError));

  it('Inventory holds raw objects of any shape', () => {
    const document = {
      apiVersion: 'kubectl-win/v1alpha1', kind: 'Inventory',
      metadata: { generatedAt: '2026-11-30T12:00:00.000Z', source: 'cluster', context: null, serverVersion: 'v1.37.2', toolVersion: '0.1.0', resources: [{ group: '', version: 'v1', resource: 'nodes', kind: 'Node', namespaced: false }] },
      items: [{ apiVersion: 'v1', kind: 'Node', metadata: { name: 'a' }, anything: [1] }, { apiVersion: 'v1', kind: 'Node' }],
    };
    assertMatchesSchema('Inventory', document);
    assert.throws(() => assertMatchesSchema('Inventory', { ...document, items: [{ kind: 'Node' }] }), assert.AssertionError);
  });

  it('VersionInfo has a client, and a server where one was asked', () => {
    const clientVersion = { major: '0', minor: '1', gitVersion: 'v0.1.0', nodeVersion: 'v26.10.0', platform: 'linux/x64' };
    assertMatchesSchema('VersionInfo', { clientVersion });
    assertMatchesSchema('VersionInfo', { clientVersion, serverVersion: null });
    assertMatchesSchema('VersionInfo', { clientVersion, serverVersion: { major: '1', minor: '37', gitVersion: 'v1.37.2' } });
    assert.throws(() => assertMatchesSchema('VersionInfo', {}), assert.AssertionError);
  });
});
