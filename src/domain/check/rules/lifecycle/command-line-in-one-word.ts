import { containerName } from '../../../workload/container-names.ts';
import { splitCommandLine } from '../../../windows/command-line.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { commandsOf } from './shared-commands.ts';

/** A program and its arguments in a single word. */
export const commandLineInOneWord = defineWorkloadRule({
  id: 'command-line-in-one-word',
  facts: ['LIF-003'],
  severity: 'warning',
  effect: 'cannot-run',
  os: 'windows',
  // of HostProcess containers the host runs the line through cmd /c, which takes the quotes off again
  isolation: 'process',
  summary: 'The first word of the command is a whole command line',
  rationale: 'The words of a command are put in quotes where they have blanks, so the whole first word is the name of the program to start: "powershell.exe -Command Get-Date" is looked for as a file of that name. The container does not start, or the probe and hook fail each time: "The system cannot find the file specified".',
  remediation: 'Write the program and each of its arguments as a word of its own.',
  reference: 'https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/',
  asOf: '2026-11-30',
  messages: { line: '{what} of container {container} has the command line {line} in one word, which is looked for as a file of that name: "The system cannot find the file specified"' },
  samples: {
    bad: [
      { yaml: samplePod({ container: 'command: ["powershell.exe -Command Get-Date"]' }), path: 'spec.containers[0].command[0]' },
      { yaml: samplePod({ container: 'lifecycle:\n  preStop:\n    exec:\n      command: ["C:\\\\Program Files\\\\shop\\\\shop.exe --drain"]' }), path: 'spec.containers[0].lifecycle.preStop.exec.command[0]' },
    ],
    good: [
      { yaml: samplePod({ container: 'command: ["C:\\\\Program Files\\\\shop\\\\shop.exe"]' }) },
      { yaml: samplePod({ container: 'command: [powershell.exe, -Command, Get-Date; Get-Service]' }) },
      { yaml: samplePod({ container: 'command: [cmd, /c, type C:\\ready]' }) },
    ],
  },
  * check({ workload }) {
    if (workload.osName === 'linux') return; // it contradicts itself; its commands are meant for Linux
    for (const container of workload.containers) {
      for (const command of commandsOf(container)) {
        const [line = '', ...others] = command.words.slice(0, command.own);
        const split = splitCommandLine(line);
        if (split === null) continue;
        yield {
          messageId: 'line', data: { what: command.what, container: containerName(container), line: line.trim() }, container: container.name, path: [...command.path, 0],
          ...(split.words === null ? {} : { fix: { title: `write ${split.program} and its arguments as words of their own`, edits: [{ op: 'set', path: command.path, value: [...split.words, ...others] }], isSafe: false } }),
        };
      }
    }
  },
});
