import type { WindowsNode } from './windows-node.ts';

/** `20348.5499`; the build alone where the revision is not known, null where the build is not. */
export function buildText({ build, revision }: Pick<WindowsNode, 'build' | 'revision'>): string | null {
  if (build === null) return null;
  return revision === null ? String(build) : `${build}.${revision}`;
}
