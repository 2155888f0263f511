import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { arrayAt, valueAt } from '../../../kubernetes/object.ts';
import type { Container } from '../../../workload/workload.ts';

/** Command lines of a container. */
const COMMANDS = [['command'], ['args'], ['livenessProbe', 'exec', 'command'], ['readinessProbe', 'exec', 'command'], ['startupProbe', 'exec', 'command'], ['lifecycle', 'postStart', 'exec', 'command'], ['lifecycle', 'preStop', 'exec', 'command']] as const;

/** A check by ping of a machine outside of the cluster. */
export const pingToOutside = defineWorkloadRule({
  id: 'ping-to-outside',
  facts: ['NET-011'],
  severity: 'info',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'Windows pod that pings a machine outside of the cluster',
  rationale: 'The virtual switch of Windows passes TCP and UDP of pods to the outside, but no ICMP: ping fails although the destination is well and reachable.',
  remediation: 'Test with TCP, such as curl or Test-NetConnection -Port.',
  reference: 'https://kubernetes.io/docs/concepts/services-networking/windows-networking/#limitations',
  asOf: '2026-11-30',
  messages: { ping: 'ping to {target} does not work from a Windows pod: ICMP does not leave the cluster' },
  samples: {
    bad: [{ path: 'spec.containers[0].livenessProbe.exec.command', yaml: samplePod({ container: 'livenessProbe:\n  timeoutSeconds: 10\n  periodSeconds: 30\n  exec:\n    command: [ping, -n, "1", www.example.com]' }) }],
    good: [{ yaml: samplePod({ container: 'livenessProbe:\n  timeoutSeconds: 10\n  periodSeconds: 30\n  exec:\n    command: [ping, -n, "1", localhost]' }) }],
  },
  * check({ workload, os }) {
    if (os.os !== 'windows') return;
    for (const container of workload.containers) {
      const found = outsidePing(container);
      if (found !== null) yield { messageId: 'ping', data: { target: found.target }, path: found.path, container: container.name };
    }
  },
});

function outsidePing({ fields, path }: Container): { readonly target: string; readonly path: FieldPath } | null {
  for (const place of COMMANDS) {
    if (!Array.isArray(valueAt(fields, ...place))) continue;
    const words = arrayAt(fields, ...place).filter((word) => typeof word === 'string').flatMap((word) => word.split(/[\s;&|"']+/)).filter((word) => word !== '');
    for (const [index, word] of words.entries()) {
      if (!/^(.*[\\/])?ping(\.exe)?$/i.test(word)) continue;
      const target = pingTarget(words.slice(index + 1));
      if (target !== null && isOutside(target)) return { target, path: [...path, ...place] };
    }
  }
  return null;
}

/** The first word that is neither an option nor the number that belongs to one. */
function pingTarget(words: readonly string[]): string | null {
  return words.find((word) => !/^[-/]/.test(word) && !/^\d+$/.test(word)) ?? null;
}

/** A public address, or a name with a dot that is none of the cluster's; names with variables in them tell nothing. */
function isOutside(target: string): boolean {
  const address = /^(\d{1,3})\.(\d{1,3})\.\d{1,3}\.\d{1,3}$/.exec(target);
  if (address !== null) {
    const [first, second] = [Number(address[1]), Number(address[2])];
    return !(first === 127 || first === 10 || first === 0 || (first === 172 && second >= 16 && second < 32) || (first === 192 && second === 168) || (first === 169 && second === 254) || (first === 100 && second >= 64 && second < 128));
  }
  return /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/i.test(target) && !/\.(svc|local|localdomain|internal|cluster|exe|cmd|ps1|log|txt)$/i.test(target);
}
