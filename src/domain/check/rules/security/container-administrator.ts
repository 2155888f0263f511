import { containersText } from '../../../workload/container-names.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { windowsOptionsOf } from './shared-windows-options.ts';

/** A container that asks for the most powerful user. */
export const containerAdministrator = defineWorkloadRule({
  id: 'container-administrator',
  facts: ['SEC-025'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  isolation: 'process',
  summary: 'Container that runs as ContainerAdministrator',
  rationale: 'ContainerAdministrator has every right inside the container, and what breaks out of a process-isolated container starts from there. ContainerUser is enough for most programs; installers, services and ports of HTTP.sys may need the administrator.',
  remediation: 'Set windowsOptions.runAsUserName to ContainerUser where the program works with it.',
  reference: 'https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/container-security',
  asOf: '2026-11-30',
  messages: { administrator: '{containers} as ContainerAdministrator, which has every right inside the container' },
  samples: {
    bad: [{ yaml: samplePod({ podSecurity: ['windowsOptions:', '  runAsUserName: ContainerAdministrator'] }), path: 'spec.securityContext.windowsOptions.runAsUserName' }],
    good: [{ yaml: samplePod({ podSecurity: ['windowsOptions:', '  runAsUserName: ContainerUser'] }) }],
  },
  * check({ workload }) {
    const isAdministrator = (name: unknown): boolean => typeof name === 'string' && name.toLowerCase() === 'containeradministrator';
    // With runAsNonRoot it is not advice any more: the kubelet refuses it, and another rule says so.
    const concerned = workload.containers.filter(({ runAsUserName, runAsNonRoot }) => isAdministrator(runAsUserName) && runAsNonRoot !== true);
    if (concerned.length === 0) return;
    const places = windowsOptionsOf(workload).filter(({ fields, container }) => isAdministrator(fields['runAsUserName']) && (container === null || concerned.includes(container)));
    const [first] = places;
    if (first === undefined) return;
    yield {
      messageId: 'administrator',
      data: { containers: concerned.length === 1 ? `${containersText(concerned)} runs` : `${concerned.length} containers run` },
      path: [...first.path, 'runAsUserName'],
      ...(concerned.length === 1 && concerned[0] !== undefined ? { container: concerned[0].name } : {}),
      fix: { title: 'run as ContainerUser', edits: places.map(({ path }) => ({ op: 'set', path: [...path, 'runAsUserName'], value: 'ContainerUser' })), isSafe: false },
    };
  },
});
