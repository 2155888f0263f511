/** The objects that samples of rules are made of: whole YAML, whichever way the lines of a rule are written. */
import assert from 'node:assert/strict';
import { parse } from 'yaml';
import {
  memoryOf, sampleAgent, sampleClaim, sampleCsiNode, sampleHostProcessPod, sampleLinuxPod, sampleNode, samplePod, sampleService, sampleStorageClass, sampleVolume, sampleWorkload,
} from '../../../../src/domain/check/samples.ts';

describe('the objects of samples', () => {
  it('take lines as one text, indented as their place in a source is, or one by one', () => {
    const listed = samplePod({ spec: ['volumes:', '- name: data', '  emptyDir: {}'] });
    assert.equal(samplePod({ spec: 'volumes:\n- name: data\n  emptyDir: {}' }), listed);
    assert.equal(samplePod({
      spec: `
        volumes:
        - name: data
          emptyDir: {}`,
    }), listed);
    assert.match(listed, /^ {2}volumes:\n {2}- name: data\n {4}emptyDir: \{\}\n {2}containers:$/m);
  });

  it('leave out what has no lines', () => {
    assert.equal(samplePod({ osName: null, nodeSelector: null, resources: '', image: 'x/app:1' }), 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: iis\nspec:\n  containers:\n  - name: iis\n    image: x/app:1\n');
  });

  it('are the same pod in a template, with labels instead of a name', () => {
    const pod = { name: 'web', metadata: 'annotations:\n  example.com/note: none', container: 'tty: true', containerSecurity: 'privileged: false', resources: memoryOf('2Gi') };
    const { spec } = parse(samplePod(pod)) as { spec: unknown };
    assert.deepEqual(parse(sampleWorkload('Deployment', pod, 'replicas: 2')), {
      apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' },
      spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' }, annotations: { 'example.com/note': 'none' } }, spec } },
    });
  });

  const whole: Readonly<Record<string, string>> = {
    Pod: sampleHostProcessPod({ podSecurity: 'runAsNonRoot: false', windowsOptions: '' }), Node: sampleNode({ os: 'linux', labels: 'disk: ssd', unschedulable: true }),
    DaemonSet: sampleAgent('kube-proxy-windows', 'windows', { args: '[--v=2]', status: '{numberReady: 1}' }), Service: sampleService('type: ClusterIP'),
    PersistentVolumeClaim: sampleClaim('volumeName: pv-1'), PersistentVolume: sampleVolume('pv-1', 'nfs: {server: nfs.example.com, path: /data}'),
    StorageClass: sampleStorageClass('fast', 'ebs.csi.aws.com'), CSINode: sampleCsiNode('win-0', 'ebs.csi.aws.com', 'smb.csi.k8s.io'),
  };
  for (const [kind, yaml] of Object.entries(whole)) {
    it(`are YAML without a gap: ${kind}`, () => {
      assert.equal((parse(yaml) as { kind: string }).kind, kind);
      assert.doesNotMatch(yaml, /\n\n|[ \t]\n|undefined/);
      assert.ok(yaml.endsWith('\n'));
    });
  }

  it('are for Linux where that is asked for', () => {
    assert.match(sampleLinuxPod(), /os:\n {4}name: linux\n {2}nodeSelector:\n {4}kubernetes\.io\/os: linux\n/);
  });
});
