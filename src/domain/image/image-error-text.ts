/** What the user sees where an image fails on a node: in the status of the container and the events of the pod. */
import type { ImageOnNode } from './image-on-node.ts';
import { canonicalImage } from './reference.ts';

/** container: one of the pod's. sandbox: the pause image, by which the whole pod fails. */
export type ImageRole = 'container' | 'sandbox';

export interface ImageErrorText {
  /** Reason of the waiting or terminated container, or of the event. */
  readonly reason: 'ErrImagePull' | 'StartError' | 'FailedCreatePodSandBox';
  /** A part of the message that is the same in all versions, to be searched for. */
  readonly message: string;
}

/** The Host Compute Service's, without what stands around it: the identifier of the container before, runtimes' additions after. */
const OTHER_BUILD = 'The container operating system does not match the host operating system.';

/**
 * All texts that may come; several where it is not known whether the image is refused at pull or at start, none where nothing fails or
 * the words are not known (an image for Linux, one without Windows).
 *
 * containerd's words at pull, with the name in full: Manifest of https://github.com/containerd/containerd/blob/v2.1.6/core/images/image.go,
 * https://github.com/containerd/containerd/blob/v2.1.6/internal/cri/server/images/image_pull.go; a real event:
 * https://github.com/containerd/containerd/issues/6989. The Host Compute Service's at start, as CRI hands it on:
 * https://github.com/containerd/containerd/pull/7856 and
 * https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility#choose-which-container-os-version-to-use.
 * Reasons: https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/images/types.go. Read 2026-11-30.
 */
export function imageErrorTexts(image: string, { failures }: Pick<ImageOnNode, 'failures'>, role: ImageRole = 'container'): readonly ImageErrorText[] {
  return failures.flatMap((failure): readonly ImageErrorText[] => {
    switch (failure) {
      case 'no-match': {
        const message = `failed to pull and unpack image "${canonicalImage(image) ?? image}": no match for platform in manifest`;
        return role === 'sandbox' ? [{ reason: 'FailedCreatePodSandBox', message: `failed to pull image "${canonicalImage(image) ?? image}": ${message}` }] : [{ reason: 'ErrImagePull', message }];
      }
      case 'other-build':
        return [{ reason: role === 'sandbox' ? 'FailedCreatePodSandBox' : 'StartError', message: OTHER_BUILD }];
      case 'other':
        return [];
    }
  });
}
