import { containerName } from '../../../workload/container-names.ts';
import { arrayAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod } from '../../samples.ts';

/** Base images that bring no program of their own. */
const WITHOUT_PROGRAMS = /^mcr\.microsoft\.com\/(oss\/kubernetes\/windows-host-process-containers-base-image|windows\/(nanoserver|servercore|server))(:|@|$)/;
/** Programs that Windows Server does not have. */
const NOT_ON_WINDOWS_SERVER = /^(pwsh(\.exe)?|sh|bash|\/bin\/.*|\/usr\/.*)$/i;

/** The program of a HostProcess container is neither in its image nor on a node. */
export const hostProcessCommandNotOnHost = defineWorkloadRule({
  id: 'host-process-command-not-on-host',
  facts: ['C29'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'host-process',
  summary: 'Program of a HostProcess container that neither image nor node has',
  rationale: 'A HostProcess container finds programs in its image and on the node. The base images have none that runs on the host, and Windows Server comes with Windows PowerShell (powershell.exe), not with PowerShell 7 (pwsh.exe) or a Unix shell.',
  remediation: 'Call powershell.exe or cmd.exe of the node, or build an image that holds the program.',
  reference: 'https://github.com/microsoft/windows-host-process-containers-base-image',
  asOf: '2026-11-30',
  messages: { missing: 'container {container} starts {program}, which neither {image} nor Windows Server has' },
  samples: {
    bad: [{ yaml: sampleHostProcessPod({ command: "['pwsh', '-Command', 'Get-Service']" }), path: 'spec.containers[0].command[0]' }],
    good: [{ yaml: sampleHostProcessPod() }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      const [program] = arrayAt(container.fields, 'command');
      if (!container.isHostProcess || container.image === null || !WITHOUT_PROGRAMS.test(container.image) || typeof program !== 'string' || !NOT_ON_WINDOWS_SERVER.test(program)) continue;
      const path = [...container.path, 'command', 0];
      yield {
        messageId: 'missing',
        data: { container: containerName(container), program, image: container.image },
        path,
        container: container.name,
        confidence: 'tag',
        ...(/^pwsh/i.test(program) ? { fix: { title: 'start powershell.exe', edits: [{ op: 'set', path, value: 'powershell.exe' }], isSafe: false } as const } : {}),
      };
    }
  },
});
