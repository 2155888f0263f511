import { durationText } from '../../domain/duration-text.ts';
import type { ExecEvent } from '../../domain/hostprocess/exec-event.ts';
import type { ExecOutcome } from '../../domain/hostprocess/outcome.ts';
import { someOf } from '../../domain/some-of.ts';
import { counted } from '../counted.ts';
import { visibleControls } from '../terminal-text.ts';

/** Nodes that are named in a line. */
const MOST_NAMED = 5;

/** The line that tells of a change; null for what is no news. What goes well shows by its output. */
export function execLine(event: ExecEvent): string | null {
  switch (event.type) {
    case 'began':
      return visibleControls(`run ${event.run} in namespace ${event.namespace}: ${counted(event.nodes, 'node')}`);
    case 'batch':
      return visibleControls(`batch ${event.batch + 1}: ${someOf(event.nodes, MOST_NAMED)}`);
    case 'pause':
      return `the next batch begins in ${durationText(event.seconds)}`;
    case 'creating':
    case 'pulling':
    case 'started':
      return event.message === null ? null : visibleControls(`${event.node}  ${event.message}`);
    case 'ended': {
      const text = failureText(event.outcome);
      return text === null ? null : visibleControls(`${event.node}  ${text}`);
    }
    case 'stopped':
      return `${counted(event.failures, 'node')} failed (--max-failures): ${counted(event.left, 'node')} not begun`;
    case 'note':
      return visibleControls(`note: ${event.message}`);
    case 'cleaned-up':
      return null;
  }
}

/** `exit code 7`, `StartTimeout: its pod …`; null for what went well. */
export function failureText({ exitCode, error }: Pick<ExecOutcome, 'exitCode' | 'error'>): string | null {
  if (error !== null) return `${error.reason}: ${error.message}`;
  return exitCode === 0 ? null : `exit code ${exitCode ?? 'unknown'}`;
}

/** What to do about what went wrong on several nodes: each remedy once, behind the nodes that it is for. */
export function remedyLines(items: readonly { readonly node: string; readonly outcome: Pick<ExecOutcome, 'error'> | null }[]): readonly string[] {
  const nodes = new Map<string, string[]>();
  for (const { node, outcome } of items) {
    const remedy = outcome?.error?.remedy ?? null;
    if (remedy !== null) nodes.set(remedy, [...nodes.get(remedy) ?? [], node]);
  }
  // some are whole roles
  return [...nodes].flatMap(([remedy, names]) => `${someOf(names, MOST_NAMED)}: ${remedy}`.split('\n')).map(visibleControls);
}
