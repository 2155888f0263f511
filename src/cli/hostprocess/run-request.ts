/** What all that runs on nodes has in common, as it was typed. */
import type { ExecOptions } from '../../app/exec-on-nodes.ts';
import { readAccount, runAsUserName } from '../../domain/hostprocess/account.ts';
import type { ExecTarget } from '../../domain/hostprocess/exec-plan.ts';
import { readTarget } from '../../domain/hostprocess/target.ts';
import { readReference } from '../../domain/image/reference.ts';
import { parseQuantity } from '../../domain/kubernetes/quantity.ts';
import { UsageError } from '../../errors.ts';
import type { FlagsOf } from '../base-command.ts';
import { parseDuration, secondsOf } from '../duration.ts';
import { readKubernetesVersion } from '../kubernetes-version.ts';
import type { execFlags } from './exec-flags.ts';

export type PodRequest = Omit<ExecOptions['objects'], 'image' | 'origin'> & { readonly image: string | null };
export type NodesRequest = Pick<ExecOptions, 'targets' | 'selector' | 'pools' | 'releases' | 'all'>;
export type RunRequest = Pick<ExecOptions, 'anchor' | 'parallel' | 'batchSize' | 'batchPauseSeconds' | 'maxFailures' | 'startTimeoutSeconds' | 'timeoutSeconds' | 'via' | 'dryRun' | 'kubernetesVersion'>;

type ExecFlags = FlagsOf<{ readonly flags: typeof execFlags }>;
type PodFlags = Pick<ExecFlags, 'image' | 'run-as' | 'pull-secret' | 'priority-class' | 'cpu' | 'memory' | 'label' | 'annotation'>;
type NodesFlags = Pick<ExecFlags, 'selector' | 'pool' | 'release' | 'all' | 'failed-of'>;
type RunFlags = Pick<ExecFlags, 'anchor' | 'parallel' | 'batch-size' | 'batch-pause' | 'max-failures' | 'start-timeout' | 'via' | 'dry-run' | 'kubernetes-version' | 'inventory'>;

export function readPodRequest(flags: PodFlags): PodRequest {
  return {
    image: flags.image === undefined ? null : imageOf(flags.image), runAsUserName: accountOf(flags['run-as']), pullSecrets: flags['pull-secret'].map((name) => nameOfObject(name, 'pull-secret')), priorityClass: flags['priority-class'] === undefined ? null : nameOfObject(flags['priority-class'], 'priority-class'),
    requests: { ...quantityOf('cpu', flags.cpu), ...quantityOf('memory', flags.memory) }, labels: pairsOf(flags.label, 'label'), annotations: pairsOf(flags.annotation, 'annotation'),
  };
}

/** `usage`: how a node is named. */
export function readNodesRequest(words: readonly string[], flags: NodesFlags, usage: string): NodesRequest {
  return { targets: words.map((word) => targetOf(word, usage)), selector: flags.selector, pools: flags.pool, releases: flags.release, all: flags.all };
}

export function readRunRequest(flags: RunFlags): Omit<RunRequest, 'timeoutSeconds'> {
  return {
    anchor: flags.anchor as ExecOptions['anchor'], // `choices` let no other text through, here and below
    parallel: flags.parallel === 0 ? Number.MAX_SAFE_INTEGER : flags.parallel,
    batchSize: flags['batch-size'] === 0 ? null : flags['batch-size'],
    batchPauseSeconds: Math.ceil((parseDuration(flags['batch-pause'] ?? '0') ?? 0) / 1000),
    maxFailures: maxFailuresOf(flags['max-failures']),
    startTimeoutSeconds: secondsOf(flags['start-timeout'], 'start-timeout'),
    via: flags.via as 'exec' | 'logs',
    dryRun: flags['dry-run'] as ExecOptions['dryRun'],
    kubernetesVersion: readKubernetesVersion(flags['kubernetes-version']) ?? undefined,
  };
}

function invalid(value: string, flag: string, problem: string, suggestions: readonly string[] = []): UsageError {
  return new UsageError(`invalid argument ${JSON.stringify(value)} for "--${flag}" flag: ${problem}`, { suggestions });
}

function targetOf(word: string, usage: string): ExecTarget {
  const target = readTarget(word);
  if (typeof target === 'string') throw new UsageError(`${JSON.stringify(word)} ${target}`, { suggestions: [usage] });
  return target;
}

function accountOf(text: string): string {
  const account = readAccount(text);
  if (typeof account === 'string') throw invalid(text, 'run-as', account);
  return runAsUserName(account);
}

