import { containerName } from '../../../workload/container-names.ts';
import { programName, startedPrograms, type StartedProgram } from '../../../windows/command-line.ts';
import type { Container } from '../../../workload/workload.ts';
import type { Fix } from '../../finding.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { isNanoServer } from '../resource/shared-image-bases.ts';
import { commandsOf, hookSleep, SLEEP_IN_HOOK, wordPath, type ContainerCommand } from './shared-commands.ts';

/**
 * Programs of Linux that no Windows base image has, with what does the same. curl.exe and tar.exe are in Server Core and
 * Nano Server since 1803, so they are not here.
 * https://techcommunity.microsoft.com/t5/containers/tar-and-curl-come-to-windows/ba-p/382409, read 2026-11-30
 */
const LINUX_PROGRAMS: Readonly<Record<string, string>> = {
  sh: 'cmd or powershell', bash: 'cmd or powershell', ash: 'cmd or powershell', dash: 'cmd or powershell', zsh: 'cmd or powershell', ksh: 'cmd or powershell',
  sleep: 'powershell Start-Sleep', cat: 'cmd /c type', ls: 'cmd /c dir', cp: 'cmd /c copy', mv: 'cmd /c move', rm: 'cmd /c del', touch: 'cmd /c type nul', ln: 'cmd /c mklink',
  chmod: 'icacls', chown: 'icacls', grep: 'findstr', sed: 'powershell', awk: 'powershell', tail: 'powershell Get-Content', head: 'powershell Get-Content',
  wget: 'curl.exe', nc: 'powershell Test-NetConnection', netcat: 'powershell Test-NetConnection', ps: 'tasklist', kill: 'taskkill', pkill: 'taskkill', pgrep: 'tasklist', pidof: 'tasklist',
  ifconfig: 'ipconfig', ip: 'ipconfig', iptables: 'netsh', sysctl: 'powershell', mount: 'powershell', apt: 'powershell', 'apt-get': 'powershell', apk: 'powershell', yum: 'powershell',
};

/** Images that bring such programs to Windows. busybox and agnhost of the Kubernetes tests have sh.exe, sleep.exe and the rest. */
const HAS_LINUX_PROGRAMS = /busybox|agnhost|e2e-test-images|msys|cygwin|git-?bash|git-for-windows/i;

