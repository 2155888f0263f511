import type { WorkloadScope, WorkloadTarget } from '../../app/workloads/walk-cluster.ts';
import { rulesNamed, selectRules, type SelectedRules } from '../../domain/check/control/select-rules.ts';
import type { Rule } from '../../domain/check/rule.ts';
import { RULES } from '../../domain/check/rules/index.ts';
import { SEVERITIES, type Severity } from '../../domain/severity.ts';
import { SERVER_RELEASES, type ReleaseName } from '../../domain/windows/releases.ts';
import { InputError, UsageError } from '../../errors.ts';
import { type OutputFormat, type ReadTextFile, FINDING_FORMATS, parseOutputFormat } from '../../output/print.ts';
import type { FlagsOf } from '../base-command.ts';
import { readKubernetesVersion } from '../kubernetes-version.ts';
import type { CheckSettings } from '../settings.ts';
import { nearest } from '../suggest.ts';
import type { checkFlags } from './check-flags.ts';

export type CheckFlags = FlagsOf<{ readonly flags: typeof checkFlags }>;

/** `kubectl win check` as it was typed, checked before anything is read. */
export interface CheckRequest {
  readonly format: OutputFormat;
  readonly outputFiles: readonly { readonly format: OutputFormat; readonly file: string }[];
  readonly scope: WorkloadScope;
  readonly selected: SelectedRules;
  readonly minSeverity: Severity;
  readonly failOn: Severity | 'none';
  readonly kubernetesVersion: string | undefined;
  readonly assumedReleases: readonly ReleaseName[];
  readonly fix: { readonly includeUnsafe: boolean; readonly isDryRun: boolean } | null;
}

/** Reads the arguments and flags; throws UsageError for what does not exist or does not fit together. */
export function readCheckRequest(words: readonly string[], flags: CheckFlags, settings: CheckSettings, readFile: ReadTextFile): CheckRequest {
  refuseContradictions(words, flags);
  return {
    format: parseOutputFormat(flags.output ?? '', readFile, FINDING_FORMATS),
    outputFiles: flags['output-file'].map((text) => outputFileOf(text, readFile)),
    scope: {
      namespace: flags['all-namespaces'] ? null : flags.namespace === undefined || flags.namespace === '' ? undefined : flags.namespace,
      labelSelector: flags.selector, targets: targetsOf(words), customResources: flags['custom-resources'] as WorkloadScope['customResources'], // `choices` let no other text through
    },
    selected: selectedRules(flags, settings),
    minSeverity: flags['min-severity'] as Severity,
    failOn: flags['fail-on'] as Severity | 'none',
    kubernetesVersion: readKubernetesVersion(flags['kubernetes-version']) ?? undefined,
    assumedReleases: flags.windows.map(releaseOf),
    fix: flags.fix === undefined ? null : { includeUnsafe: flags.fix === 'all', isDryRun: flags['dry-run'] === 'client' },
  };
}

/** --list and --explain tell of rules: throws UsageError where objects are named, which nobody would look at. */
export function refuseObjects(words: readonly string[], { filename, list }: Pick<CheckFlags, 'filename' | 'list'>): void {
  if (words.length === 0 && filename.length === 0) return;
  throw new UsageError(`--${list ? 'list' : 'explain'} checks nothing: it cannot be used with ${words.length > 0 ? 'resource arguments' : '-f'}`, {
    suggestions: list && words[0] !== undefined ? [`to list some of the rules: kubectl win check --list --rule=${words[0]}`] : [],
  });
}

/** The rules of --list: all, or those that --rule and --skip leave. */
export function rulesToList({ rule, skip }: Pick<CheckFlags, 'rule' | 'skip'>): readonly Rule[] {
  const selected = selectRules(RULES, { only: rule, skip, severities: {} });
  if ('rules' in selected) return selected.rules;
  const [word = ''] = selected.unknown;
  throw unknownRule(rule.includes(word) ? 'rule' : 'skip', word);
}

/** The rule of --explain. */
export function ruleToExplain(word: string): Rule {
  const [rule, ...more] = rulesNamed(word, RULES);
  if (rule === undefined) throw unknownRule('explain', word);
  if (more.length > 0) throw new UsageError(`${word} is the number of several rules`, { suggestions: [`explain one of: ${[rule, ...more].map(({ id }) => id).join(', ')}`] });
  return rule;
}

/** Words as kubectl get reads them: TYPE, TYPE NAME…, TYPE/NAME…, TYPE,TYPE. */
function targetsOf(words: readonly string[]): readonly WorkloadTarget[] {
  const [first, ...rest] = words;
  if (first === undefined) return [];
  if (words.some((word) => word.includes('/'))) {
    return words.map((word) => {
      const [type = '', name = '', more] = word.split('/');
      if (more !== undefined) throw new UsageError('arguments in resource/name form may not have more than one slash');
      if (type === '' || name === '') throw new UsageError(`there is no need to specify a resource type as a separate argument when passing arguments in resource/name form (e.g. 'kubectl win check ${first.split('/')[0] ?? ''}/<resource_name>' instead of 'kubectl win check ${words.join(' ')}'`);
      return { type, name };
    });
  }
  const types = first.split(',').filter((type) => type !== '');
  if (rest.length === 0) return types.map((type) => ({ type, name: null }));
  return types.flatMap((type) => rest.map((name) => ({ type, name })));
}

function outputFileOf(text: string, readFile: ReadTextFile): { readonly format: OutputFormat; readonly file: string } {
  const equals = text.indexOf('=');
  const file = equals === -1 ? '' : text.slice(equals + 1);
  if (file === '' || equals === 0) throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--output-file" flag: must be FORMAT=FILE`);
  const format = parseOutputFormat(text.slice(0, equals), readFile, FINDING_FORMATS.filter((name) => !name.startsWith('jsonpath') && !name.startsWith('custom-columns')));
  return { format, file };
}

