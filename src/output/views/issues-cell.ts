import { bySeverity } from '../../domain/severity.ts';
import type { NodeIssue } from '../../domain/node/windows-node.ts';
import type { CellTone } from '../view.ts';

/** Errors and warnings worst first, each id once; kinds of mere information as a number, so that a row stays readable: `past-support,no-isolating-taint,+2`. */
export function issuesText(issues: readonly NodeIssue[]): string {
  const ordered = bySeverity(issues);
  const urgent = new Set(ordered.filter(({ severity }) => severity !== 'info').map(({ id }) => id));
  const infos = new Set(ordered.filter(({ id }) => !urgent.has(id)).map(({ id }) => id));
  return [...urgent, ...(infos.size > 0 ? [`+${infos.size}`] : [])].join(',');
}

/** What the worst of the issues means for a cell. */
export function issuesTone(issues: readonly NodeIssue[]): CellTone {
  const worst = bySeverity(issues)[0];
  if (worst === undefined) return 'plain';
  return ({ error: 'bad', warning: 'warning', info: 'plain' } as const)[worst.severity];
}
