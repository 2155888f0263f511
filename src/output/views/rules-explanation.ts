import type { Rule, Sample } from '../../domain/check/rule.ts';
import { FACT_NAMES } from '../../domain/check/facts.ts';
import { wrapText } from '../boxed.ts';
import { paint } from '../colour.ts';
import { visibleControlsInLines } from '../terminal-text.ts';
import { textWidthFor } from '../text-width.ts';
import type { CellTone } from '../view.ts';
import { EFFECT_WORDS, sentence, SEVERITY_TONES } from './check-texts.ts';
import { clusterText, lookedAt, versionWindow } from './rules-texts.ts';

/** Lines longer than this are hard to read, however wide the terminal is. */
const LONGEST_LINE = 100;

/** A rule as text for people: what is wrong, why, what to do, a sample of each sort, and where it is written. */
export async function renderRuleText(rule: Rule, options: { readonly columns: number; readonly colour: boolean }): Promise<Iterable<string>> {
  const width = await textWidthFor([rule.summary, rule.rationale, rule.remediation]);
  const columns = Math.min(LONGEST_LINE, Math.max(40, options.columns));
  const tinted = (text: string, tone: CellTone): string => (options.colour ? paint(text, tone) : text);
  const paragraph = (text: string): string => wrapText(visibleControlsInLines(text), columns - 2, width).split('\n').map((line) => `  ${line}`).join('\n');
  const section = (title: string, text: string): string => `\n${title}:\n${text}\n`;
  const needs = (rule.needs ?? []).map((name) => FACT_NAMES[name]);
  const ignore = `annotation ignore.kubectl-win/${rule.id}: "<reason>"`;
  return [
    `${rule.id}\n${wrapText(sentence(rule.summary), columns, width)}\n\n`,
    `Severity:    ${tinted(rule.severity, SEVERITY_TONES[rule.severity])} (${EFFECT_WORDS[rule.effect]})\n`,
    `Looks at:    ${lookedAt(rule)}\n`,
    `Kubernetes:  ${versionWindow(rule) ?? 'all versions'}\n`,
    ...(needs.length === 0 ? [] : [`Needs:       ${needs.join(', ')}\n`]),
    `Facts:       ${rule.facts.join(', ')}\n`,
    `Ignore by:   ${ignore}\n`,
    section('Why', paragraph(rule.rationale)),
    section('What to do', paragraph(rule.remediation)),
    ...rule.samples.bad.slice(0, 1).map((sample) => section('Bad', sampleText(sample))),
    ...rule.samples.good.slice(0, 1).map((sample) => section('Good', sampleText(sample))),
    ...(rule.samples.bad.length + rule.samples.good.length > 2 || [rule.samples.bad[0], rule.samples.good[0]].some((sample) => sample?.cluster !== undefined) ? ['\n-o yaml shows every sample in full.\n'] : []),
    section('Reference', `  ${rule.reference} (read ${rule.asOf})`),
  ];
}

function sampleText({ yaml, cluster, kubernetesVersion, path = '' }: Sample): string {
  const indented = (text: string): string => visibleControlsInLines(text.trim()).split('\n').map((line) => `    ${line}`.trimEnd()).join('\n');
  return [
    indented(yaml),
    ...(path === '' ? [] : [`  at ${path}`]),
    ...(kubernetesVersion === undefined ? [] : [`  on Kubernetes ${kubernetesVersion}`]),
    ...(cluster === undefined ? [] : [`  in a cluster with ${clusterText(cluster)}`]),
  ].join('\n');
}
