import type { PrepullOptions } from '../../app/prepull-images.ts';
import type { WorkloadTarget } from '../../app/workloads/walk-cluster.ts';
import { readSecretPlace, type SecretPlace } from '../../domain/prepull/secret-copies.ts';
import { builtInResource } from '../../domain/kubernetes/resource-names.ts';
import { UsageError } from '../../errors.ts';
import { OUTPUT_FORMATS, parseOutputFormat, type OutputFormat, type ReadTextFile } from '../../output/print.ts';
import type { FlagsOf } from '../base-command.ts';
import { secondsOf } from '../duration.ts';
import { readKubernetesVersion } from '../kubernetes-version.ts';
import type { prepullFlags } from './prepull-flags.ts';

export type PrepullFlags = FlagsOf<{ readonly flags: typeof prepullFlags }>;

/** `kubectl win prepull` as it was typed, checked before anything is read. */
export interface PrepullRequest {
  /** jsonl: a line per item as it ends. */
  readonly format: OutputFormat | { readonly name: 'jsonl' };
  /** 0 to 1. */
  readonly minSuccess: number;
  /** File of an UpgradePlan whose images are meant; null for none. */
  readonly fromPlan: string | null;
  /** To be said of what is asked for. */
  readonly notes: readonly string[];
  readonly pulls: Pick<PrepullOptions, 'named' | 'from' | 'nodes' | 'nodeSelector' | 'pools' | 'skipsCordoned' | 'minFree' | 'readsPullSecrets' | 'kubernetesVersion'
    | 'isNamespaceGiven' | 'parallel' | 'retries' | 'timeoutSeconds' | 'serviceAccount' | 'pullSecrets' | 'copiedSecrets' | 'dryRun' | 'isDetached' | 'holdSeconds' | 'isKeptWarm' | 'engine' | 'watchesNodes'>;
}

const FORMATS: readonly string[] = [...OUTPUT_FORMATS, 'jsonl'].toSorted();

