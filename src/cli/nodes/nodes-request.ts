import type { DeepOptions } from '../../app/deep-nodes.ts';
import type { ListNodesOptions } from '../../app/list-nodes.ts';
import { NODE_FACTS } from '../../domain/hostprocess/recipes/index.ts';
import { CLUSTER_ISSUE_KINDS, NODE_ISSUE_KINDS, UNKNOWN_OS_ISSUE_KINDS } from '../../domain/node/node-issues/index.ts';
import type { NodeGrouping } from '../../domain/node/group-nodes.ts';
import { type IssueSelector, type KnownIssues, issueSelectorWords, parseIssueSelector } from '../../domain/node/select-issues.ts';
import { SERVER_RELEASES } from '../../domain/windows/releases.ts';
import { UsageError } from '../../errors.ts';
import { type OutputFormat, type ReadTextFile, parseOutputFormat } from '../../output/print.ts';
import type { FlagsOf } from '../base-command.ts';
import { secondsOf } from '../duration.ts';
import { readPodRequest, type PodRequest } from '../hostprocess/run-request.ts';
import { readKubernetesVersion } from '../kubernetes-version.ts';
import { nearest } from '../suggest.ts';
import { NODE_FORMATS, type nodesFlags } from './nodes-flags.ts';

const KINDS = [...NODE_ISSUE_KINDS, ...UNKNOWN_OS_ISSUE_KINDS, ...CLUSTER_ISSUE_KINDS];
const KNOWN_ISSUES: KnownIssues = { ids: KINDS.map(({ id }) => id), facts: [...new Set(KINDS.flatMap(({ facts }) => facts))].toSorted() };

export type NodesFlags = FlagsOf<{ readonly flags: typeof nodesFlags }>;

/** `kubectl win nodes` as it was typed, checked before anything is read. */
export interface NodesRequest {
  readonly format: OutputFormat | { readonly name: 'prometheus' };
  readonly list: Pick<ListNodesOptions, 'names' | 'labelSelector' | 'fieldSelector' | 'chunkSize' | 'allOs' | 'pools' | 'releases' | 'kubernetesVersion' | 'withPods'>;
  /** Only nodes with such an issue; null = all. */
  readonly withIssue: IssueSelector | null;
  readonly failOn: IssueSelector | null;
  readonly failOnUnchanged: boolean;
  readonly groupBy: NodeGrouping | null;
  /** How nodes are asked; null: they are not. */
  readonly deep: DeepRequest | null;
}

export type DeepRequest = Pick<DeepOptions, 'parallel' | 'timeoutSeconds' | 'startTimeoutSeconds'> & { readonly pod: PodRequest };

/** Reads the arguments and flags; throws UsageError for what does not exist or does not fit together. */
export function readNodesRequest(words: readonly string[], flags: NodesFlags, readFile: ReadTextFile): NodesRequest {
  const names = words.map(nodeNameOf);
  refuseContradictions(names, flags);
  const format = flags.output === 'prometheus' ? { name: 'prometheus' as const } : parseOutputFormat(flags.output ?? '', readFile, NODE_FORMATS);
  const failOn = flags['fail-on'].filter((word) => word !== 'unchanged' && word !== 'none');
  return {
    format,
    list: {
      names,
      labelSelector: flags.selector,
      fieldSelector: flags['field-selector'],
      chunkSize: flags['chunk-size'],
      allOs: flags['all-os'],
      pools: flags.pool,
      releases: flags.release.map(releaseNameOf),
      kubernetesVersion: readKubernetesVersion(flags['kubernetes-version']) ?? undefined,
      // csv and html have the wide columns too
      withPods: format.name === 'wide' || format.name === 'csv' || format.name === 'html' || flags['show-agents'],
    },
    withIssue: issueSelector('issue', flags.issue),
    failOn: issueSelector('fail-on', failOn),
    failOnUnchanged: flags['fail-on'].includes('unchanged'),
    groupBy: (flags['group-by'] as NodeGrouping | undefined) ?? null, // `choices` let no other text through
    deep: flags.deep ? deepRequestOf(flags) : null,
  };
}

function deepRequestOf(flags: NodesFlags): DeepRequest {
  return {
    parallel: flags.parallel === 0 ? Number.MAX_SAFE_INTEGER : flags.parallel, startTimeoutSeconds: secondsOf(flags['start-timeout'], 'start-timeout'),
    timeoutSeconds: flags.timeout === undefined ? NODE_FACTS.timeoutSeconds : secondsOf(flags.timeout, 'timeout'),
    pod: readPodRequest({ image: flags.image, 'run-as': 'system', 'pull-secret': flags['pull-secret'], 'priority-class': undefined, cpu: undefined, memory: undefined, label: [], annotation: [] }),
  };
}

