/** Names and paths of both sides of a copy: which of them can be, and which would leave the folder that is copied into. */

/** Behind the name of a file that has not arrived as a whole. */
export const PART_SUFFIX = '.kubectl-win-part';

/** A name in a problem: what could steer a terminal is shown when it is printed. */
const MOST_UNITS = 255;

/**
 * Devices, whatever stands behind a point: https://learn.microsoft.com/windows/win32/fileio/naming-a-file, read 2026-11-30; the
 * superscript digits count as digits there, and CONIN$ and CONOUT$ are consoles.
 */
const RESERVED = /^(?:CON|PRN|AUX|NUL|COM[0-9¹²³]|LPT[0-9¹²³]|CONIN\$|CONOUT\$)$/i;
// oxlint-disable-next-line no-control-regex -- those are what Windows refuses
const FORBIDDEN = /[\u0000-\u001f<>:"|?*\\/]/;

/** Why a file on a node cannot have this name, as a clause; null where it can. */
export function windowsNameProblem(name: string): string | null {
  const problem = pathPartProblem(name);
  if (problem !== null) return problem;
  const [forbidden] = FORBIDDEN.exec(name) ?? [];
  if (forbidden === ':') return 'it has a colon, which names a stream of a file on Windows';
  if (forbidden !== undefined) return forbidden < ' ' ? 'it has a control character' : `it has a ${forbidden}, which no name on Windows can have`;
  if (/[. ]$/.test(name)) return 'Windows drops the point or blank at its end';
  if (RESERVED.test((name.split('.')[0] ?? '').trimEnd())) return 'it names a device on Windows';
  if (name.length > MOST_UNITS - PART_SUFFIX.length) return `it is longer than ${MOST_UNITS - PART_SUFFIX.length} characters`;
  return /\p{Surrogate}/u.test(name) ? 'it is no text' : null;
}

/** Why a name that a node gave cannot stand in a folder here, as a clause; null where it can. */
export function localNameProblem(name: string, platform: string): string | null {
  if (platform === 'win32') return windowsNameProblem(name);
  const problem = pathPartProblem(name);
  if (problem !== null) return problem;
  if (name.includes('/')) return 'it has a slash';
  // oxlint-disable-next-line no-control-regex -- no file of Windows has them, and a terminal that lists these would obey them
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'it has a control character';
  // on a node it separates; here it would not, and be another file than the one that was meant
  if (name.includes('\\')) return 'it has a backslash';
  return new TextEncoder().encode(name).length > MOST_UNITS - PART_SUFFIX.length ? `it is longer than ${MOST_UNITS - PART_SUFFIX.length} bytes` : null;
}

function pathPartProblem(name: string): string | null {
  if (name === '') return 'it is empty';
  return name === '.' || name === '..' ? 'it leads out of its folder' : null;
}

/**
 * A path below the root of a copy as its parts, by the problem that `problemOf` finds in one of them; an empty path is the root itself.
 * `separator`: that of the side that gave it.
 */
export function readRelativePath(path: string, separator: '/' | '\\', problemOf: (name: string) => string | null): { readonly parts: readonly string[] } | { readonly problem: string } {
  if (path === '') return { parts: [] };
  const parts = path.split(separator);
  for (const part of parts) {
    const problem = problemOf(part);
    if (problem !== null) return { problem: parts.length === 1 ? problem : `${JSON.stringify(part)}: ${problem}` };
  }
  return { parts };
}

export interface NodePath {
  /** With backslashes and without one at its end, but for the root of a drive. */
  readonly path: string;
  /** It ends like a folder, so that a copy goes into it under the name that it has. */
  readonly isFolder: boolean;
  /** '' for the root of a drive. */
  readonly name: string;
}

/** A path on a node as people type it; what is wrong with it as a sentence without a full stop. */
export function readNodePath(text: string): NodePath | string {
  const slashes = text.replaceAll('/', '\\');
  const shown = JSON.stringify(text);
  if (slashes.startsWith('\\\\')) return `${shown} is a share or a device: a path on a node begins with its drive, as in C:\\Windows\\Temp`;
  const drive = /^([A-Za-z]):\\/.exec(slashes)?.[1];
  if (drive === undefined) return `${shown} is no full path on a node: it begins with its drive, as in C:\\Windows\\Temp`;
  const rest = slashes.slice(3).split('\\').filter((part) => part !== '' && part !== '.');
  for (const part of rest) {
    if (part === '..') return `${shown} leads upwards by ..`;
    const problem = windowsNameProblem(part);
    if (problem !== null) return `${shown} cannot be on a node: ${JSON.stringify(part)}: ${problem}`;
  }
  return { path: [`${drive.toUpperCase()}:`, ...(rest.length === 0 ? [''] : rest)].join('\\'), isFolder: rest.length === 0 || /\\\.?$/.test(slashes), name: rest.at(-1) ?? '' };
}

/** Below a folder on a node. */
export function joinNodePath(folder: string, ...parts: readonly string[]): string {
  return [folder.replace(/\\$/, ''), ...parts].join('\\');
}

/**
 * Paths that would meet another one on a file system that does not mind case, each with the one that it meets, which comes first. `/` separates.
 * Case as NTFS has it: character by character, so that ß stays.
 */
export function caseClashes(paths: readonly string[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  const clashes = new Map<string, string>();
  for (const path of paths) {
    const folded = foldCase(path);
    const other = first.get(folded);
    if (other === undefined) first.set(folded, path);
    else if (other !== path) clashes.set(path, other);
  }
  return clashes;
}

function foldCase(text: string): string {
  return Array.from(text, (character) => {
    const upper = character.toUpperCase();
    return upper.length === character.length ? upper : character;
  }).join('');
}
