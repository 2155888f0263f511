import { isRecord, valueAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { memoryOf, sampleNode, samplePod } from '../../samples.ts';

/** More resources than any Windows node has that could otherwise take the pod. */
export const resourcesBeyondNodes = defineWorkloadRule({
  id: 'resources-beyond-nodes',
  facts: ['RES-009', 'C7'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'windows',
  summary: 'The pod asks for more than any of its Windows nodes has',
  rationale: 'The scheduler takes a node only if what its containers request fits into what the node can allocate. Where that holds for none of the Windows nodes that could take the pod, it stays Pending with "Insufficient memory" or "Insufficient cpu", even on an empty node.',
  remediation: 'Lower the requests, or add a pool of larger nodes.',
  reference: 'https://kubernetes.io/docs/concepts/configuration/manage-resources-containers/#my-pods-are-pending-with-event-message-failedscheduling',
  asOf: '2026-11-30',
  messages: { beyond: 'no Windows node that could take the pod has what it asks for: {why}' },
  samples: {
    bad: [{
      yaml: samplePod({ resources: memoryOf('64Gi') }),
      cluster: sampleNode(),
    }],
    good: [{
      yaml: samplePod(),
      cluster: sampleNode(),
    }],
  },
  * check({ workload, placement }, facts) {
    if (placement === null || facts.areNodesAssumed === true) {
      const asksForSomething = workload.containers.some((container) => (['requests', 'limits'] as const).some((part) => isRecord(valueAt(container.fields, 'resources', part))));
      if (asksForSomething) yield { notEvaluated: 'nodes', about: 'whether a Windows node is large enough for the pod' };
      return;
    }
    if (placement.windowsCandidates.length > 0) return;
    // nodes that nothing but their size rules out
    const small = placement.nodes.filter(({ node, obstacles }) => node.os === 'windows' && obstacles.length > 0 && obstacles.every(({ kind }) => kind === 'resources'));
    const [first] = small;
    if (first === undefined) return;
    if (facts.nodes?.isComplete === false) {
      yield { notEvaluated: 'nodes', about: 'whether another Windows node is large enough' };
      return;
    }
    yield {
      messageId: 'beyond', data: { why: first.obstacles.map(({ text }) => text).join('; ') },
      path: first.obstacles.find(({ path }) => path !== null)?.path ?? [...workload.specPath, 'containers'],
      nodes: small.map(({ node }) => node.name), evidence: small.slice(0, 5).map(({ node, obstacles }) => `${node.name}: ${obstacles.map(({ text }) => text).join('; ')}`),
    };
  },
});
