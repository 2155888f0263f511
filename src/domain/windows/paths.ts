/**
 * Paths as Windows, the kubelet and containerd take them: either slash separates, letters' case does not count, and a path
 * without a drive is one of C:.
 */

/** `\\.\pipe\docker_engine`, also with forward slashes. containerd takes no other spelling of the prefix than this one. */
export function isNamedPipe(path: string): boolean {
  return /^[\\/]{2}\.[\\/]pipe[\\/]/i.test(path);
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
 * one it is C:, as the kubelet and containerd put it. Pipes stay as they are but for their slashes.
 * https://github.com/containerd/containerd/blob/main/internal/cri/opts/spec_windows_opts.go, read 2026-11-30
 */
export function windowsPathOf(path: string): string {
  if (isNamedPipe(path)) return path.replaceAll('/', '\\');
  const isNetworkPath = /^[\\/]{2}[^\\/.]/.test(path);
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