/** A command whose program exists on Linux only. */
export const linuxCommand = defineWorkloadRule({
  id: 'linux-command',
  facts: ['LIF-003', 'C46', 'C41'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'The command starts a program of Linux',
  rationale: 'Windows images have no shell or tools of Linux. The container does not start, or the probe and hook fail each time: "The system cannot find the file specified". Inside powershell words such as sleep and cat are aliases and work; as programs they do not exist.',
  remediation: 'Use cmd or powershell and what Windows has: Start-Sleep (timeout.exe fails in containers, which have no console), type, copy, curl.exe, tar.exe; in hooks that wait lifecycle.preStop.sleep.',
  reference: 'https://learn.microsoft.com/en-us/windows-server/administration/windows-commands/windows-commands',
  asOf: '2026-11-30',
  messages: {
    program: '{what} of container {container} starts {program}, which Windows images do not have: "The system cannot find the file specified"; {instead} does the same',
    alone: '{what} of container {container} starts {program}, which Windows images do not have: "The system cannot find the file specified"',
    path: '{what} of container {container} starts {program}, a path of Linux: "The system cannot find the file specified"',
  },
  samples: {
    bad: [{ path: 'spec.containers[0].command[0]', yaml: samplePod({ container: 'command: [/bin/sh, -c, echo hello]' }) }, {
      path: 'spec.containers[0].readinessProbe.exec.command[0]',
      yaml: samplePod({
        container: `
          readinessProbe:
            exec:
              command: [cat, C:\\ready]`,
      }),
    }, { path: 'spec.containers[0].command[2]', yaml: samplePod({ container: 'command: [cmd, /c, sleep 10]' }) }],
    good: [{
      yaml: samplePod({
        container: `
          command: [powershell, -Command]
          args: [sleep 5000; cat C:\\ready]
          lifecycle:
            preStop:
              exec:
                command: [/shop.exe, --drain]`,
      }),
    }, { yaml: samplePod({ container: 'command: [cmd, /c, type C:\\ready & curl http://localhost]' }) }],
  },
  * check({ workload }, facts) {
    if (workload.osName === 'linux') return; // it contradicts itself; its commands are meant for Linux
    for (const container of workload.containers) {
      if (container.image !== null && HAS_LINUX_PROGRAMS.test(container.image)) continue;
      for (const command of commandsOf(container)) {
        for (const program of startedPrograms(command.words)) {
          const instead = Object.hasOwn(LINUX_PROGRAMS, program.name.toLowerCase()) ? LINUX_PROGRAMS[program.name.toLowerCase()] : undefined;
          const isPath = /^\/(?:bin|sbin|usr|opt\/bin)\//.test(program.name) && !/\.(?:exe|cmd|bat|com|ps1)$/i.test(program.name);
          if (instead === undefined && !isPath) continue;
          const data = { what: command.what, container: containerName(container), program: program.name };
          const found = { container: container.name, path: wordPath(container, command, program.word), confidence: 'tag' } as const; // an image may bring anything
          const byName = instead ?? (Object.hasOwn(LINUX_PROGRAMS, programName(program.name)) ? LINUX_PROGRAMS[programName(program.name)] : undefined);
          const sleep = hookSleep(workload, container, command, secondsOf(command), facts.kubernetesVersion);
          const offer = sleep !== null ? 'the hook\'s own sleep' : byName === undefined ? null : insteadIn(container.image, byName);
          const fix = sleep ?? fixOf(container, command, program);
          yield {
            ...found, ...(byName === undefined ? { messageId: 'path', data } : offer === null ? { messageId: 'alone', data } : { messageId: 'program', data: { ...data, instead: offer } }),
            ...(sleep === null ? {} : { remediation: SLEEP_IN_HOOK }), ...(fix === null ? {} : { fix }),
          };
        }
      }
    }
  },
});

/** Nano Server has no PowerShell; of an image that is not known to be one, Server Core is supposed. */
function insteadIn(image: string | null, instead: string): string | null {
  if (!isNanoServer(image) || !instead.includes('powershell')) return instead;
  return instead.startsWith('cmd or ') ? 'cmd' : null;
}

/** A command that does the same, for those that can be said in one line without guessing. */
function fixOf(container: Container, command: ContainerCommand, program: StartedProgram): Fix | null {
  if (program.isInCmd) return null;
  const words = wordsInstead(programName(program.name), program.rest, isNanoServer(container.image));
  if (words === null) return null;
  return {
    title: `use ${words.join(' ')}`, isSafe: false,
    edits: [{ op: 'set', path: command.path, value: words }, ...(command.words.length > command.own ? [{ op: 'remove', path: [...container.path, 'args'] } as const] : [])],
  };
}

/** How long a command waits that does nothing else: `sleep 10`, `/bin/sh -c "sleep 10"`; otherwise null. */
function secondsOf({ words }: ContainerCommand): number | null {
  const seconds = /^(?:(?:\/(?:usr\/)?bin\/)?(?:sh|bash|ash) -c |cmd(?:\.exe)? \/c )?(?:\/(?:usr\/)?bin\/)?sleep (?<seconds>\d+)s?$/i.exec(words.join(' ').trim())?.groups?.['seconds'];
  return seconds === undefined ? null : Number(seconds);
}

function wordsInstead(name: string, rest: readonly string[], isNano: boolean): readonly string[] | null {
  const [only, ...others] = rest;
  if (only === undefined || others.length > 0) return null;
  if (name === 'cat' && /^[^\s"&|<>^%]+$/.test(only)) return ['cmd', '/c', 'type', only.replaceAll('/', '\\')];
  if (name !== 'sleep' || isNano) return null;
  const seconds = only === 'infinity' ? '2147483' : /^\d+$/.test(only) ? only : null;
  return seconds === null ? null : ['powershell', '-Command', `Start-Sleep -Seconds ${seconds}`];
}