function selectedRules(flags: CheckFlags, settings: CheckSettings): SelectedRules {
  const selected = selectRules(RULES, { only: flags.rule, skip: flags.skip, severities: Object.fromEntries(flags.severity.map(severityOf)) }, { skip: settings.skip, severities: settings.severity });
  if ('rules' in selected) {
    if (selected.rules.length === 0) throw new UsageError('no rule is left to run: what --rule names is skipped', { suggestions: ['kubectl win check --list shows all'] });
    return selected;
  }
  const [word = ''] = selected.unknown;
  const flag = flags.rule.includes(word) ? 'rule' : flags.skip.includes(word) ? 'skip' : flags.severity.some((text) => severityOf(text)[0] === word) ? 'severity' : null;
  if (flag !== null) throw unknownRule(flag, word);
  const field = settings.skip.includes(word) ? 'skip' : 'severity';
  const { file, lines } = settings.source ?? { file: 'configuration', lines: {} };
  throw new InputError({ file, line: lines[`${field}.${word}`] ?? null }, `check.${field}: no rule has the id or number ${JSON.stringify(word)}`, { suggestions: suggestionsFor(word) });
}

function severityOf(text: string): readonly [string, Severity | 'off'] {
  const equals = text.lastIndexOf('=');
  const severity = text.slice(equals + 1);
  if (equals < 1 || ![...SEVERITIES, 'off'].includes(severity)) {
    throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--severity" flag: must be RULE=error|warning|info|off`);
  }
  return [text.slice(0, equals), severity as Severity | 'off']; // one of the words above
}

function unknownRule(flag: string, word: string): UsageError {
  return new UsageError(`invalid argument ${JSON.stringify(word)} for "--${flag}" flag: no rule has this id or number`, { suggestions: suggestionsFor(word) });
}

function suggestionsFor(word: string): readonly string[] {
  const near = nearest(word, [...RULES.map(({ id }) => id), ...new Set(RULES.flatMap(({ facts }) => facts.map((fact) => fact.toLowerCase())))]);
  return [...(near === null ? [] : [`did you mean ${/^[a-z]+-\d+$/.test(near) ? near.toUpperCase() : near}?`]), 'kubectl win check --list shows all'];
}

function releaseOf(text: string): ReleaseName {
  const names: readonly ReleaseName[] = SERVER_RELEASES.map(({ release }) => release);
  const found = names.find((name) => name.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const near = nearest(text, names);
  throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--windows" flag: no Windows release has this name`, { suggestions: [...(near === null ? [] : [`did you mean ${near}?`]), `valid: ${names.join(', ')}`] });
}

function refuseContradictions(words: readonly string[], flags: CheckFlags): void {
  const refuse = (condition: boolean, message: string, suggestions: readonly string[] = []): void => {
    if (condition) throw new UsageError(message, { suggestions });
  };
  const hasFiles = flags.filename.length > 0;
  const folder = flags.kustomize ?? '.';
  refuse(flags.kustomize !== undefined, '-k is not supported: this program does not render kustomizations', [`kubectl kustomize ${folder === '' ? '.' : folder} | kubectl win check -f -`]);
  refuse(hasFiles && words.length > 0, 'when paths, URLs, or stdin is provided as resource input, you may not specify resource arguments as well');
  refuse(hasFiles && (flags.selector ?? '') !== '', '-l selects objects of a cluster; it cannot be used with -f');
  refuse(hasFiles && flags['all-namespaces'], '-A is for objects of a cluster; it cannot be used with -f');
  refuse(flags.recursive && !hasFiles, '-R needs a folder in -f');
  refuse(flags.live && !hasFiles, '--live says what the manifests of -f are judged against; without -f the cluster is judged anyway');
  refuse(flags.live && flags.inventory.length > 0, '--live and --inventory cannot be used together: judge against one of them');
  refuse(flags.save !== undefined && hasFiles && !flags.live, '--save needs a cluster to save from');
  refuse(flags.save !== undefined && flags.inventory.length > 0, '--save and --inventory cannot be used together: there is no cluster to save from');
  refuse(flags.fix !== undefined && !hasFiles, '--fix mends files; give them with -f', ['for live objects the report has a kubectl patch command per finding']);
  refuse(flags.fix !== undefined && flags['dry-run'] === 'client' && (flags.output ?? '') !== '', '--fix --dry-run prints a diff; it cannot be used with -o');
  refuse(flags.fix !== undefined && flags['dry-run'] === 'client' && flags['output-file'].length > 0, '--fix --dry-run prints a diff; it writes no report', ['leave --output-file out']);
  const files = flags['output-file'].map((text) => text.slice(text.indexOf('=') + 1));
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  refuse(twice !== undefined, `--output-file names ${twice ?? ''} twice`, ['give each format a file of its own']);
  refuse(flags.fix !== undefined && flags.filename.includes('-'), '--fix cannot mend standard input');
  refuse(flags['dry-run'] !== undefined && flags['dry-run'] !== 'none' && flags.fix === undefined, '--dry-run is for --fix: without it nothing is changed anyway');
  refuse(flags.filename.includes('-') && flags.inventory.includes('-'), '-f - and --inventory - cannot be used together: standard input is read once');
  refuse(words.some((word) => word.includes('/')) && (flags.selector ?? '') !== '', 'selectors and the all flag cannot be used when passing resource/name arguments');
  const named = words.some((word) => word.includes('/')) || words.length > 1;
  refuse(named && (flags.selector ?? '') !== '', 'name cannot be provided when a selector is specified');
  refuse(named && flags['all-namespaces'], 'a resource cannot be retrieved by name across all namespaces');
}
