import { containerName } from '../../../workload/container-names.ts';
import { isRecord, numberAt, valueAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { isDotnetOrIis } from '../resource/shared-image-bases.ts';

/** Seconds that the first start of IIS or .NET on a node can take. */
const FIRST_START_SECONDS = 60;

/** A liveness probe that ends IIS or .NET before it is up. */
export const probeBeforeFirstStart = defineWorkloadRule({
  id: 'probe-before-first-start',
  facts: ['C50'],
  severity: 'info',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'The liveness probe may end IIS or .NET before its first start is over',
  rationale: 'The first start of IIS or .NET in a Windows container compiles and warms up for many seconds. A liveness probe that gives up within a minute and has no startup probe before it restarts the container again and again.',
  remediation: 'Add a startupProbe, or raise initialDelaySeconds or failureThreshold.',
  reference: 'https://kubernetes.io/docs/concepts/workloads/pods/probes/#startup-probe',
  asOf: '2026-11-30',
  messages: { early: 'livenessProbe of container {container} restarts it {seconds} seconds after its start, and there is no startupProbe' },
  samples: {
    bad: [{
      path: 'spec.containers[0].livenessProbe',
      yaml: samplePod({
        container: `
          livenessProbe:
            httpGet:
              path: /
              port: 80`,
      }),
    }],
    good: [{
      yaml: samplePod({
        container: `
          livenessProbe:
            httpGet:
              path: /
              port: 80
          startupProbe:
            httpGet:
              path: /
              port: 80
            failureThreshold: 30`,
      }),
    }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      const probe = valueAt(container.fields, 'livenessProbe');
      if (!isRecord(probe) || isRecord(valueAt(container.fields, 'startupProbe')) || !isDotnetOrIis(container.image)) continue;
      const initial = numberAt(probe, 'initialDelaySeconds') ?? 0;
      const seconds = initial + (numberAt(probe, 'periodSeconds') ?? 10) * (numberAt(probe, 'failureThreshold') ?? 3);
      if (seconds >= FIRST_START_SECONDS) continue;
      const path = [...container.path, 'livenessProbe'];
      yield {
        messageId: 'early', data: { container: containerName(container), seconds }, container: container.name, path, confidence: 'tag',
        fix: { title: 'raise initialDelaySeconds', edits: [{ op: 'set', path: [...path, 'initialDelaySeconds'], value: initial + FIRST_START_SECONDS - seconds }], isSafe: false },
      };
    }
  },
});
