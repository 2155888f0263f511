import type { WindowsNode } from './windows-node.ts';

/** `containerd://2.0.4+azure`, as the node writes it; null where the runtime is not known. */
export function runtimeText({ containerRuntime }: Pick<WindowsNode, 'containerRuntime'>): string | null {
  return containerRuntime === null ? null : `${containerRuntime.name}://${containerRuntime.version}`;
}
