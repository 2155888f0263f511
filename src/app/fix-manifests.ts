/** `check --fix`: the fixes of findings, done in the files that they were found in. */
import type { Finding, Fix } from '../domain/check/finding.ts';
import { areEqualValues } from '../domain/check/fix/equal-values.ts';
import { refOf } from '../domain/kubernetes/object-ref.ts';
import type { KubeObject } from '../domain/kubernetes/object.ts';
import { AppError } from '../errors.ts';
import type { ManifestEditor } from './ports.ts';

/** A finding in an object of a file. The object is the one that was read: findings on one share it. */
export interface FixableFinding {
  readonly file: string;
  readonly object: KubeObject;
  readonly finding: Finding;
}

export interface FixManifestsOptions {
  /** Fixes that can change what a working pod does, too. */
  readonly includeUnsafe: boolean;
  /** Nothing is written. */
  readonly isDryRun: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called with each file when it is done: what has happened so far where the signal aborts. */
  readonly onFile?: ((file: FixedFile) => void) | undefined;
}

export interface RefusedFinding {
  readonly finding: Finding;
  /** A few words without a full stop. */
  readonly reason: string;
}

export interface FixedFile {
  readonly file: string;
  readonly before: string;
  /** The same as `before` where nothing could be done. */
  readonly after: string;
  readonly applied: readonly Finding[];
  /** Fixes that were left out; findings without a fix are in neither list. */
  readonly refused: readonly RefusedFinding[];
  /** Whether the file was written. Standard input never is: its fixed text is `after`. */
  readonly isWritten: boolean;
  /** What the user should know of how it was written, without a full stop. */
  readonly note: string | null;
  /** Why the file could not be read or written; then it is as it was. */
  readonly problem: string | null;
}

/** Why a fix is left out that is not safe and was not asked for. */
export const NOT_SAFE = 'it can change what a working pod does';

interface WantedFix extends Fix {
  readonly finding: Finding;
}

/**
 * Fixes the files one after the other, in the order of their first finding; each is written whole or not at all, and a file that
 * cannot be does not keep the others from it. Files without a fix are not read. Throws when the signal aborts, between files.
 */
export async function fixManifests(findings: readonly FixableFinding[], options: FixManifestsOptions, { editor }: { readonly editor: ManifestEditor }): Promise<readonly FixedFile[]> {
  const files: FixedFile[] = [];
  for (const [file, ofFile] of Map.groupBy(findings.filter(({ finding }) => finding.fix !== null), (one) => one.file)) {
    options.signal?.throwIfAborted();
    const fixed = await fixFile(file, ofFile, options, editor);
    files.push(fixed);
    options.onFile?.(fixed);
  }
  return files;
}

async function fixFile(file: string, findings: readonly FixableFinding[], options: FixManifestsOptions, editor: ManifestEditor): Promise<FixedFile> {
  const refused: RefusedFinding[] = [];
  const wanted = new Map<KubeObject, WantedFix[]>();
  for (const { object, finding } of findings) {
    if (finding.fix === null) continue;
    if (!finding.fix.isSafe && !options.includeUnsafe) refused.push({ finding, reason: NOT_SAFE });
    else if (!areEqualValues(finding.object, refOf(object))) refused.push({ finding, reason: 'it is about another object' });
    else wanted.set(object, [...(wanted.get(object) ?? []), { ...finding.fix, finding }]);
  }
  const failed = (problem: string, before = ''): FixedFile => ({
    file, before, after: before, applied: [], isWritten: false, note: null, problem,
    refused: [...refused, ...[...wanted.values()].flat().map(({ finding }) => ({ finding, reason: problem }))],
  });
  if (wanted.size === 0) return { file, before: '', after: '', applied: [], refused, isWritten: false, note: null, problem: null };
  let before = '';
  try {
    const manifest = await editor.open(file, options.signal);
    before = manifest.text;
    const edited = await manifest.edit([...wanted].map(([object, fixes]) => ({ object, fixes })));
    const isWritten = edited.text !== before && manifest.isWritable && !options.isDryRun;
    let note: string | null = null;
    if (isWritten) {
      options.signal?.throwIfAborted();
      note = await manifest.write(edited.text);
    }
    return {
      file, before, after: edited.text, isWritten, note, problem: null,
      applied: edited.applied.map(({ finding }) => finding),
      refused: [...refused, ...edited.refused.map(({ fix, reason }) => ({ finding: fix.finding, reason }))],
    };
  } catch (error) {
    if (!(error instanceof AppError) || options.signal?.aborted === true) throw error;
    return failed(error.message, before);
  }
}
