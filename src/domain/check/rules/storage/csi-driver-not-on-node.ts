import { defineWorkloadRule } from '../../rule.ts';
import { CLAIMED, sampleClaim, sampleCsiNode, sampleList, sampleNode, samplePod, sampleStorageClass, withVolumes } from '../../samples.ts';
import { backedVolumesOf, driversOf } from './shared-volume-backing.ts';

/** A volume of a CSI driver that is not registered on the Windows nodes where the pod can land. */
export const csiDriverNotOnNode = defineWorkloadRule({
  id: 'csi-driver-not-on-node',
  facts: ['VOL-005', 'C44', 'C59'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'CSI driver of a volume is not on the Windows nodes',
  rationale: 'A CSI driver mounts volumes only where its node plugin runs and has registered itself in the node\'s CSINode. Many drivers have none for Windows, or it was not installed: the pod then stays Pending, or in ContainerCreating with "driver name … not found in the list of registered CSI drivers".',
  remediation: 'Install the node plugin for Windows of the driver, or use a StorageClass whose driver has one.',
  reference: 'https://kubernetes.io/docs/reference/kubernetes-api/storage/csi-node-v1/',
  asOf: '2026-11-30',
  messages: {
    everywhere: '{text} needs CSI driver {driver}, which is registered on no Windows node where the pod can land: "driver name {driver} not found in the list of registered CSI drivers"',
    somewhere: '{text} needs CSI driver {driver}, which is not registered on {count} of {of} Windows nodes where the pod can land',
  },
  samples: {
    bad: [{
      path: 'spec.volumes[0].persistentVolumeClaim.claimName',
      yaml: samplePod(withVolumes(CLAIMED)),
      cluster: sampleList(
        sampleNode({ name: 'win-1' }), sampleClaim('storageClassName: efs'), sampleStorageClass('efs', 'efs.csi.aws.com'), sampleCsiNode('win-1', 'ebs.csi.aws.com'),
      ),
    }],
    good: [{ yaml: samplePod(withVolumes({ data: 'csi:\n  driver: smb.csi.k8s.io' })) }],
  },
  * check({ workload, placement }, facts) {
    const open = new Map<'csiNodes' | 'nodes' | 'persistentVolumeClaims' | 'persistentVolumes' | 'storageClasses', string[]>();
    const leave = (fact: 'csiNodes' | 'nodes' | 'persistentVolumeClaims' | 'persistentVolumes' | 'storageClasses', text: string): void => { open.set(fact, [...open.get(fact) ?? [], text]); };
    for (const { path, text, backing, missing } of backedVolumesOf(workload, facts)) {
      if (missing === 'persistentVolumeClaims' || missing === 'persistentVolumes' || missing === 'storageClasses') leave(missing, text);
      if (backing === null || backing.driver === null || !backing.isCsi) continue;
      const { driver } = backing;
      if (placement === null || facts.areNodesAssumed === true) {
        leave('nodes', `driver ${driver} of ${text}`);
        continue;
      }
      const nodes = placement.windowsCandidates.map(({ name }) => name);
      if (nodes.length === 0) continue;
      const { csiNodes } = facts;
      if (csiNodes === null) {
        leave('csiNodes', `driver ${driver} of ${text}`);
        continue;
      }
      const without = nodes.filter((node) => {
        const csiNode = csiNodes.get(node);
        return csiNode === undefined ? csiNodes.isComplete : !driversOf(csiNode).includes(driver);
      });
      const unknown = csiNodes.isComplete ? [] : nodes.filter((node) => csiNodes.get(node) === undefined);
      if (unknown.length > 0) leave('csiNodes', `driver ${driver} of ${text} on ${unknown.join(', ')}`);
      if (without.length === 0) continue;
      yield without.length === nodes.length
        ? { messageId: 'everywhere', data: { text, driver }, path, nodes: without, evidence: backing.evidence }
        : { messageId: 'somewhere', data: { text, driver, count: without.length, of: nodes.length }, path, nodes: without, evidence: backing.evidence, severity: 'warning', effect: 'may-fail' };
    }
    for (const [fact, texts] of open) yield { notEvaluated: fact, about: `whether the Windows nodes have the CSI driver: ${texts.join(', ')}` };
  },
});
