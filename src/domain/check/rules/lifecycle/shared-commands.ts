/** Everything in a container that is a command: its own, its probes' and its hooks'. */
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { arrayAt, numberAt } from '../../../kubernetes/object.ts';
import { compareKubernetesVersions, type KubernetesVersion } from '../../../kubernetes/version.ts';
import type { Container, Workload } from '../../../workload/workload.ts';
import type { Fix } from '../../finding.ts';

export interface ContainerCommand {
  /** `command`, `livenessProbe`, `preStop hook` … for messages. */
  readonly what: string;
  /** Of the list of words. */
  readonly path: FieldPath;
  /** The words of the list, and for the container's own command its args after them. */
  readonly words: readonly string[];
  /** Number of words that stand at `path`. */
  readonly own: number;
}

const PLACES: readonly { readonly what: string; readonly at: readonly string[] }[] = [
  { what: 'livenessProbe', at: ['livenessProbe', 'exec', 'command'] },
  { what: 'readinessProbe', at: ['readinessProbe', 'exec', 'command'] },
  { what: 'startupProbe', at: ['startupProbe', 'exec', 'command'] },
  { what: 'postStart hook', at: ['lifecycle', 'postStart', 'exec', 'command'] },
  { what: 'preStop hook', at: ['lifecycle', 'preStop', 'exec', 'command'] },
];

/** Without a command the image's entry point runs, of which nothing is known: args alone are no command. */
export function commandsOf(container: Container): readonly ContainerCommand[] {
  const own = wordsAt(container, ['command']);
  const found: ContainerCommand[] = own.length === 0 ? [] : [{ what: 'command', path: [...container.path, 'command'], words: [...own, ...wordsAt(container, ['args'])], own: own.length }];
  for (const { what, at } of PLACES) {
    const words = wordsAt(container, at);
    if (words.length > 0) found.push({ what, path: [...container.path, ...at], words, own: words.length });
  }
  return found;
}

/** Path of a word of a command. */
export function wordPath(container: Container, command: ContainerCommand, word: number): FieldPath {
  return word < command.own ? [...command.path, word] : [...container.path, 'args', word - command.own];
}

export const SLEEP_IN_HOOK = 'Use the sleep of the hook itself (sleep: {seconds: 10}), which Kubernetes 1.30 and later have: the kubelet waits, and the image needs no program for it.';

/**
 * A hook that only waits, as the kubelet can do itself: since 1.30 by default, for all since 1.34. The API server takes from
 * one second to the grace period.
 * https://github.com/kubernetes/enhancements/tree/master/keps/sig-node/3960-pod-lifecycle-sleep-action, read 2026-11-30
 */
export function hookSleep(workload: Workload, container: Container, command: ContainerCommand, seconds: number | null, version: KubernetesVersion | null): Fix | null {
  const hook = command.what === 'preStop hook' ? 'preStop' : command.what === 'postStart hook' ? 'postStart' : null;
  const grace = numberAt(workload.spec, 'terminationGracePeriodSeconds') ?? 30;
  if (hook === null || seconds === null || seconds < 1 || seconds > grace) return null;
  if (version !== null && compareKubernetesVersions(version, SLEEP_SINCE) < 0) return null;
  return {
    title: `use lifecycle.${hook}.sleep of ${seconds} seconds`, isSafe: false,
    edits: [{ op: 'set', path: [...container.path, 'lifecycle', hook, 'sleep'], value: { seconds } }, { op: 'remove', path: [...container.path, 'lifecycle', hook, 'exec'] }],
  };
}

const SLEEP_SINCE: KubernetesVersion = { major: 1, minor: 30, patch: null, preRelease: null, build: null };

function wordsAt(container: Container, at: readonly string[]): readonly string[] {
  return arrayAt(container.fields, ...at).map((word) => (typeof word === 'string' ? word : ''));
}
