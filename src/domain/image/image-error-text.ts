/** What the user sees where an image fails on a node: in the status of the container and the events of the pod. */
import type { ImageOnNode } from './image-on-node.ts';

/** container: one of the pod's. sandbox: the pause image, by which the whole pod fails. */
export type ImageRole = 'container' | 'sandbox';

export interface ImageErrorText {
  /** Reason of the waiting or terminated container, or of the event: `ErrImagePull`. */
  readonly reason: 'ErrImagePull' | 'StartError' | 'FailedCreatePodSandBox';
  /** The part of the message that is always the same, to be searched for. */
  readonly message: string;
}

/**
 * containerd's words at pull (https://github.com/containerd/containerd/blob/v2.1.6/core/images/image.go, Manifest, with the prefix of
 * https://github.com/containerd/containerd/blob/v2.1.6/client/pull.go; a real event: https://github.com/containerd/containerd/issues/6989),
 * the Host Compute Service's at start
 * (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility#choose-which-container-os-version-to-use);
 * reasons: https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/images/types.go. Read 2026-11-30.
 * null where nothing is known to fail.
 */
export function imageErrorText(image: string, { outcome }: Pick<ImageOnNode, 'outcome'>, role: ImageRole = 'container'): ImageErrorText | null {
  if (outcome === 'fails-at-pull') {
    const message = `failed to pull and unpack image "${image}": no match for platform in manifest`;
    return role === 'sandbox' ? { reason: 'FailedCreatePodSandBox', message: `failed to get sandbox image "${image}": ${message}` } : { reason: 'ErrImagePull', message };
  }
  if (outcome === 'fails-at-start') {
    return { reason: role === 'sandbox' ? 'FailedCreatePodSandBox' : 'StartError', message: 'hcs::CreateComputeSystem: The container operating system does not match the host operating system. (0xc0370101)' };
  }
  return null;
}
