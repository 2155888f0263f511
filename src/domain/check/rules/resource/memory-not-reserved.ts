import { containerName, containersText } from '../../../workload/container-names.ts';
import { ownValue } from '../../../kubernetes/object.ts';
import { parseQuantity } from '../../../kubernetes/quantity.ts';
import type { WindowsNode } from '../../../node/windows-node.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { amountOf, isFractionOfByte, lastingContainers } from './shared-container-resources.ts';

/** Containers without a memory limit, or that reserve less than they may use. */
export const memoryNotReserved = defineWorkloadRule({
  id: 'memory-not-reserved',
  facts: ['RES-003', 'C34', 'C35'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'No memory limit, or a memory request below it',
  rationale: 'Windows has no out-of-memory killer: processes that use more than there is are paged to disk, and the whole node becomes slow instead of one container being ended. So what a container may use has to be reserved for it: a limit on every container, and a request equal to it. A request below the limit is a bargain that can be meant, and is told as advice.',
  remediation: 'Set resources.limits.memory, and requests.memory to the same value.',
  reference: 'https://kubernetes.io/docs/concepts/configuration/windows-resource-management/',
  asOf: '2026-11-30',
  messages: {
    noLimit: '{containers} may use all memory of the node: resources.limits.memory is not set',
    below: '{containers} may use more memory than is reserved for it: request {request}, limit {limit}',
    belowSeveral: '{containers} may use more memory than is reserved for them',
  },
  samples: {
    bad: [{
      path: 'spec.containers[0].resources.limits.memory',
      yaml: samplePod({
        resources: `
          requests:
            memory: 1Gi`,
      }),
    }, {
      path: 'spec.containers[0].resources.requests.memory',
      severity: 'info',
      yaml: samplePod({
        resources: `
          requests:
            memory: 1Gi
          limits:
            memory: 2Gi`,
      }),
    }],
    good: [{
      yaml: samplePod({
        resources: `
          limits:
            memory: 1Gi`,
      }),
    }],
  },
  * check({ workload, os, placement }) {
    if (os.os === 'contradictory') return; // which OS it is for has to be settled first
    const containers = lastingContainers(workload);
    const unlimited = containers.filter((container) => amountOf(container, 'limits', 'memory') === null);
    const [first] = unlimited;
    if (first !== undefined) {
      const edits = unlimited.flatMap((container) => {
        const request = amountOf(container, 'requests', 'memory');
        return request === null || isFractionOfByte(request) ? [] : [{ op: 'set', path: [...container.path, 'resources', 'limits', 'memory'], value: request.text } as const];
      });
      yield {
        messageId: 'noLimit', data: { containers: containersText(unlimited) }, path: [...first.path, 'resources', 'limits', 'memory'], ...(unlimited.length === 1 ? { container: first.name } : {}),
        // a limit can be taken from the request; where neither is set only the owner knows
        ...(edits.length === 0 ? {} : { fix: { title: 'set the memory limit to the request', edits, isSafe: false } }),
      };
    }
    const below = containers.flatMap((container) => {
      const request = amountOf(container, 'requests', 'memory');
      const limit = amountOf(container, 'limits', 'memory');
      // a request that is not set is the limit
      return request === null || limit === null || request.value === null || limit.value === null || request.value >= limit.value ? [] : [{ container, request: request.text, limit: limit.text, isFraction: isFractionOfByte(request) || isFractionOfByte(limit) }];
    });
    const [one] = below;
    if (one === undefined) return;
    const edits = below.filter(({ isFraction }) => !isFraction).map(({ container, limit }) => ({ op: 'set', path: [...container.path, 'resources', 'requests', 'memory'], value: limit } as const));
    // A request of as much as no node has keeps the pod from every node.
    const wanted = containers.reduce((sum, container) => sum + ((amountOf(container, 'limits', 'memory') ?? amountOf(container, 'requests', 'memory'))?.value ?? 0), 0);
    const largest = largestMemory(placement?.windowsCandidates ?? []);
    const isTooMuch = largest !== null && wanted > largest.value;
    yield {
      messageId: below.length === 1 ? 'below' : 'belowSeveral', severity: 'info', effect: 'advice', // the limit bounds what the node can lose
      data: { containers: containersText(below.map(({ container }) => container)), request: one.request, limit: one.limit },
      path: [...one.container.path, 'resources', 'requests', 'memory'], ...(below.length === 1 ? { container: one.container.name } : {}),
      evidence: below.map(({ container, request, limit }) => `container ${containerName(container)} requests ${request} of ${limit}`),
      ...(isTooMuch ? { remediation: `Lower resources.limits.memory first: no Windows node that the pod can land on has more than ${largest.text}; then set requests.memory to the same value.` } : {}),
      // what m was meant to be is another rule's matter
      ...(edits.length === 0 || isTooMuch ? {} : { fix: { title: 'set the memory request to the limit', edits, isSafe: false } }),
    };
  },
});

interface Memory {
  readonly value: number;
  readonly text: string;
}

/** By the list of nodes, which placements share. */
const known = new WeakMap<readonly WindowsNode[], Memory | null>();

/** The most memory that a pod can get on one of the nodes; null where one of them does not tell. */
function largestMemory(nodes: readonly WindowsNode[]): Memory | null {
  let largest = known.get(nodes);
  if (largest === undefined) known.set(nodes, largest = readLargest(nodes));
  return largest;
}

function readLargest(nodes: readonly WindowsNode[]): Memory | null {
  let largest: Memory | null = null;
  for (const { allocatable } of nodes) {
    const text = ownValue(allocatable, 'memory');
    const value = text === undefined ? null : parseQuantity(text);
    if (text === undefined || value === null) return null;
    if (largest === null || value > largest.value) largest = { value, text };
  }
  return largest;
}
