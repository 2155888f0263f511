import type { CopyOptions } from '../../app/copy-files.ts';
import { readCopyPlace, type CopyPlace } from '../../domain/hostprocess/copy/copy-place.ts';
import { UsageError } from '../../errors.ts';
import { parseOutputFormat, type OutputFormat, type ReadTextFile } from '../../output/print.ts';
import type { FlagsOf } from '../base-command.ts';
import { secondsOf } from '../duration.ts';
import type { copyFlags } from './copy-flags.ts';
import { readPodRequest, readRunRequest, refuseUnclearRun, type PodRequest } from './run-request.ts';

export type CopyFlags = FlagsOf<{ readonly flags: typeof copyFlags }>;

/** `kubectl win hostprocess cp` as it was typed, checked before anything is read. */
export interface CopyCommandLine {
  readonly format: OutputFormat;
  readonly reason: string | null;
  readonly pod: PodRequest;
  readonly places: Pick<CopyOptions, 'direction' | 'remote' | 'localPath' | 'isInto'>;
  readonly run: Pick<CopyOptions, 'anchor' | 'startTimeoutSeconds' | 'timeoutSeconds' | 'dryRun' | 'kubernetesVersion'>;
}

const FORMS = ['kubectl win hostprocess cp NODE:PATH LOCAL', 'kubectl win hostprocess cp LOCAL NODE:PATH'];

/** Reads the arguments and flags; throws UsageError for what does not fit together. */
export function readCopyRequest(words: readonly string[], flags: CopyFlags, readFile: ReadTextFile, platform: string): CopyCommandLine {
  const [source, destination, ...rest] = words;
  if (source === undefined || destination === undefined || rest.length > 0) throw new UsageError(`cp takes a source and a destination, and ${words.length} ${words.length === 1 ? 'path is' : 'paths are'} given`, { suggestions: FORMS });
  const alone = { ...flags, parallel: 1, 'batch-size': 0, 'batch-pause': undefined, 'max-failures': undefined, via: 'exec' };
  refuseUnclearRun(alone);
  const { anchor, startTimeoutSeconds, dryRun, kubernetesVersion } = readRunRequest(alone);
  return {
    places: placesOf(placeOf(source, platform), placeOf(destination, platform), platform), format: parseOutputFormat(flags.output ?? '', readFile), reason: flags.reason ?? null, pod: readPodRequest(flags),
    run: { anchor, startTimeoutSeconds, timeoutSeconds: secondsOf(flags.timeout, 'timeout'), dryRun, kubernetesVersion },
  };
}

function placeOf(text: string, platform: string): CopyPlace {
  const place = readCopyPlace(text, platform);
  if (typeof place === 'string') throw new UsageError(place, { suggestions: FORMS });
  return place;
}

function placesOf(source: CopyPlace, destination: CopyPlace, platform: string): CopyCommandLine['places'] {
  if (source.side === 'local' && destination.side === 'node') return { direction: 'upload', remote: destination, localPath: source.path, isInto: false };
  if (source.side === 'node' && destination.side === 'local') return { direction: 'download', remote: source, localPath: destination.path, isInto: isFolderName(destination.path, platform) };
  throw new UsageError(source.side === 'node' ? 'source and destination are on nodes: a copy goes through this machine, in two steps' : 'neither path is on a node: write NODE:PATH for one', { suggestions: FORMS });
}

/** It ends with a separator, or is . or .. */
function isFolderName(path: string, platform: string): boolean {
  return (platform === 'win32' ? /(?:^|[\\/:])\.{0,2}$/ : /(?:^|\/)\.{0,2}$/).test(path);
}
