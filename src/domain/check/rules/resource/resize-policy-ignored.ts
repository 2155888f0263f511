import { containersText } from '../../../workload/container-names.ts';
import { arrayAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';

/** A resize policy, for resizes that Windows does not do. */
export const resizePolicyIgnored = defineWorkloadRule({
  id: 'resize-policy-ignored',
  facts: ['RES-005'],
  severity: 'warning',
  effect: 'ignored',
  os: 'windows',
  summary: 'Policy for resizing containers in place, which Windows cannot do',
  rationale: 'The kubelet of a Windows node answers every resize of a running pod with "In-place pod resize is not supported on Windows"; the pod keeps its resources until it is made anew.',
  remediation: 'Remove resizePolicy, and change resources in the workload so that its pods are replaced.',
  reference: 'https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/allocation/features_windows.go',
  asOf: '2026-11-30',
  since: '1.27',
  messages: { ignored: '{containers} will not be resized while running: "In-place pod resize is not supported on Windows"' },
  samples: {
    bad: [{
      path: 'spec.containers[0].resizePolicy',
      yaml: samplePod({
        container: `
          resizePolicy:
          - resourceName: cpu
            restartPolicy: NotRequired`,
      }),
    }],
    good: [{ yaml: samplePod() }],
  },
  * check({ workload }) {
    const resizable = workload.containers.filter((container) => arrayAt(container.fields, 'resizePolicy').length > 0);
    const [first] = resizable;
    if (first === undefined) return;
    yield {
      messageId: 'ignored', data: { containers: containersText(resizable) }, path: [...first.path, 'resizePolicy'], ...(resizable.length === 1 ? { container: first.name } : {}),
      fix: { title: 'remove resizePolicy', edits: resizable.map(({ path }) => ({ op: 'remove', path: [...path, 'resizePolicy'] })), isSafe: true },
    };
  },
});
