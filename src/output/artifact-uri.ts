/** Names of files as reports for other programs have them. */

export interface ArtifactUri {
  readonly uri: string;
  /** Whether it is relative to the folder in which the program ran. */
  readonly isRelative: boolean;
}

/** The file relative to `root` where it is below it, with slashes; else as it was named. */
export function relativePath(file: string, root: string | null): string {
  const path = withSlashes(file);
  if (isUrl(path)) return path;
  const folder = root === null ? null : withSlashes(root).replace(/\/+$/, '');
  const below = folder !== null && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
  return below.replace(/^(\.\/+)+/, '');
}

/** RFC 3986 reference of a file, percent-encoded segment by segment, so that a name may hold `#`, `?`, blanks and any letter. */
export function artifactUri(file: string, root: string | null): ArtifactUri {
  const path = relativePath(file, root);
  if (isUrl(path)) return { uri: encodeURI(path.toWellFormed()).replaceAll('%25', '%'), isRelative: false };
  const encoded = path.toWellFormed().split('/').map((segment) => encodeURIComponent(segment)).join('/');
  if (path.startsWith('/')) return { uri: `file://${encoded}`, isRelative: false };
  // `C:/deploy/web.yaml`
  if (/^[A-Za-z]:\//.test(path)) return { uri: `file:///${path.slice(0, 2)}${encoded.slice(encoded.indexOf('/'))}`, isRelative: false };
  return { uri: encoded, isRelative: true };
}

function isUrl(text: string): boolean {
  return /^https?:\/\//i.test(text);
}

/** Backslashes part folders on Windows only; there a path has a drive or no slash at all. */
function withSlashes(path: string): string {
  return /^[A-Za-z]:\\/.test(path) || (path.includes('\\') && !path.includes('/')) ? path.replaceAll('\\', '/') : path;
}
