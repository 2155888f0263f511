import { containerName } from '../../../workload/container-names.ts';
import { isRecord, numberAt, valueAt } from '../../../kubernetes/object.ts';
import { programName, startedPrograms } from '../../../windows/command-line.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { commandsOf } from './shared-commands.ts';

/** Seconds below which a start of PowerShell may not be over, and between two of them. */
const TIMEOUT_SECONDS = 5;
const PERIOD_SECONDS = 10;

/** A probe that starts PowerShell more often or faster than it can. */
export const slowExecProbe = defineWorkloadRule({
  id: 'slow-exec-probe',
  facts: ['LIF-005', 'C49'],
  severity: 'info',
  effect: 'may-fail',
  os: 'windows',
  summary: 'The probe starts PowerShell with too little time for it',
  rationale: 'An exec probe starts a new process each time, and PowerShell takes seconds and a good deal of CPU to start, more under a CPU limit. With the default timeout of one second the probe fails on a busy node although the application is well.',
  remediation: 'Use an httpGet or tcpSocket probe, or set timeoutSeconds to 5 and periodSeconds to 10 or more.',
  reference: 'https://kubernetes.io/docs/concepts/workloads/pods/probes/#configure-probes',
  asOf: '2026-11-30',
  messages: { slow: '{probe} of container {container} starts {program} with timeoutSeconds {timeout} and periodSeconds {period}' },
  samples: {
    bad: [{
      path: 'spec.containers[0].livenessProbe.timeoutSeconds',
      yaml: samplePod({
        container: `
          livenessProbe:
            exec:
              command: [powershell, -File, C:\\alive.ps1]`,
      }),
    }],
    good: [{
      yaml: samplePod({
        container: `
          readinessProbe:
            exec:
              command: [powershell, -File, C:\\alive.ps1]
            timeoutSeconds: 10
            periodSeconds: 30`,
      }),
    }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      for (const command of commandsOf(container)) {
        if (!command.what.endsWith('Probe')) continue;
        const program = startedPrograms(command.words).find(({ name }) => ['powershell', 'pwsh'].includes(programName(name)));
        const probe = valueAt(container.fields, command.what);
        if (program === undefined || !isRecord(probe)) continue;
        const timeout = numberAt(probe, 'timeoutSeconds') ?? 1;
        const period = numberAt(probe, 'periodSeconds') ?? 10;
        if (timeout >= TIMEOUT_SECONDS && period >= PERIOD_SECONDS) continue;
        const at = (field: string): readonly (string | number)[] => [...container.path, command.what, field];
        yield {
          messageId: 'slow', data: { probe: command.what, container: containerName(container), program: program.name, timeout, period }, container: container.name,
          path: at(timeout < TIMEOUT_SECONDS ? 'timeoutSeconds' : 'periodSeconds'),
          fix: {
            title: `give ${command.what} of container ${containerName(container)} more time`, isSafe: false,
            edits: [...(timeout < TIMEOUT_SECONDS ? [{ op: 'set', path: at('timeoutSeconds'), value: TIMEOUT_SECONDS } as const] : []), ...(period < PERIOD_SECONDS ? [{ op: 'set', path: at('periodSeconds'), value: PERIOD_SECONDS } as const] : [])],
          },
        };
      }
    }
  },
});