/** Reads the arguments and flags; throws UsageError for what does not fit together. */
export function readPrepullRequest(words: readonly string[], flags: PrepullFlags, readFile: ReadTextFile): PrepullRequest {
  refuseContradictions(words, flags);
  refuseWorkloads(words);
  // a recording does not tell of disks: nothing is asked of it by default
  const minFree = shareOf(flags['min-free'] ?? (flags.inventory.length > 0 ? '0%' : '15%'), 'min-free');
  return {
    format: flags.output === 'jsonl' ? { name: 'jsonl' } : parseOutputFormat(flags.output ?? '', readFile, FORMATS),
    minSuccess: shareOf(flags['min-success'], 'min-success'),
    fromPlan: flags['from-plan'] ?? null,
    notes: flags['keep-warm'] ? [] : shortTimeoutNotes(flags),
    pulls: {
      named: words,
      from: flags.from.map(targetOf),
      nodes: flags.node.map((name) => name.replace(/^nodes?\//, '')),
      nodeSelector: flags.selector,
      pools: flags.pool,
      skipsCordoned: flags['skip-cordoned'],
      minFree: minFree === 0 ? null : minFree,
      readsPullSecrets: flags['pull-secrets'],
      kubernetesVersion: readKubernetesVersion(flags['kubernetes-version']) ?? undefined,
      isNamespaceGiven: (flags.namespace ?? '') !== '',
      parallel: flags.parallel,
      retries: flags.retries,
      timeoutSeconds: secondsOf(flags.timeout, 'timeout'),
      serviceAccount: flags['service-account'] ?? null,
      pullSecrets: flags['pull-secret'].filter((text) => !text.includes('/')),
      copiedSecrets: flags['pull-secret'].filter((text) => text.includes('/')).map(secretPlaceOf),
      engine: flags.engine as 'jobs' | 'kruise', // `choices` let no other text through
      watchesNodes: flags['watch-nodes'],
      isDetached: flags.detach,
      isKeptWarm: flags['keep-warm'],
      ...(flags.hold === undefined ? {} : { holdSeconds: secondsOf(flags.hold, 'hold') }),
      dryRun: flags['dry-run'] as PrepullOptions['dryRun'], // `choices` let no other text through
    },
  };
}

/** What kubelets on Windows were given: https://github.com/openshift/windows-machine-config-bootstrapper/pull/270, read 2026-11-30 */
const USUAL_SECONDS = 30 * 60;

function shortTimeoutNotes({ timeout, engine }: PrepullFlags): readonly string[] {
  if (secondsOf(timeout, 'timeout') >= USUAL_SECONDS) return [];
  return [`--timeout=${timeout}: a pull that takes longer is ended${engine === 'kruise' ? '' : ', and not tried again'}; kubelets on Windows were given 30m for base images (https://github.com/openshift/windows-machine-config-bootstrapper/pull/270)`];
}

/** `15%` as 0.15. */
export function shareOf(text: string, flag: string): number {
  const percent = Number(/^(\d+(?:\.\d+)?)%$/.exec(text)?.[1] ?? Number.NaN);
  if (Number.isNaN(percent) || percent > 100) throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--${flag}" flag: must be a share from 0% to 100%`);
  return percent / 100;
}

function targetOf(text: string): WorkloadTarget {
  const [type = '', name = '', more] = text.split('/');
  if (type === '' || name === '' || more !== undefined) throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--from" flag: must be TYPE/NAME (e.g. deploy/web)`);
  return { type, name };
}

function secretPlaceOf(text: string): SecretPlace {
  const place = readSecretPlace(text);
  if (place === null) throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--pull-secret" flag: must be NAME or NAMESPACE/NAME`);
  return place;
}

/** `deploy/web` is what users of kubectl type, and would be looked for on Docker Hub. */
function refuseWorkloads(words: readonly string[]): void {
  if (words.includes('')) throw new UsageError('an image has no empty name');
  for (const word of words) {
    const [type = '', name = '', more] = word.split('/');
    if (more !== undefined || name === '' || /[:@]/.test(name) || builtInResource(type) === null) continue;
    throw new UsageError(`"${word}" names a workload, and arguments are images`, { suggestions: [`its images: kubectl win prepull --from ${word}`, `if the image of that name is meant: docker.io/${word}`] });
  }
}

function refuseContradictions(words: readonly string[], flags: PrepullFlags): void {
  const refuse = (condition: boolean, message: string, suggestions: readonly string[] = []): void => {
    if (condition) throw new UsageError(message, { suggestions });
  };
  const hasFiles = flags.filename.length > 0;
  const hasFrom = flags.from.length > 0;
  const hasPlan = flags['from-plan'] !== undefined;
  refuse(hasPlan && (words.length > 0 || hasFiles || hasFrom), `--from-plan takes the images of a plan; it cannot be used with ${words.length > 0 ? 'image arguments' : hasFiles ? '-f' : '--from'}`);
  refuse(flags['from-plan'] === '', '--from-plan needs the name of a file');
  refuse(hasFiles && words.length > 0, 'when paths, URLs, or stdin is provided as resource input, you may not specify image arguments as well');
  refuse(hasFrom && words.length > 0, '--from takes the images of workloads; it cannot be used with image arguments');
  refuse(hasFrom && hasFiles, '--from and -f cannot be used together: the images come from one of them');
  refuse(flags.output === 'jsonl' && flags['sort-by'] !== undefined, '-o jsonl prints items as they end; it cannot be used with --sort-by');
  refuse(flags.recursive && !hasFiles, '-R needs a folder in -f');
  refuse(words.length === 0 && !hasFiles && !hasFrom && !hasPlan, 'nothing to pull: give images, manifests with -f, or a workload with --from', ['kubectl win prepull --from deploy/web']);
  refuse(flags.inventory.length > 0 && flags['dry-run'] !== 'client', '--inventory can be planned for, and nothing be pulled onto its nodes', ['--dry-run=client shows the plan']);
  refuse(flags['from-plan'] === '-' && flags.inventory.includes('-'), '--from-plan - and --inventory - cannot be used together: standard input is read once');
  refuse(flags.filename.includes('-') && flags.inventory.includes('-'), '-f - and --inventory - cannot be used together: standard input is read once');
  for (const [flag, isGiven] of [['--detach', flags.detach], ['--hold', flags.hold !== undefined], ['--node', flags.node.length > 0]] as const) {
    refuse(flags['keep-warm'] && isGiven, `--keep-warm and ${flag} cannot be used together: ${flag === '--node' ? 'it is for nodes that will come, which labels select (-l, --pool)' : 'what it makes stands by itself, until it is removed'}`);
  }
  for (const [flag, isGiven] of [['--detach', flags.detach], ['--keep-warm', flags['keep-warm']], ['--engine=kruise', flags.engine === 'kruise']] as const) {
    refuse(flags['watch-nodes'] && isGiven, `--watch-nodes and ${flag} cannot be used together: it takes a run that this program follows`);
  }
  for (const [flag, isGiven] of [['--keep-warm', flags['keep-warm']], ['--hold', flags.hold !== undefined], ['--service-account', flags['service-account'] !== undefined]] as const) {
    refuse(flags.engine === 'kruise' && isGiven, `--engine=kruise and ${flag} cannot be used together: OpenKruise pulls without pods`);
  }
  const isCopied = flags['pull-secret'].some((text) => text.includes('/'));
  for (const [flag, isGiven] of [['--keep-warm', flags['keep-warm']], ['--engine=kruise', flags.engine === 'kruise']] as const) {
    refuse(isCopied && isGiven, `--pull-secret NAMESPACE/NAME and ${flag} cannot be used together: the copy goes with a run of this program`, ['put the secret into the namespace, and name it there: --pull-secret NAME']);
  }
  refuse(flags['as-of'] !== undefined && flags['dry-run'] !== 'client', '--as-of is for a plan: what is pulled is pulled now', ['--dry-run=client shows the plan']);
}
