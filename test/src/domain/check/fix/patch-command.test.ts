import assert from 'node:assert/strict';
import { jsonPatchOf } from '../../../../../src/domain/check/fix/json-patch.ts';
import { patchCommand, patchCommandFor } from '../../../../../src/domain/check/fix/patch-command.ts';
import type { FieldEdit } from '../../../../../src/domain/check/finding.ts';
import type { KubeObject } from '../../../../../src/domain/kubernetes/object.ts';

const DEPLOYMENT: KubeObject = {
  apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'shop' },
  spec: { template: { spec: { containers: [{ name: 'a' }, { name: 'b', tty: true }], tolerations: [{ key: 'x' }] } } },
};
const TEMPLATE = ['spec', 'template', 'spec'];

describe('a JSON patch', () => {
  it('tests that list items are those that were judged, then does the edits', () => {
    const edits: readonly FieldEdit[] = [
      { op: 'set', path: [...TEMPLATE, 'nodeSelector', 'kubernetes.io/os'], value: 'windows' },
      { op: 'append', path: [...TEMPLATE, 'tolerations'], value: { key: 'os~1' } },
      { op: 'remove', path: [...TEMPLATE, 'tolerations', 0] },
      { op: 'remove', path: [...TEMPLATE, 'containers', 1, 'tty'] },
    ];
    assert.deepEqual(jsonPatchOf(DEPLOYMENT, edits), [
      { op: 'test', path: '/spec/template/spec/tolerations/0', value: { key: 'x' } },
      { op: 'test', path: '/spec/template/spec/containers/1/name', value: 'b' },
      { op: 'add', path: '/spec/template/spec/nodeSelector/kubernetes.io~1os', value: 'windows' },
      { op: 'add', path: '/spec/template/spec/tolerations/-', value: { key: 'os~1' } },
      { op: 'remove', path: '/spec/template/spec/tolerations/0' },
      { op: 'remove', path: '/spec/template/spec/containers/1/tty' },
    ]);
  });
});

describe('a JSON patch of a list item', () => {
  it('replaces it, where an add would put another before it', () => {
    assert.deepEqual(jsonPatchOf({ command: ['pwsh', '-c'] }, [{ op: 'set', path: ['command', 0], value: 'powershell' }]), [
      { op: 'test', path: '/command/0', value: 'pwsh' }, { op: 'replace', path: '/command/0', value: 'powershell' },
    ]);
  });
});

describe('the command that patches a live object', () => {
  it('names kind, group, name and namespace', () => {
    assert.equal(
      patchCommandFor(DEPLOYMENT, [{ edits: [{ op: 'set', path: [...TEMPLATE, 'os', 'name'], value: 'windows' }] }], { flags: ['--context=my prod'] }),
      `kubectl patch deployment.apps/web -n shop '--context=my prod' --type=json -p '[{"op":"add","path":"/spec/template/spec/os","value":{"name":"windows"}}]'`,
    );
  });

  it('holds no single quote, in which both POSIX shells and PowerShell would end', () => {
    const command = patchCommand({ apiVersion: 'v1', kind: 'Service', namespace: null, name: 'a' }, [{ op: 'add', path: '/x', value: "it's $HOME `x`" }]);
    assert.equal(command, String.raw`kubectl patch service/a --type=json -p '[{"op":"add","path":"/x","value":"it\u0027s $HOME ${'`'}x${'`'}"}]'`);
  });

  const NONE: readonly (readonly [string, KubeObject, FieldEdit])[] = [
    ['a pod, whose spec cannot be changed', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: {} }, { op: 'set', path: ['spec', 'os', 'name'], value: 'windows' }],
    ['a Job, whose template cannot be changed', { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'a' }, spec: { template: { spec: {} } } }, { op: 'set', path: [...TEMPLATE, 'os', 'name'], value: 'windows' }],
    ['a claim', { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { name: 'a' }, spec: {} }, { op: 'set', path: ['spec', 'volumeMode'], value: 'Filesystem' }],
    ['parameters of a StorageClass', { apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: { name: 'a' } }, { op: 'set', path: ['parameters', 'fsType'], value: 'ntfs' }],
    ['an object without a name', { apiVersion: 'v1', kind: 'Service', metadata: { generateName: 'a' }, spec: {} }, { op: 'set', path: ['spec', 'x'], value: 1 }],
    ['an AppArmor annotation of a pod', { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', annotations: { 'container.apparmor.security.beta.kubernetes.io/a': 'x', b: 'c' } } }, { op: 'remove', path: ['metadata', 'annotations', 'container.apparmor.security.beta.kubernetes.io/a'] }],
    ['nothing to change', DEPLOYMENT, { op: 'remove', path: ['spec', 'gone'] }],
  ];
  for (const [name, object, edit] of NONE) {
    it(`is none for ${name}`, () => {
      assert.equal(patchCommandFor(object, [{ edits: [edit] }]), null);
    });
  }

  it('exists for what can be changed of a pod: an image, a further toleration, an annotation', () => {
    const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'b' }], tolerations: [] } };
    const edits: readonly FieldEdit[] = [
      { op: 'set', path: ['spec', 'containers', 0, 'image'], value: 'c' }, { op: 'append', path: ['spec', 'tolerations'], value: {} }, { op: 'set', path: ['metadata', 'annotations', 'a'], value: 'b' },
    ];
    for (const edit of edits) assert.match(patchCommandFor(pod, [{ edits: [edit] }]) ?? '', /^kubectl patch pod\/a /);
  });
});
