/** What a command wrote on a node, or on several that are alike, as a block with a heading in the manner of head and tail. */
import type { ExecGroup, KeptOutput } from '../../domain/hostprocess/fold.ts';
import { someOf } from '../../domain/some-of.ts';
import { counted } from '../counted.ts';
import { visibleControls, visibleControlsInText } from '../terminal-text.ts';

/** Nodes that a heading names; documents name all. */
const MOST_NAMED = 10;
const MARK = '==>';

/** Ends with a line break. Output can neither steer a terminal nor pass for a heading: a line that begins like one gets a blank before it. */
export function blockText(group: ExecGroup): string {
  return [heading(group), ...streamLines('stdout', group.stdout), ...streamLines('stderr', group.stderr)].map((line) => `${line}\n`).join('');
}

function heading({ nodes, outcome }: ExecGroup): string {
  const details = [...(nodes.length === 1 ? [] : [counted(nodes.length, 'node')]), ...outcomeWords(outcome)];
  return `${MARK} ${visibleControls(someOf(nodes, MOST_NAMED, (node) => node))}${details.length === 0 ? '' : ` (${details.join(', ')})`} <==`;
}

function outcomeWords(outcome: ExecGroup['outcome']): readonly string[] {
  if (outcome === null) return ['not begun'];
  const { exitCode, error } = outcome;
  return [...(exitCode === null || exitCode === 0 ? [] : [`exit code ${exitCode}`]), ...(error === null ? [] : [`${error.reason}: ${visibleControls(error.message)}`])];
}

function streamLines(name: 'stdout' | 'stderr', output: KeptOutput | null): readonly string[] {
  if (output === null || output.sizeBytes === 0) return [];
  const { text, isTruncated, sizeBytes } = output;
  const mark = name === 'stderr' ? [`${MARK} stderr <==`] : [];
  if (text === null) return [`${MARK} ${name}: ${counted(sizeBytes, 'byte')}, not UTF-8; -o json has them in Base64 <==`];
  const lines = visibleControlsInText(text.replaceAll('\r\n', '\n').replace(/\n$/, '')).split('\n').map((line) => (line.startsWith(MARK) ? ` ${line}` : line));
  return [...mark, ...lines, ...(isTruncated ? [`${MARK} ${name}: cut, ${counted(sizeBytes, 'byte')} came; --max-output keeps more <==`] : [])];
}
