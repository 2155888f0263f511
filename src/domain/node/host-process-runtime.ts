/** How a node's runtime runs HostProcess containers. */
import { compareContainerdVersions, parseContainerdVersion } from '../windows/containerd.ts';
import type { WindowsNode } from './windows-node.ts';

/** Whether a node's containerd is older than a release; null when it is not known or another runtime. */
export function isContainerdBefore(node: WindowsNode, major: number, minor: number): boolean | null {
  if (node.containerRuntime?.name !== 'containerd') return null;
  const version = parseContainerdVersion(node.containerRuntime.version);
  return version === null ? null : compareContainerdVersions(version, { major, minor, patch: 0, preRelease: null }) < 0;
}

/**
 * Whether a node binds the container's files to C:\hpc and its mounts to their mountPath (hcsshim with bindfltapi.dll on the
 * host), and runs its command through `cmd /c`; null when build or containerd are not known.
 * https://github.com/microsoft/hcsshim/tree/v0.11.7/internal/jobcontainers (jobcontainer.go, mounts.go), read 2026-11-30:
 * containerd 1.6 has no such code, Windows Server 2019 no such DLL.
 */
export function bindsHostPaths(node: WindowsNode): boolean | null {
  const isOld = isContainerdBefore(node, 1, 7);
  if (isOld === true || (node.build !== null && node.build < 20348)) return false;
  return isOld === null || node.build === null ? null : true;
}
