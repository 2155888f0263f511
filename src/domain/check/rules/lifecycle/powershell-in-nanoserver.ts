import { containerName } from '../../../workload/container-names.ts';
import { programName, startedPrograms } from '../../../windows/command-line.ts';
import type { Fix } from '../../finding.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { isNanoServer } from '../resource/shared-image-bases.ts';
import { commandsOf, wordPath } from './shared-commands.ts';

/** powershell.exe in an image of Nano Server. */
export const powershellInNanoserver = defineWorkloadRule({
  id: 'powershell-in-nanoserver',
  facts: ['LIF-004', 'C47'],
  severity: 'warning',
  effect: 'cannot-run',
  os: 'windows',
  isolation: 'process',
  summary: 'Nano Server has no powershell.exe',
  rationale: 'Images of Nano Server have no Windows PowerShell. Some, such as mcr.microsoft.com/powershell and the .NET SDK, have PowerShell 7, whose program is pwsh. Everything else fails with "The system cannot find the file specified".',
  remediation: 'Use pwsh where the image has it, cmd, or an image of Server Core.',
  reference: 'https://learn.microsoft.com/en-us/virtualization/windowscontainers/manage-containers/container-base-images',
  asOf: '2026-11-30',
  messages: { missing: '{what} of container {container} starts {program}, which the Nano Server image {image} does not have' },
  samples: {
    bad: [{
      path: 'spec.containers[0].command[0]',
      yaml: samplePod({ image: 'mcr.microsoft.com/windows/nanoserver:ltsc2022', container: 'command: [powershell.exe, -Command, Start-Sleep 60]' }),
    }],
    good: [{ yaml: samplePod({ image: 'mcr.microsoft.com/powershell:7.5-nanoserver-ltsc2022', container: 'command: [pwsh, -Command, Start-Sleep 60]' }) }],
  },
  * check({ workload }) {
    for (const container of workload.containers) {
      const { image } = container;
      if (image === null || !isNanoServer(image)) continue;
      // of the plain base image there is the same in the larger size
      const serverCore = /^mcr\.microsoft\.com\/windows\/nanoserver:ltsc20\d\d$/.test(image) ? image.replace('nanoserver', 'servercore') : null;
      // these two have pwsh, so the name is all that has to change
      const hasPwsh = /(?:^|\/)powershell:|\/dotnet\/sdk:/i.test(image);
      for (const command of commandsOf(container)) {
        for (const program of startedPrograms(command.words)) {
          if (programName(program.name) !== 'powershell') continue;
          const path = wordPath(container, command, program.word);
          const fixOf = (): { readonly fix?: Fix } => {
            if (hasPwsh && !program.isInCmd) return { fix: { title: 'start pwsh', edits: [{ op: 'set', path, value: 'pwsh' }], isSafe: false } };
            return serverCore === null ? {} : { fix: { title: `use ${serverCore}`, edits: [{ op: 'set', path: [...container.path, 'image'], value: serverCore }], isSafe: false } };
          };
          yield {
            messageId: 'missing', data: { what: command.what, container: containerName(container), program: program.name, image }, container: container.name, path, confidence: 'tag',
            ...fixOf(),
          };
        }
      }
    }
  },
});
