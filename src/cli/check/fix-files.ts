import { fixManifests, NOT_SAFE, type FixableFinding, type FixedFile } from '../../app/fix-manifests.ts';
import { ANOTHER_FIX } from '../../domain/check/fix/merge-fixes.ts';
import { formatFieldPath } from '../../domain/kubernetes/field-path.ts';
import { refText } from '../../domain/kubernetes/object-ref.ts';
import { InputError } from '../../errors.ts';
import { counted } from '../../output/counted.ts';
import { unifiedDiff } from '../../output/diff.ts';
import { visibleControls, visibleControlsInText } from '../../output/terminal-text.ts';
import { writeOut } from '../../output/write-out.ts';
import { isColourAllowed } from '../warnings.ts';
import type { CheckCommand } from './print-check.ts';
import type { CheckRequest } from './check-request.ts';

/** Whether files were changed, and whether one could not be mended. */
export interface FixedFiles {
  readonly hasChanged: boolean;
  readonly hasFailed: boolean;
}

/** Fixes the files of findings and says what was done: the diff goes to stdout for a dry run, else to stderr. `said`: what earlier rounds have told already. */
export async function fixFiles(command: CheckCommand, fix: NonNullable<CheckRequest['fix']>, findings: readonly FixableFinding[], said = new Set<string>()): Promise<FixedFiles> {
  const editor = await command.context.ports.openManifestEditor();
  let written = 0;
  const onFile = ({ isWritten }: FixedFile): void => { written += Number(isWritten); };
  const files = await fixManifests(findings, { ...fix, signal: command.signal, onFile }, { editor }).catch((error: unknown) => {
    if (written > 0) command.note(`${counted(written, 'file')} mended, each whole; the others are as they were`);
    throw error;
  });
  const stream = fix.isDryRun ? command.stdout : command.stderr;
  const colour = isColourAllowed(stream, command.context);
  for (const { file, before, after } of files) {
    const diff = unifiedDiff(file, before, after, { colour });
    await writeOut(stream, colour || stream.isTTY !== true ? diff : [...diff].map(visibleControlsInText));
  }
  for (const file of files) noteFile(command, file, fix.isDryRun, said);
  const problems = files.filter(({ problem }) => problem !== null);
  for (const { file, problem } of problems) command.report(new InputError({ file }, `not mended: ${(problem ?? '').replace(`${file}: `, '')}`));
  return { hasChanged: files.some(({ isWritten }) => isWritten), hasFailed: problems.length > 0 };
}

function noteFile(command: CheckCommand, { file, before, after, applied, refused, note, problem }: FixedFile, isDryRun: boolean, said: Set<string>): void {
  const isNew = (text: string): boolean => said.size < said.add(`${file}: ${text}`).size;
  const unsafe = refused.filter(({ reason }) => reason === NOT_SAFE);
  const left = `${unsafe.length} left: mending ${unsafe.length === 1 ? 'it' : 'them'} can change what a working pod does (--fix=all does it)`;
  const parts = [
    ...(applied.length > 0 ? [`${counted(applied.length, 'finding')} ${isDryRun ? 'would be mended' : 'mended'}`] : []),
    ...(unsafe.length > 0 && isNew(left) ? [left] : []),
  ];
  const tell = (text: string): void => command.note(`${visibleControls(file)}: ${text}`);
  if (parts.length > 0) tell(parts.join('; '));
  if (note !== null) tell(note);
  // said once, as the error that it is
  for (const { finding, reason } of problem === null ? refused : []) {
    // what another fix stands in the way of is looked at again once that one is done
    if (reason === NOT_SAFE || (before !== after && reason.startsWith(ANOTHER_FIX))) continue;
    const text = `${finding.rule} at ${formatFieldPath(finding.path)}${finding.object.name === '' ? '' : ` of ${refText(finding.object)}`} not mended: ${reason}`;
    if (isNew(text)) tell(visibleControls(text));
  }
}
