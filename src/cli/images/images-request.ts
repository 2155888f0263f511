import type { ListImagesOptions } from '../../app/list-images.ts';
import { builtInResource } from '../../domain/kubernetes/resource-names.ts';
import { UsageError } from '../../errors.ts';
import { sortItems } from '../../output/sort-by.ts';
import { IMAGE_WITH_ALL_FIELDS, imageDocument } from '../../output/views/image-document.ts';
import { imageColumns } from '../../output/views/images.ts';
import { parseOutputFormat, type OutputFormat, type ReadTextFile } from '../../output/print.ts';
import type { FlagsOf } from '../base-command.ts';
import { parseDuration } from '../duration.ts';
import { readKubernetesVersion } from '../kubernetes-version.ts';
import type { Settings } from '../settings.ts';
import type { imagesFlags } from './images-flags.ts';

export type ImagesFlags = FlagsOf<{ readonly flags: typeof imagesFlags }>;

/** `kubectl win images` as it was typed, checked before anything is read. */
export interface ImagesRequest {
  readonly format: OutputFormat;
  readonly failOn: 'none' | 'fail' | 'unknown';
  /** --problems */
  readonly onlyProblems: boolean;
  /** Header of a column, or a path; '' for the order of the report. */
  readonly sortBy: string;
  readonly list: Pick<ListImagesOptions, 'named' | 'pullNamespace' | 'pullSecrets' | 'allOs' | 'sandbox' | 'looksUpAll' | 'sizes' | 'scope' | 'chunkSize' | 'kubernetesVersion' | 'goesOnWithoutCluster' | 'silenceSeconds'>;
}

/** Formats that show no sizes but those at hand; the others have columns or fields for them. */
const WITHOUT_SIZES: ReadonlySet<OutputFormat['name']> = new Set(['table', 'markdown', 'name']);

/** How long an API server may say nothing of nodes that are an extra, in seconds. */
const SILENCE_SECONDS = 10;

/** Reads the arguments and flags; throws UsageError for what does not fit together. */
export function readImagesRequest(words: readonly string[], flags: ImagesFlags, settings: Pick<Settings, 'images'>, readFile: ReadTextFile): ImagesRequest {
  refuseContradictions(words, flags);
  refuseWorkloads(words);
  const format = parseOutputFormat(flags.output ?? '', readFile);
  const namespace = flags.namespace === undefined || flags.namespace === '' ? undefined : flags.namespace;
  const sortBy = /^fails$/i.test(flags['sort-by'] ?? '') ? 'FAILS-WHERE-USED' : flags['sort-by'] ?? '';
  refuseUnknownOrder(sortBy);
  const isSortedBySize = /size/i.test(sortBy);
  return {
    format,
    failOn: flags['fail-on'] as ImagesRequest['failOn'], // `choices` let no other text through
    onlyProblems: flags.problems,
    sortBy,
    list: {
      named: words,
      pullNamespace: namespace ?? null,
      pullSecrets: flags['pull-secrets'],
      allOs: flags['all-os'],
      sandbox: flags.sandbox,
      looksUpAll: (flags.images ?? settings.images) === 'registry',
      sizes: isSortedBySize || !WITHOUT_SIZES.has(format.name),
      scope: { namespace: flags['all-namespaces'] ? null : namespace, labelSelector: flags.selector, targets: [], customResources: 'known' },
      chunkSize: flags['chunk-size'],
      kubernetesVersion: readKubernetesVersion(flags['kubernetes-version']) ?? undefined,
      // a recording that is asked for has to be written, and a file that is named has to be read
      goesOnWithoutCluster: words.length > 0 && flags.inventory.length === 0 && flags.save === undefined,
      silenceSeconds: (parseDuration(flags['request-timeout']) ?? 0) / 1000 || SILENCE_SECONDS,
    },
  };
}

/** Before anything is read, and where nothing is found to sort; what a filter finds hangs on the images. */
function refuseUnknownOrder(sortBy: string): void {
  if (sortBy === '' || sortBy.includes('[?')) return;
  sortItems([IMAGE_WITH_ALL_FIELDS], sortBy, imageColumns([]), imageDocument);
}

/** `deploy/web` is what users of check and kubectl type, and would be looked for on Docker Hub. */
function refuseWorkloads(words: readonly string[]): void {
  if (words.includes('')) throw new UsageError('an image has no empty name');
  for (const word of words) {
    const [type = '', name = '', more] = word.split('/');
    if (more !== undefined || name === '' || /[:@]/.test(name) || builtInResource(type) === null) continue;
    throw new UsageError(`"${word}" names a workload, and kubectl win images takes images`, {
      suggestions: [`kubectl get ${word} -o yaml | kubectl win images -f - --live`, `if the image of that name is meant: docker.io/${word}`],
    });
  }
}

function refuseContradictions(words: readonly string[], flags: ImagesFlags): void {
  const refuse = (condition: boolean, message: string): void => {
    if (condition) throw new UsageError(message);
  };
  const hasFiles = flags.filename.length > 0;
  const hasSelector = (flags.selector ?? '') !== '';
  refuse(hasFiles && words.length > 0, 'when paths, URLs, or stdin is provided as resource input, you may not specify image arguments as well');
  refuse(words.length > 0 && hasSelector, '-l selects workloads; it cannot be used with image arguments');
  refuse(words.length > 0 && flags['all-namespaces'], '-A is for workloads; it cannot be used with image arguments');
  refuse(words.length > 0 && flags['all-os'], '--all-os is for workloads; images that are named are shown whatever they are for');
  refuse(words.length > 0 && flags.sandbox, '--sandbox shows the sandbox images of nodes; it cannot be used with image arguments');
  refuse(words.length > 0 && flags.live, '--live is for -f; the nodes of the cluster are looked at anyway');
  refuse(hasFiles && hasSelector, '-l selects objects of a cluster; it cannot be used with -f');
  refuse(hasFiles && flags['all-namespaces'], '-A is for objects of a cluster; it cannot be used with -f');
  refuse(flags.recursive && !hasFiles, '-R needs a folder in -f');
  refuse(flags.live && !hasFiles, '--live says what the manifests of -f are judged against; without -f the cluster is looked at anyway');
  refuse(flags.live && flags.inventory.length > 0, '--live and --inventory cannot be used together: judge against one of them');
  refuse(flags.save !== undefined && hasFiles && !flags.live, '--save needs a cluster to save from');
  refuse(flags.save !== undefined && flags.inventory.length > 0, '--save and --inventory cannot be used together: there is no cluster to save from');
  refuse(flags.filename.includes('-') && flags.inventory.includes('-'), '-f - and --inventory - cannot be used together: standard input is read once');
}
