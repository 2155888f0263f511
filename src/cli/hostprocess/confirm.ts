import type { ExecPlan, ExecPlanItem } from '../../domain/hostprocess/exec-plan.ts';
import { someOf } from '../../domain/some-of.ts';
import { UsageError } from '../../errors.ts';
import { counted } from '../../output/counted.ts';
import { visibleControls } from '../../output/terminal-text.ts';
import type { CommandContext } from '../context.ts';

export interface ConfirmOptions {
  /** More nodes than that are asked about. */
  readonly confirmAbove: number;
  /** --yes. */
  readonly isAnswered: boolean;
  readonly runAsUserName: string;
  /** What runs, in a line. */
  readonly what: string;
  /** The flag that takes standard input, so that nobody can answer there; null for none. */
  readonly stdinUsedBy: string | null;
  /** Takes what moves off the terminal. */
  readonly beforeAsking?: () => void;
}

/** Nodes that a question names. */
const MOST_NAMED = 5;
const LONGEST_COMMAND = 80;

/** Whether a run may begin: few nodes, --yes, or somebody says so. Throws UsageError where nobody can be asked. */
export async function confirmRun(plan: ExecPlan, { confirmAbove, isAnswered, runAsUserName, what, stdinUsedBy, beforeAsking = () => undefined }: ConfirmOptions, context: CommandContext): Promise<boolean> {
  const items = plan.items.filter(({ refusal }) => refusal === null);
  const nodes = items.map(({ node }) => node);
  if (isAnswered || nodes.length <= confirmAbove) return true;
  const [line = ''] = what.split(/[\r\n]/);
  const shown = line.length === what.length && line.length <= LONGEST_COMMAND ? line : `${line.slice(0, LONGEST_COMMAND)}...`;
  const question = visibleControls(`Run on ${counted(nodes.length, 'Windows node')}${poolsText(items)} (${someOf(nodes, MOST_NAMED)}) as ${runAsUserName}: ${shown}`);
  beforeAsking();
  const answer = stdinUsedBy === null ? await context.ports.ask(`${question}\nGo on? [y/N] `, context) : null;
  if (answer === null) {
    throw new UsageError(`${counted(nodes.length, 'node')} are more than ${confirmAbove}, which is asked about, and ${stdinUsedBy === null ? 'nobody can be asked' : `${stdinUsedBy} takes standard input`}`, { suggestions: ['--yes runs without a question'] });
  }
  return /^y(?:es)?$/i.test(answer.trim());
}

function poolsText(items: readonly ExecPlanItem[]): string {
  const pools = [...new Set(items.flatMap(({ pool }) => (pool === null ? [] : [pool])))];
  if (pools.length === 0) return '';
  return ` of the pool${pools.length === 1 ? '' : 's'} ${someOf(pools, MOST_NAMED)}${items.some(({ pool }) => pool === null) ? ', and of none' : ''}`;
}