function imageOf(text: string): string {
  if (readReference(text).kind !== 'reference') throw invalid(text, 'image', 'is no reference of an image');
  return text;
}

/** https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names, read 2026-11-30 */
const OBJECT_NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

function nameOfObject(text: string, flag: 'pull-secret' | 'priority-class'): string {
  if (!OBJECT_NAME.test(text)) throw invalid(text, flag, 'is no name that an object of Kubernetes can have');
  return text;
}

function maxFailuresOf(text: string | undefined): number | null {
  if (text === undefined) return null;
  if (Number(text) < 0) throw invalid(text, 'max-failures', 'must be at least 0');
  return Number(text);
}

/** `1Mi`, `500k`; MiB is what others write. */
export function maxOutputOf(text: string): number {
  const bytes = parseQuantity(text.replace(/(?<=[kKMG]i?)B$/, ''));
  if (bytes === null || bytes < 0) throw invalid(text, 'max-output', 'must be a size from 0 on (e.g. 10Mi)');
  return Math.floor(bytes);
}

function quantityOf(resource: 'cpu' | 'memory', text: string | undefined): Readonly<Record<string, string>> {
  if (text === undefined) return {};
  const amount = parseQuantity(text);
  if (amount === null || amount < 0) throw invalid(text, resource, `must be a quantity from 0 on (e.g. ${resource === 'cpu' ? '500m' : '256Mi'})`);
  return { [resource]: text };
}

/** By which objects are known and removed again. */
const OWN_KEYS = /^(?:kubectl-win\/|app\.kubernetes\.io\/(?:managed-by|component)$)/;
/** [PREFIX/]NAME: https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#syntax-and-character-set, read 2026-11-30 */
const KEY = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

function pairsOf(texts: readonly string[], flag: 'label' | 'annotation'): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map((text) => {
    const equals = text.indexOf('=');
    const [key, value] = [text.slice(0, Math.max(0, equals)), text.slice(equals + 1)];
    if (equals < 1) throw invalid(text, flag, 'must be KEY=VALUE');
    if (!KEY.test(key)) throw invalid(text, flag, `${JSON.stringify(key)} is no key that Kubernetes takes`);
    if (flag === 'label' && !LABEL_VALUE.test(value)) throw invalid(text, flag, `${JSON.stringify(value)} is no value of a label`);
    if (OWN_KEYS.test(key)) throw invalid(text, flag, `${key} is the program's own`);
    return [key, value];
  }));
}

/** Throws UsageError unless it is clear which nodes are meant. `hint`: what else may be missing; `isKnown`: without names and labels, too. */
export function refuseUnclearNodes(words: readonly string[], flags: NodesFlags, hint: string, isKnown = false): void {
  const selecting = [...(flags.selector === undefined ? [] : ['-l']), ...(flags.pool.length === 0 ? [] : ['--pool']), ...(flags.release.length === 0 ? [] : ['--release'])];
  const [selector] = selecting;
  const failedOf = flags['failed-of'] !== undefined;
  refuse(!isKnown && words.length === 0 && selector === undefined && !flags.all && !failedOf, 'no node is named: give NODE, -l, --pool, --release, --all or --failed-of', [hint]);
  together('names of nodes', words.length > 0, selector ?? '', selector !== undefined, 'labels choose among all nodes');
  together('--all', flags.all, words.length > 0 ? 'names of nodes' : selector ?? '', words.length > 0 || selector !== undefined, 'it means all Windows nodes');
  together('--failed-of', failedOf, words.length > 0 ? 'names of nodes' : selector ?? '--all', words.length > 0 || selector !== undefined || flags.all, 'the nodes come from the report');
  refuse(flags['failed-of'] === '', '--failed-of needs the name of a file');
}

export function refuseUnclearRun(flags: RunFlags): void {
  refuse(flags['batch-pause'] !== undefined && flags['batch-size'] === 0, '--batch-pause needs --batch-size');
  refuse(flags.inventory.length > 0 && flags['dry-run'] !== 'client', '--inventory can be planned for, and nothing be run on its nodes', ['--dry-run=client shows the plan']);
}

function refuse(condition: boolean, message: string, suggestions: readonly string[] = []): void {
  if (condition) throw new UsageError(message, { suggestions });
}

function together(one: string, isOne: boolean, other: string, isOther: boolean, because: string): void {
  refuse(isOne && isOther, `${one} and ${other} cannot be used together: ${because}`);
}
