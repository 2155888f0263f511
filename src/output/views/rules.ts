/** What `kubectl win check --list` and `--explain` print. */
import type { Rule, Sample } from '../../domain/check/rule.ts';
import { FACT_NAMES } from '../../domain/check/facts.ts';
import type { CellTone, Column, View } from '../view.ts';
import { SEVERITY_TONES } from './check-texts.ts';
import { renderRuleText } from './rules-explanation.ts';
import { renderRuleMarkdown, renderRulesMarkdown } from './rules-markdown.ts';
import { lookedAt, versionWindow } from './rules-texts.ts';

const HEAD = { apiVersion: 'kubectl-win/v1alpha1' } as const;

/** The list of rules: table, wide, documents, names, and the page that docs/checks.md is. */
export function rulesView(rules: readonly Rule[]): View<Rule> {
  return {
    columns: RULE_COLUMNS,
    items: rules,
    document: () => ({ ...HEAD, kind: 'CheckRuleList', items: rules.map(ruleDocument) }),
    nameOf: ({ id }) => id,
    emptyMessage: 'No rules match the flags',
    renderings: { markdown: () => renderRulesMarkdown(rules) },
  };
}

/** One rule in full, with its samples; the table is text for people, as wide as the terminal. */
export function ruleExplanationView(rule: Rule, options: { readonly columns: number }): View<Rule> {
  const text = ({ colour = false }: { readonly colour?: boolean }): Promise<Iterable<string>> => renderRuleText(rule, { ...options, colour });
  return {
    ...rulesView([rule]),
    document: () => ({ ...HEAD, kind: 'CheckRule', ...ruleDocument(rule) }),
    renderings: { table: text, wide: text, markdown: () => renderRuleMarkdown(rule) },
  };
}

const RULE_COLUMNS: readonly Column<Rule>[] = [
  { header: 'RULE', value: ({ id }) => id },
  { header: 'SEVERITY', value: ({ severity }) => severity, tone: ({ severity }): CellTone => SEVERITY_TONES[severity] },
  { header: 'EFFECT', value: ({ effect }) => effect },
  { header: 'FACTS', wide: true, value: ({ facts }) => facts.join(',') },
  { header: 'LOOKS-AT', wide: true, value: lookedAt },
  { header: 'KUBERNETES', wide: true, value: (rule) => versionWindow(rule) ?? 'all' },
  { header: 'NEEDS', wide: true, value: neededFacts },
  { header: 'REFERENCE', wide: true, value: ({ reference }) => reference },
  { header: 'SUMMARY', value: ({ summary }) => summary },
];

function neededFacts({ needs = [] }: Rule): string {
  return needs.map((name) => FACT_NAMES[name]).join(',');
}

/** A rule as it stands in `items`. */
function ruleDocument(rule: Rule): Record<string, unknown> {
  return {
    id: rule.id,
    facts: rule.facts,
    severity: rule.severity,
    effect: rule.effect,
    scope: rule.scope,
    os: rule.scope === 'workload' ? rule.os : null,
    isolation: rule.scope === 'workload' ? rule.isolation ?? null : null,
    kinds: rule.scope === 'object' ? rule.kinds : null,
    since: rule.since ?? null,
    until: rule.until ?? null,
    needs: (rule.needs ?? []).map((name) => FACT_NAMES[name]),
    summary: rule.summary,
    rationale: rule.rationale,
    remediation: rule.remediation,
    reference: rule.reference,
    asOf: rule.asOf,
    messages: { ...rule.messages },
    samples: { bad: rule.samples.bad.map(sampleDocument), good: rule.samples.good.map(sampleDocument) },
  };
}

function sampleDocument({ yaml, cluster, kubernetesVersion }: Sample): Record<string, unknown> {
  return { yaml: yaml.trim(), cluster: cluster?.trim() ?? null, kubernetesVersion: kubernetesVersion ?? null };
}
