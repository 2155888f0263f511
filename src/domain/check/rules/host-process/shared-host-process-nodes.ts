/** How the nodes that a HostProcess pod can land on run it. */
import type { WindowsNode } from '../../../node/windows-node.ts';
import type { WorkloadSubject } from '../../rule.ts';

/** Windows nodes that the pod can land on; null when nodes are not known. */
export function windowsNodesOf({ placement }: WorkloadSubject): readonly WindowsNode[] | null {
  return placement?.windowsCandidates ?? null;
}

/** `C:\Var\Log\` and `/var/log` as one text: `/var/log`; null for a path on another drive or a relative one. */
export function pathOnSystemDrive(path: string): string | null {
  const slashed = path.replaceAll('\\', '/').replace(/\/+/g, '/');
  const withoutDrive = slashed.replace(/^c:/i, '');
  if (/^[a-z]:/i.test(withoutDrive)) return null;
  if (!withoutDrive.startsWith('/') && withoutDrive === slashed) return null;
  const rooted = withoutDrive.startsWith('/') ? withoutDrive : `/${withoutDrive}`;
  return rooted.length > 1 ? rooted.replace(/\/$/, '').toLowerCase() : rooted;
}
