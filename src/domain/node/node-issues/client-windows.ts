import type { NodeIssueKind } from './node-issue-kind.ts';

/** Windows 10 or 11 as a node. */
export const clientWindows = {
  id: 'client-windows',
  facts: [],
  severity: 'warning',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#windows-os-version-support',
  check({ node }) {
    if (node.channel !== 'client') return null;
    const known = node.build !== null && failsOnClient(node.build, LTSC2025_BUILD) ? '; ltsc2025 images are known to fail there with 0xc0370112 (https://github.com/microsoft/hcsshim/issues/2566)' : '';
    return { message: `${node.product} is a client: untested and unsupported as a Kubernetes node${known}`, remedy: 'use Windows Server for anything but development' };
  },
} as const satisfies NodeIssueKind;

const LTSC2025_BUILD = 26100;

/**
 * Whether images of a build are known to fail on a client although the build rule takes them: those of Windows Server
 * 2025 on Windows 11, version 25H2 and newer ("Both process and hyperv fail … LTSC 2022 works fine":
 * https://github.com/microsoft/hcsshim/issues/2566, open on 2026-11-30).
 */
export function failsOnClient(hostBuild: number, imageBuild: number): boolean {
  return hostBuild > LTSC2025_BUILD && imageBuild === LTSC2025_BUILD;
}
