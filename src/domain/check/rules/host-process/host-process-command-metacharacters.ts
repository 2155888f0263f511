import { containerName } from '../../../workload/container-names.ts';
import { arrayAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { sampleHostProcessPod } from '../../samples.ts';
import { bindsHostPaths } from '../../../node/host-process-runtime.ts';
import { windowsNodesOf } from './shared-host-process-nodes.ts';

/** cmd.exe stands between the runtime and the command of a HostProcess container. */
export const hostProcessCommandMetacharacters = defineWorkloadRule({
  id: 'host-process-command-metacharacters',
  facts: ['HPC-010'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'host-process',
  summary: 'Command of a HostProcess container that cmd.exe takes apart',
  rationale: 'On Windows Server 2022 and later, containerd 1.7 and later runs a HostProcess container\'s command as `cmd /c COMMAND`. An argument with a space is put in double quotes and safe; one without, or with a double quote in it, lets cmd.exe read & | < > and ^ as its own: "a&b" becomes two commands.',
  remediation: 'Put the script into a file, or pass it as powershell.exe -EncodedCommand with the script in base64 (UTF-16LE).',
  reference: 'https://github.com/microsoft/hcsshim/blob/v0.11.7/internal/jobcontainers/jobcontainer.go',
  asOf: '2026-11-30',
  messages: { split: 'cmd.exe reads {characters} in {argument} of container {container} as its own, because the command runs through cmd /c' },
  samples: {
    bad: [{ yaml: sampleHostProcessPod({ command: "['powershell.exe', '-Command', 'Get-Date|Out-Host']" }), path: 'spec.containers[0].command[2]' }],
    good: [
      { yaml: sampleHostProcessPod({ command: "['powershell.exe', '-Command', 'Get-Date | Out-Host']" }) },
      { yaml: sampleHostProcessPod({ command: "['cmd.exe', '/c', 'dir&ver']" }) },
    ],
  },
  * check(subject) {
    const nodes = windowsNodesOf(subject);
    if (nodes !== null && nodes.length > 0 && nodes.every((node) => bindsHostPaths(node) === false)) return;
    for (const container of subject.workload.containers) {
      if (!container.isHostProcess) continue;
      const texts = (['command', 'args'] as const).flatMap((list) => arrayAt(container.fields, list).map((text, index) => ({ text, path: [...container.path, list, index] })));
      const [program] = texts;
      // cmd.exe would have read them as its own in any case.
      if (typeof program?.text === 'string' && /(^|[\\/])cmd(\.exe)?$/i.test(program.text)) continue;
      const split = texts.find(({ text }) => typeof text === 'string' && charactersThatCmdReads(text) !== '');
      if (split === undefined) continue;
      const text = String(split.text);
      yield {
        messageId: 'split',
        data: { characters: charactersThatCmdReads(text), argument: JSON.stringify(text.length > 40 ? `${text.slice(0, 37)}...` : text), container: containerName(container) },
        path: split.path,
        container: container.name,
        confidence: nodes === null ? 'unknown' : 'proven',
      };
    }
  },
});

/** Go's windows.EscapeArg quotes an argument with a space or tab and writes its quotes as \", which cmd.exe counts as quotes. */
function charactersThatCmdReads(argument: string): string {
  const escaped = /[ \t]/.test(argument) ? `"${argument.replaceAll('"', '\\"')}"` : argument.replaceAll('"', '\\"');
  let isQuoted = false;
  const found = new Set<string>();
  for (const character of escaped) {
    if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && '&|<>^'.includes(character)) found.add(character);
  }
  return [...found].join(' ');
}

