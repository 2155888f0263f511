/** Whether a HostProcess pod can reach a node. What is wrong with the node otherwise keeps nobody off: that is when somebody wants to. */
import { durationText } from '../duration-text.ts';
import { parseKubernetesVersion } from '../kubernetes/version.ts';
import { containerdVersionOf } from '../node/node-issues/cluster-facts.ts';
import { bindsHostPaths, isContainerdBefore } from '../node/host-process-runtime.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import { compareContainerdVersions } from '../windows/containerd.ts';
import { needsContainerd17, type Account } from './account.ts';
import { HOST_PROCESS_BASE_IMAGE } from './base-image.ts';
import type { Support, TargetNode } from './exec-plan.ts';
import type { ExecErrorReason } from './outcome.ts';

/** What is to be run there, as far as nodes differ in it. */
export interface Wanted {
  readonly account: Account;
  readonly image: string;
  readonly hasTerminal: boolean;
}

/** Windows Server 2019, before which the runtime has no HostProcess containers (hcsshim, internal/jobcontainers, https://github.com/microsoft/hcsshim/tree/7c9ff7f, read 2026-11-30). */
const FIRST_BUILD = 17763;

/** A kubelet that renews its Lease every 10 seconds and has not done so for that long is gone, even where clocks differ. */
const SILENCE_SECONDS = 120;

/** `now`: null for a recording, whose heartbeats were of another day. */
export function judgeSupport({ node, heartbeat, isBeingDeleted }: TargetNode, now: Date | null, wanted: Wanted): Support {
  const refuse = (reason: ExecErrorReason, message: string, remedy: string): Support => ({ kind: 'refused', reason, message, remedy });
  if (node.os === 'linux') return refuse('NotWindows', 'it runs Linux, not Windows', 'For Linux nodes there is kubectl debug node/NAME.');
  if (node.os === null) return refuse('OsUnknown', 'its operating system is not known: neither its kubelet nor a label says it', 'Look at the node (kubectl describe node); a kubelet that has reported once has said it.');
  const [lacks, remedy] = lackOf(node, wanted.account) ?? [null, ''];
  if (lacks !== null) return refuse('NotSupported', lacks, remedy);
  const silence = now === null ? null : silenceOf(node, heartbeat, now);
  if (silence !== null) return refuse('NotReady', `its kubelet does not answer: ${silence}`, 'Look at the machine itself (the console of its hypervisor or cloud): nothing in Kubernetes reaches it.');
  return { kind: 'ok', notes: [
    ...(node.ready === true ? [] : ['not Ready; its kubelet is tried all the same']),
    ...(isBeingDeleted ? ['being deleted: it may go while the command runs'] : []),
    ...notesOf(node, wanted),
  ] };
}

function lackOf(node: WindowsNode, account: Account): readonly [lacks: string, remedy: string] | null {
  const runtime = node.containerRuntime;
  if (runtime?.name === 'docker') return ['its runtime is Docker, which has no HostProcess containers', 'Use the console of the machine, or a node with containerd 1.6 or later.'];
  if (isContainerdBefore(node, 1, 6) === true) return [`its containerd ${runtime?.version ?? ''} has no HostProcess containers`, 'Use the console of the machine, or bring containerd to 1.6 or later.'];
  if (node.build !== null && node.build < FIRST_BUILD) return [`its build ${node.build} has no HostProcess containers`, 'Use the console of the machine: Windows Server 2019 is the first that has them.'];
  const kubelet = node.kubeletVersion === null ? null : parseKubernetesVersion(node.kubeletVersion);
  if (kubelet !== null && kubelet.major === 1 && kubelet.minor < 22) return [`its kubelet ${node.kubeletVersion ?? ''} has no HostProcess containers`, 'Use the console of the machine, or bring the kubelet to 1.23 or later.'];
  if (needsContainerd17(account) && isContainerdBefore(node, 1, 7) === true) return [`its containerd ${runtime?.version ?? ''} does not know local groups (${account.name})`, 'Name a service account (--run-as system, local-service, network-service), or bring containerd to 1.7 or later.'];
  return null;
}

/**
 * null for a kubelet that may be there. Ready=False is a kubelet's own word; Unknown is written by the node controller in its place, so that only
 * a Lease says otherwise.
 */
function silenceOf(node: WindowsNode, { at, from }: TargetNode['heartbeat'], now: Date): string | null {
  if (node.ready === true) return null;
  const seconds = at === null ? null : (now.getTime() - Date.parse(at)) / 1000;
  if (from === 'lease' && seconds !== null) return seconds > SILENCE_SECONDS ? `its last sign of life was ${durationText(seconds)} ago (Lease in kube-node-lease)` : null;
  const status = node.conditions.find(({ type }) => type === 'Ready')?.status ?? null;
  if (status === 'False') return null;
  const last = seconds === null ? '' : `, and reported last ${durationText(Math.max(0, seconds))} ago`;
  return status === null ? `it has never reported a condition Ready${last}` : `the node controller has given it up (Ready is Unknown)${last}`;
}

function notesOf(node: WindowsNode, { account, image, hasTerminal }: Wanted): readonly string[] {
  const containerd = containerdVersionOf(node);
  const kubelet = node.kubeletVersion === null ? null : parseKubernetesVersion(node.kubeletVersion);
  const [major, minor, patch] = HOST_PROCESS_BASE_IMAGE.containerd;
  const isBeforeImage = containerd !== null && compareContainerdVersions(containerd, { major, minor, patch, preRelease: null }) < 0;
  const isFirstContainerd = containerd !== null && compareContainerdVersions(containerd, { major: 1, minor: 6, patch: 0, preRelease: null }) === 0;
  return [
    ...(kubelet !== null && kubelet.major === 1 && kubelet.minor === 22 ? ['kubelet 1.22 takes HostProcess pods only with the feature gate WindowsHostProcessContainers'] : []),
    ...(isBeforeImage && image.startsWith(HOST_PROCESS_BASE_IMAGE.repository) ? [`containerd before ${HOST_PROCESS_BASE_IMAGE.containerd.join('.')} may not take the base image: --image names another`] : []),
    ...(hasTerminal && isFirstContainerd ? ['early builds of containerd 1.6 give HostProcess containers no terminal'] : []),
    ...(node.containerRuntime !== null && node.containerRuntime.name !== 'containerd' ? [`whether ${node.containerRuntime.name} has HostProcess containers is not known`] : []),
    ...(needsContainerd17(account) && containerd === null ? [`whether its runtime knows local groups (${account.name}) is not known`] : []),
    // Commands see the host, wherever the files of the image are; --image with programs of its own is what it concerns.
    ...(bindsHostPaths(node) === false && !image.startsWith(HOST_PROCESS_BASE_IMAGE.repository) ? ['files of the image lie below %CONTAINER_SANDBOX_MOUNT_POINT% there, and not below C:\\hpc'] : []),
  ];
}