/** `NAME`, `node/NAME`, `nodes/NAME`, `no/NAME`. */
function nodeNameOf(word: string): string {
  const [type, name, more] = word.split('/');
  if (name === undefined) return word;
  if (more !== undefined || name === '' || type === '') throw new UsageError('arguments in resource/name form may not have more than one slash');
  if (type !== 'node' && type !== 'nodes' && type !== 'no') {
    throw new UsageError(`"${word}" is no node: kubectl win nodes takes NAME or node/NAME`);
  }
  return name;
}

/** A release that no node can have is a typing error, and would otherwise read as "no such nodes". */
function releaseNameOf(text: string): string {
  const names = SERVER_RELEASES.map(({ release }) => release);
  const found = names.find((name) => name.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const near = nearest(text, names);
  throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--release" flag: no Windows release has this name`, {
    suggestions: [...(near === null ? [] : [`did you mean ${near}?`]), `valid: ${names.join(', ')}`],
  });
}

function issueSelector(flag: string, words: readonly string[]): IssueSelector | null {
  if (words.length === 0) return null;
  const parsed = parseIssueSelector(words, KNOWN_ISSUES);
  if ('selects' in parsed) return parsed;
  const valid = issueSelectorWords(KNOWN_ISSUES);
  const [first = ''] = parsed.unknown;
  const near = nearest(first, valid);
  throw new UsageError(`invalid argument ${JSON.stringify(first)} for "--${flag}" flag: no issue, class or severity has this name`, {
    suggestions: [...(near === null ? [] : [`did you mean ${near}?`]), `valid: ${[...valid, ...KNOWN_ISSUES.facts].join(', ')}`],
  });
}

function refuseContradictions(names: readonly string[], flags: NodesFlags): void {
  const watching = flags.watch || flags['watch-only'];
  const refuse = (condition: boolean, message: string): void => {
    if (condition) throw new UsageError(message);
  };
  refuse(names.length > 0 && (flags.selector ?? '') !== '', 'name cannot be provided when a selector is specified');
  refuse(names.length > 0 && (flags['field-selector'] ?? '') !== '', 'field selectors are not supported when individual resources are specified by name');
  refuse(watching && names.length > 1, `watch is only supported on individual resources and resource collections - ${names.length} resources were found`);
  refuse(watching && flags.inventory.length > 0, '--watch needs a cluster; an inventory does not change');
  for (const other of ['save', 'compare', 'group-by', 'sort-by'] as const) {
    refuse(watching && flags[other] !== undefined, `--watch and --${other} cannot be used together`);
  }
  refuse(watching && flags['fail-on'].length > 0, '--watch and --fail-on cannot be used together');
  for (const other of ['show-issues', 'show-images'] as const) refuse(watching && flags[other], `--watch and --${other} cannot be used together`);
  refuse(watching && flags.output === 'prometheus', '--watch and -o prometheus cannot be used together');
  refuse(watching && flags.contexts.length > 0, '--watch and --contexts cannot be used together');
  for (const [name, isGiven] of [
    ['watch', watching], ['inventory', flags.inventory.length > 0], ['contexts', flags.contexts.length > 0], ['save', flags.save !== undefined], ['compare', flags.compare !== undefined], ['group-by', flags['group-by'] !== undefined],
    ['show-images', flags['show-images']],
  ] as const) refuse(flags.deep && isGiven, `--deep and --${name} cannot be used together`);
  refuse(flags.deep && flags.output === 'prometheus', '--deep and -o prometheus cannot be used together');
  for (const [name, isGiven] of [['image', flags.image !== undefined], ['pull-secret', flags['pull-secret'].length > 0], ['timeout', flags.timeout !== undefined], ['yes', flags.yes]] as const) refuse(!flags.deep && isGiven, `--${name} needs --deep`);
  refuse(flags.compare !== undefined && flags['group-by'] !== undefined, '--compare and --group-by cannot be used together');
  refuse(flags['show-images'] && (flags['group-by'] !== undefined || flags.compare !== undefined), '--show-images cannot be used with --group-by or --compare');
  refuse(flags.compare === '-' && flags.inventory.includes('-'), '--inventory - and --compare - cannot be used together: standard input is read once');
  refuse(flags['fail-on'].includes('unchanged') && flags.compare === undefined, '--fail-on=unchanged needs --compare');
  refuse(flags.contexts.length > 0 && flags.context !== undefined, '--contexts and --context cannot be used together');
  refuse(flags.contexts.length > 0 && flags.inventory.length > 0, '--contexts and --inventory cannot be used together');
  refuse(flags.contexts.length > 1 && flags.save !== undefined, '--save writes one cluster; give one context');
  refuse(flags.contexts.length > 1 && flags.compare !== undefined, '--compare compares one cluster; give one context');
}
