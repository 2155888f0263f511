/** Every kind of node issue, in the order in which equals are shown. */
import { autoscalerCandidate } from './autoscaler-candidate.ts';
import { buildLabelDiffers } from './build-label-differs.ts';
import { buildLabelMissing } from './build-label-missing.ts';
import { buildNotInTable } from './build-not-in-table.ts';
import { buildUnknown } from './build-unknown.ts';
import { clientWindows } from './client-windows.ts';
import { cloudUninitialized } from './cloud-uninitialized.ts';
import { diskPressureUnproven } from './disk-pressure-unproven.ts';
import { evaluationEdition } from './evaluation-edition.ts';
import { imagesTruncated } from './images-truncated.ts';
import { kubeletAtSkewLimit } from './kubelet-at-skew-limit.ts';
import { kubeletSkewUnknown } from './kubelet-skew-unknown.ts';
import { kubeletSkew } from './kubelet-skew.ts';
import { kubernetesUntestedRelease } from './kubernetes-untested-release.ts';
import { mixedBuilds } from './mixed-builds.ts';
import { networkUnavailable } from './network-unavailable.ts';
import { noEphemeralStorage } from './no-ephemeral-storage.ts';
import { noIsolatingTaint } from './no-isolating-taint.ts';
import { noLinuxNode } from './no-linux-node.ts';
import type { ClusterIssueKind, NodeIssueKind } from './node-issue-kind.ts';
import { notReady } from './not-ready.ts';
import { nothingReserved } from './nothing-reserved.ts';
import { osLabelDiffers } from './os-label-differs.ts';
import { osSkuDiffers } from './os-sku-differs.ts';
import { osUnknown } from './os-unknown.ts';
import { pastSupport } from './past-support.ts';
import { patchBehind } from './patch-behind.ts';
import { pauseImageMismatch } from './pause-image-mismatch.ts';
import { poolBuildsDiffer } from './pool-builds-differ.ts';
import { poolKubeletsDiffer } from './pool-kubelets-differ.ts';
import { poolRevisionsDiffer } from './pool-revisions-differ.ts';
import { poolRuntimesDiffer } from './pool-runtimes-differ.ts';
import { providerLimit } from './provider-limit.ts';
import { resourcePressure } from './resource-pressure.ts';
import { revisionBound } from './revision-bound.ts';
import { runtimeDocker } from './runtime-docker.ts';
import { runtimeExactMatch } from './runtime-exact-match.ts';
import { runtimePastSupport } from './runtime-past-support.ts';
import { runtimeTooOld } from './runtime-too-old.ts';
import { shutdownPending } from './shutdown-pending.ts';
import { supportEnding } from './support-ending.ts';
import { unsupportedArchitecture } from './unsupported-architecture.ts';

/** Judged on a Windows node by itself. */
export const NODE_ISSUE_KINDS: readonly NodeIssueKind[] = [
  providerLimit, notReady, shutdownPending, networkUnavailable, cloudUninitialized, resourcePressure, osLabelDiffers, pastSupport, clientWindows, evaluationEdition,
  unsupportedArchitecture, runtimeExactMatch, runtimeTooOld, runtimePastSupport, runtimeDocker, pauseImageMismatch, kubeletSkew, noIsolatingTaint, noEphemeralStorage,
  supportEnding, kubernetesUntestedRelease, kubeletAtSkewLimit, autoscalerCandidate, buildUnknown, buildNotInTable, buildLabelMissing, buildLabelDiffers, osSkuDiffers,
  revisionBound, diskPressureUnproven, nothingReserved, imagesTruncated, kubeletSkewUnknown,
];

/** Judged on a node whose operating system is unknown; the kinds above say nothing of it. */
export const UNKNOWN_OS_ISSUE_KINDS: readonly NodeIssueKind[] = [osUnknown];

/** Judged on a Windows node beside the others, in the second pass. */
export const CLUSTER_ISSUE_KINDS: readonly ClusterIssueKind[] = [noLinuxNode, poolBuildsDiffer, patchBehind, poolRevisionsDiffer, mixedBuilds, poolRuntimesDiffer, poolKubeletsDiffer];
