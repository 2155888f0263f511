import type { NodeIssueKind } from './node-issue-kind.ts';

/** Neither the kernel version nor the label tells the build. */
export const buildUnknown = {
  id: 'build-unknown',
  facts: [],
  severity: 'info',
  reference: 'https://kubernetes.io/docs/concepts/windows/intro/#windows-os-version-support',
  check({ node }) {
    if (node.build !== null) return null;
    return {
      message: `the Windows build is unknown: ${kernelText(node.kernelVersion)}${node.osImage === null ? '' : `; osImage says "${node.osImage}", which is no proof (version 23H2 says 2022 too)`}`,
      remedy: 'look at the node itself: cmd /c ver prints its build',
    };
  },
} as const satisfies NodeIssueKind;

function kernelText(kernelVersion: string | null): string {
  if (kernelVersion === null) return 'the node reports no kernelVersion';
  // Kubelets before 1.9.x asked an API that answers 6.2 to programs without a manifest.
  // https://github.com/Azure/acs-engine/issues/2094, read 2026-11-30
  if (kernelVersion.startsWith('6.2.')) return `kernelVersion ${kernelVersion} is an artefact of kubelets before 1.9.x`;
  return `kernelVersion "${kernelVersion}" is not of the form 10.0.BUILD.REVISION`;
}
