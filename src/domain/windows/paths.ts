/**
 * Paths as Windows, the kubelet and containerd take them: either slash separates, letters' case does not count, and a path
 * without a drive is one of C:.
 */

/** What the path of every named pipe starts with. */
const PIPE_PREFIX = '\\\\.\\pipe\\';

/**
 * Whether containerd takes it for a named pipe: it compares the text of the prefix, so forward slashes, doubled backslashes
 * and capitals make it a path like any other, and with forward slashes the kubelet has put C: before it. Inside of Windows
 * those spellings are one.
 * https://github.com/containerd/containerd/blob/main/internal/cri/opts/spec_windows_opts.go, read 2026-11-30
 */
export function isNamedPipe(path: string): boolean {
  return path.startsWith(PIPE_PREFIX);
}

/** The named pipe that a path is to be which is none as it is spelled: `//./pipe/x`, `\\\\.\\pipe\\x`, `npipe:////./pipe/x`; otherwise null. */
export function misspeltPipe(path: string): string | null {
  const name = /^(?:npipe:[\\/]{2})?[\\/]{2,4}\.[\\/]+pipe[\\/]+(?<name>[^\\/].*)$/i.exec(path)?.groups?.['name'];
  if (name === undefined) return null;
  const pipe = `${PIPE_PREFIX}${name.replaceAll(/\\+/g, '\\')}`;
  return pipe === path ? null : pipe;
}

/** Whether it starts at a drive or at the root of C:; pipes and network paths do as well. `C:data` starts at the drive's current folder and does not. */
export function isAbsoluteWindowsPath(path: string): boolean {
  return /^(?:[a-z]:)?[\\/]/i.test(path) || /^[a-z]:$/i.test(path);
}

/** Whether a backslash stands twice within it, as in `C:\\data` where YAML keeps both. The two that start a pipe or a network path do not count. */
export function hasDoubledBackslash(path: string): boolean {
  return /^\\{3}|[^\\]\\{2}/.test(path);
}

/**
 * The path as a Windows container gets it: backslashes, one between two names, `.` and `..` resolved, with a drive. Without
 * one it is C:, as the kubelet and containerd put it, also with two forward slashes at its start: only backslashes make a
 * network path. Pipes stay as they are.
 */
export function windowsPathOf(path: string): string {
  if (isNamedPipe(path)) return path;
  const isNetworkPath = /^\\{2}[^\\/.]/.test(path);
  const drive = /^[a-z]:/i.exec(path)?.[0] ?? (isNetworkPath ? '\\' : 'C:');
  const names: string[] = [];
  for (const name of path.replace(/^[a-z]:/i, '').split(/[\\/]+/)) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return `${drive}\\${names.join('\\')}`;
}

/** Equal for paths that are one place for Windows. */
export function windowsPathKey(path: string): string {
  return windowsPathOf(path).toLowerCase();
}
