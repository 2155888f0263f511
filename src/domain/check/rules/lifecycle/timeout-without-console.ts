import { containerName } from '../../../workload/container-names.ts';
import { programName } from '../../../windows/command-line.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { isNanoServer } from '../resource/shared-image-bases.ts';
import { commandsOf, hookSleep, SLEEP_IN_HOOK, wordPath, type ContainerCommand } from './shared-commands.ts';

/** timeout.exe at the start of a line or of one of its commands, as cmd and powershell start it. */
const IN_LINE = /(?:^|[&|;({"]|\/[ck]\s|-c(?:ommand)?\s)\s*@?timeout(?:\.exe)?\s+(?:\/|-?\d)/i;
/** A line that does nothing but wait. */
const ALONE = /^"?timeout(?:\.exe)?\s+(?:\/nobreak\s+)?(?:\/t\s+)?(?<seconds>\d+)(?:\s+\/nobreak)?\s*(?:>\s*nul)?"?$/i;

/** timeout.exe where no console gives it input. */
export const timeoutWithoutConsole = defineWorkloadRule({
  id: 'timeout-without-console',
  facts: ['LIF-003'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'A container without a console waits with timeout.exe',
  rationale: 'timeout.exe reads keys from a console. Commands, probes and hooks of containers have none, so it waits for nothing and ends with "ERROR: Input redirection is not supported, exiting the process immediately".',
  remediation: 'Use powershell Start-Sleep, or cmd /c ping -n 11 127.0.0.1 for ten seconds where there is no PowerShell; in hooks lifecycle.preStop.sleep.',
  reference: 'https://learn.microsoft.com/en-us/windows-server/administration/windows-commands/timeout',
  asOf: '2026-11-30',
  messages: { ends: '{what} of container {container} waits with timeout.exe, which ends at once without a console: "Input redirection is not supported"' },
  samples: {
    bad: [
      { yaml: samplePod({ container: 'command: [cmd, /c, timeout /t 10 & C:\\shop.exe]' }), path: 'spec.containers[0].command[2]' },
      { yaml: samplePod({ container: 'lifecycle:\n  preStop:\n    exec:\n      command: [timeout.exe, /t, "10"]' }), path: 'spec.containers[0].lifecycle.preStop.exec.command[0]' },
    ],
    good: [
      { yaml: samplePod({ container: 'command: [cmd, /c, ping -n 11 127.0.0.1 & C:\\shop.exe]' }) },
      { yaml: samplePod({ container: 'command: [cmd, /c, curl --connect-timeout 5 http://localhost]\nlifecycle:\n  preStop:\n    sleep:\n      seconds: 10' }) },
      { yaml: samplePod({ container: 'tty: true\ncommand: [cmd, /c, timeout /t 10]' }) },
    ],
  },
  * check({ workload }, facts) {
    if (workload.osName === 'linux') return; // it contradicts itself; its commands are meant for Linux
    for (const container of workload.containers) {
      for (const command of commandsOf(container)) {
        if (command.what === 'command' && container.fields['tty'] === true) continue; // a terminal is a console
        const line = lineOf(command);
        if (line === null || !IN_LINE.test(line)) continue;
        const text = ALONE.exec(line)?.groups?.['seconds'];
        const seconds = text === undefined ? null : Number(text);
        const sleep = hookSleep(workload, container, command, seconds, facts.kubernetesVersion);
        const words = seconds === null ? null : isNanoServer(container.image) ? ['cmd', '/c', `ping -n ${seconds + 1} 127.0.0.1 >nul`] : ['powershell', '-Command', `Start-Sleep -Seconds ${seconds}`];
        const isOwn = command.words.length === command.own;
        yield {
          messageId: 'ends', data: { what: command.what, container: containerName(container) }, container: container.name, confidence: 'tag',
          path: wordPath(container, command, Math.max(0, command.words.findIndex((word) => /timeout/i.test(word)))),
          ...(sleep === null ? {} : { remediation: SLEEP_IN_HOOK }),
          ...(sleep !== null ? { fix: sleep } : words === null || !isOwn ? {} : { fix: { title: `use ${words.join(' ')}`, edits: [{ op: 'set', path: command.path, value: words }], isSafe: false } }),
        };
      }
    }
  },
});

/** What the first program is told to run, or the line of timeout itself; null for programs whose words are their own. */
function lineOf({ words }: ContainerCommand): string | null {
  const program = programName((words[0] ?? '').trim().replaceAll('"', ''));
  if (program === 'timeout') return ['timeout', ...words.slice(1)].join(' ');
  if (program === 'cmd') {
    const at = words.findIndex((word, index) => index > 0 && /^\/[ck]/i.test(word));
    return at === -1 ? null : [words[at]?.slice(2) ?? '', ...words.slice(at + 1)].join(' ').trim();
  }
  return program === 'powershell' || program === 'pwsh' ? words.slice(1).join(' ').replace(/^.*?-c(?:ommand)?\s+/i, '').trim() : null;
}
