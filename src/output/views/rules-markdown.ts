import type { Rule, Sample } from '../../domain/check/rule.ts';
import { FACT_NAMES } from '../../domain/check/facts.ts';
import { counted } from '../counted.ts';
import { codeBlock, linkTarget, markdownText } from '../markdown.ts';
import { EFFECT_WORDS, sentence } from './check-texts.ts';
import { clusterText, lookedAt, versionWindow } from './rules-texts.ts';

/**
 * Samples per rule on the page, so that it stays readable and small enough to be rendered: GitHub may give up on large files
 * (https://docs.github.com/en/repositories/creating-and-managing-repositories/repository-limits, read 2026-11-30).
 */
const MOST_BAD_SAMPLES = 2;
const MOST_GOOD_SAMPLES = 1;

/** The page of all rules: a table, and a section per rule with its samples, whose anchor is the rule's id. */
export function* renderRulesMarkdown(rules: readonly Rule[]): Iterable<string> {
  yield '# Checks\n\nWritten by `npm run docs`; `kubectl win check --list -o markdown` prints the same, `kubectl win check --explain RULE` one of them.\n\n';
  yield 'Severity and effect of a finding can differ from those of its rule: a field that the API server refuses with `os.name: windows` is merely ignored without it.\n\n';
  yield '| Rule | Severity | Effect | What is wrong |\n| --- | --- | --- | --- |\n';
  for (const { id, severity, effect, summary } of rules) yield `| [${id}](#${id}) | ${severity} | ${EFFECT_WORDS[effect]} | ${prose(summary)} |\n`;
  for (const rule of rules) yield `\n${ruleSection(rule)}`;
}

/** The section of one rule. */
export function renderRuleMarkdown(rule: Rule): Iterable<string> {
  return [ruleSection(rule)];
}

function ruleSection(rule: Rule): string {
  const target = linkTarget(rule.reference);
  const bad = rule.samples.bad.slice(0, MOST_BAD_SAMPLES);
  const good = rule.samples.good.slice(0, MOST_GOOD_SAMPLES);
  const more = rule.samples.bad.length + rule.samples.good.length - bad.length - good.length;
  const needs = (rule.needs ?? []).map((name) => FACT_NAMES[name]);
  return [
    `## ${rule.id}\n`,
    `${prose(sentence(rule.summary))}\n`,
    [
      `- Severity: ${rule.severity} (${EFFECT_WORDS[rule.effect]})`,
      `- Looks at: ${lookedAt(rule)}`,
      `- Kubernetes: ${versionWindow(rule) ?? 'all versions'}`,
      ...(needs.length === 0 ? [] : [`- Needs: ${needs.join(', ')}`]),
      `- Facts: ${rule.facts.join(', ')}`,
      `- Reference: ${target === null ? markdownText(rule.reference) : `<${target}>`}, read ${rule.asOf}\n`,
    ].join('\n'),
    `${prose(rule.rationale)}\n`,
    `**What to do:** ${prose(rule.remediation)}\n`,
    ...bad.map((sample) => sampleBlock('Bad', sample)),
    ...good.map((sample) => sampleBlock('Good', sample)),
    ...(more > 0 ? [`\`kubectl win check --explain ${rule.id} -o yaml\` shows ${counted(more, 'more sample')}.\n`] : []),
  ].join('\n').trimEnd() + '\n';
}

function sampleBlock(title: string, { yaml, cluster, kubernetesVersion, path = '' }: Sample): string {
  const where = [...(path === '' ? [] : [`at \`${path}\``]), ...(kubernetesVersion === undefined ? [] : [`on Kubernetes ${kubernetesVersion}`]), ...(cluster === undefined ? [] : [`in a cluster with ${markdownText(clusterText(cluster))}`])];
  return [
    `${title}${where.length === 0 ? '' : ` (${where.join(', ')})`}:\n`,
    codeBlock(yaml.trim(), 'yaml'),
    ...(cluster === undefined ? [] : [`<details><summary>The cluster</summary>\n\n${codeBlock(cluster.trim(), 'yaml')}\n</details>\n`]),
  ].join('\n');
}

/** A rule's own text: what stands between backticks is code there too. */
function prose(text: string): string {
  return text.split(/(`[^`]+`)/).map((part, index) => (index % 2 === 1 ? part.replaceAll('|', '\\|') : part === '' ? '' : markdownText(part))).join('');
}
