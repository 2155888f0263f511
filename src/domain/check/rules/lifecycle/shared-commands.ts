/** Everything in a container that is a command: its own, its probes' and its hooks'. */
import type { FieldPath } from '../../../kubernetes/field-path.ts';
import { arrayAt } from '../../../kubernetes/object.ts';
import type { Container } from '../../../workload/workload.ts';

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

function wordsAt(container: Container, at: readonly string[]): readonly string[] {
  return arrayAt(container.fields, ...at).map((word) => (typeof word === 'string' ? word : ''));
}
