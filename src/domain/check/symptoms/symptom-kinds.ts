/**
 * What kubelet, containerd and HCS say when a pod does not run on Windows, and what it means. Texts are matched as they come
 * in statuses and events; the first kind that fits wins, so the special ones stand before the general ones.
 */

export interface SymptomKind {
  /** Kebab-case: `no-matching-platform`. */
  readonly id: string;
  /** What happened, without a full stop; the subject is the pod. */
  readonly happened: string;
  /** Why, one sentence. */
  readonly why: string;
  /** What to do, imperative, with a full stop. */
  readonly remedy: string;
  readonly reference: string;
  /** Whether only Windows nodes say so; the others are passed on in short. */
  readonly isWindows: boolean;
  /** Whether a reason and its text (of a container status, a pod status or an event) are of this kind. */
  readonly matches: (reason: string, message: string) => boolean;
}

const VERSION_COMPATIBILITY = 'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility';
const INTRO = 'https://kubernetes.io/docs/concepts/windows/intro/';
const USER_GUIDE = 'https://kubernetes.io/docs/concepts/windows/user-guide/';
const IMAGES = 'https://kubernetes.io/docs/concepts/containers/images/';

// containerd's pull (https://github.com/containerd/containerd/issues/6989) and Docker's (https://github.com/kubernetes/kubernetes/issues/69773), read 2026-11-30.
const NO_MATCHING_PLATFORM = /no match for platform in manifest|no matching manifest for windows/i;
// HCS, with containerd and with Docker (https://github.com/microsoft/Windows-Containers/issues/227, https://github.com/MicrosoftDocs/Virtualization-Documentation/issues/765), read 2026-11-30.
const OTHER_BUILD = /0xc0370101|operating system does not match the host operating system|operating system of the container does not match|does not match the operating system of the host/i;
const MISSING_FILE = /the system cannot find the (file|path) specified/i;
const SANDBOX = /^Failed(CreatePodSandBox|PodSandBoxStatus)$/;

/** The reasons with which a kubelet refuses a pod are those of https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/lifecycle/predicate.go, read 2026-11-30. */
export const SYMPTOM_KINDS: readonly SymptomKind[] = [
  {
    id: 'sandbox-image-of-another-build',
    happened: 'the sandbox of the pod could not be made, since the pause image is for another build of Windows',
    why: 'The sandbox (pause) image is set in the containerd configuration of the node, not in the pod, and it has to hold the build of the node.',
    remedy: 'Set sandbox_image (pinned_images.sandbox in containerd 2) on the nodes to a pause image that holds their build: registry.k8s.io/pause:3.10.2 has ltsc2019 to ltsc2025.',
    reference: 'https://github.com/containerd/containerd/issues/13156', isWindows: true,
    matches: (reason, message) => SANDBOX.test(reason) && (NO_MATCHING_PLATFORM.test(message) || OTHER_BUILD.test(message)),
  },
  {
    id: 'no-matching-platform',
    happened: 'the image has no variant for the node',
    why: 'containerd looks for an entry with the operating system and build of the node in the index of the image and finds none: a Linux image, or one for other builds of Windows.',
    remedy: 'Use an image with a variant for the build of these nodes, or keep the pod off them with a node selector.',
    reference: VERSION_COMPATIBILITY, isWindows: true,
    matches: (_reason, message) => NO_MATCHING_PLATFORM.test(message),
  },
  {
    id: 'image-of-another-build',
    happened: 'the container cannot start, since its image is for another build of Windows than the node',
    why: 'Under process isolation the build of the image has to fit the build of the host; HCS refuses it with 0xC0370101 at the start, after a pull that went well.',
    remedy: 'Use the image for the build of these nodes, or select nodes of the build with node.kubernetes.io/windows-build.',
    reference: VERSION_COMPATIBILITY, isWindows: true,
    matches: (_reason, message) => OTHER_BUILD.test(message),
  },
  {
    id: 'image-revision-newer',
    happened: 'the container cannot start, since its image is of a newer revision than the node',
    why: 'HCS answers 0xC0370106 when an image is built on a later monthly update than the host has and needs what is missing there.',
    remedy: 'Update the nodes to a newer node image, or use an older revision of the base image meanwhile.',
    reference: 'https://github.com/actions/runner-images/issues/11582', isWindows: true,
    matches: (_reason, message) => /0xc0370106/i.test(message),
  },
  {
    id: 'pod-os-not-supported',
    happened: 'the kubelet refused the pod, since spec.os.name is not the operating system of the node',
    why: 'The scheduler does not look at spec.os.name, the kubelet does: a pod without a node selector can be placed on a node that then refuses it.',
    remedy: 'Set nodeSelector kubernetes.io/os to the value of spec.os.name.',
    reference: `${USER_GUIDE}#ensuring-os-specific-workloads-land-on-the-appropriate-container-host`, isWindows: true,
    matches: (reason) => reason === 'PodOSNotSupported',
  },
  {
    id: 'pod-os-label-differs',
    happened: 'the kubelet refused the pod, since its label kubernetes.io/os is not the operating system of the node',
    why: 'A label kubernetes.io/os on the pod itself is compared with the label of the node.',
    remedy: 'Remove the label from the pod template and use a node selector.',
    reference: 'https://kubernetes.io/docs/reference/labels-annotations-taints/#kubernetes-io-os', isWindows: true,
    matches: (reason) => reason === 'PodOSSelectorNodeLabelDoesNotMatch',
  },
  {
    id: 'refused-by-kubelet',
    happened: 'the kubelet refused the pod, since the node does not have a feature that it asks for',
    why: 'Pod-level resources, AppArmor and supplementalGroupsPolicy Strict do not exist on Windows nodes.',
    remedy: 'Remove the field that the message names from the pod template.',
    reference: `${INTRO}#compatibility-v1-pod`, isWindows: true,
    matches: (reason) => reason === 'PodLevelResourcesNotSupported' || reason === 'AppArmor' || reason === 'SupplementalGroupsPolicyNotSupported',
  },
  {
    id: 'regarded-as-root',
    happened: 'the container was not made, since runAsNonRoot is true and its user is ContainerAdministrator',
    why: 'The kubelet regards ContainerAdministrator as root, whether the pod or the image names it.',
    remedy: 'Set windowsOptions.runAsUserName to ContainerUser, or remove runAsNonRoot.',
    reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/', isWindows: true,
    matches: (_reason, message) => /regarded as root identity|runAsNonRoot is set, but .*ContainerAdministrator/i.test(message),
  },
  {
    id: 'chown-not-supported',
    happened: 'a volume could not be set up, since the pod asks for an owner of its files',
    why: 'With runAsUser kubelets before 1.31 (and before 1.30.9 and 1.29.13) change the owner of service account tokens, which Windows cannot: the pod is for Linux, or it carries a field of Linux.',
    remedy: 'For a Linux pod, set nodeSelector kubernetes.io/os to linux. For a Windows pod, remove runAsUser and set spec.os.name to windows.',
    reference: 'https://github.com/kubernetes/kubernetes/issues/102849', isWindows: true,
    matches: (_reason, message) => /chown .*not supported by windows/is.test(message),
  },
  {
    id: 'only-cifs-mounts',
    happened: 'a volume could not be mounted, since Windows nodes mount SMB shares only',
    why: 'The kubelet on Windows has no client of NFS and of the other in-tree network volumes of Linux.',
    remedy: 'Use an SMB share, or a CSI driver whose node plugin runs on Windows.',
    reference: 'https://kubernetes.io/docs/concepts/storage/windows-storage/', isWindows: true,
    matches: (_reason, message) => /only cifs mount is supported/i.test(message),
  },
  {
    id: 'mount-on-system-drive',
    happened: 'the container was not made, since a volume is mounted on the whole drive C:',
    why: 'C: is the file system of the container itself.',
    remedy: 'Mount the volume on a folder, or on a drive letter other than C:.',
    reference: 'https://kubernetes.io/docs/concepts/storage/windows-storage/', isWindows: true,
    matches: (_reason, message) => /destination path can not be C drive/i.test(message),
  },
  {
    id: 'host-process-logon-failed',
    happened: 'the HostProcess container cannot start, since Windows does not log its user on',
    why: 'The user is missing, is ContainerUser, or is neither a service account nor a local group; or containerd does not run as LocalSystem.',
    remedy: 'Set windowsOptions.runAsUserName to NT AUTHORITY\\SYSTEM, NT AUTHORITY\\Local service, NT AUTHORITY\\NetworkService or the name of a local group.',
    reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#choosing-a-user-account', isWindows: true,
    matches: (_reason, message) => /failed to create user process token|failed to logon user|empty username or group name/i.test(message),
  },
  {
    id: 'no-command',
    happened: 'the container was not made, since neither the image nor the pod names a command',
    why: 'The image has no ENTRYPOINT and no CMD; base images such as the one for HostProcess containers have none.',
    remedy: 'Set command in the container.',
    reference: 'https://kubernetes.io/docs/tasks/inject-data-application/define-command-argument-container/', isWindows: false,
    matches: (_reason, message) => /no command specified/i.test(message),
  },
  {
    id: 'executable-not-found',
    happened: 'the container cannot start, since its command does not exist in the image',
    why: 'Windows does not find the file: a command of Linux such as /bin/sh, PowerShell in a Nano Server image, or a path without its .exe.',
    remedy: 'Use a command that the image holds (cmd.exe is in every Windows base image), with its extension.',
    reference: 'https://github.com/containerd/containerd/issues/6300', isWindows: true,
    matches: (reason, message) => MISSING_FILE.test(message) && (/CreateProcess|create process|0x2\b|failed to (create|start) (containerd )?task|exec: /i.test(message) || /^(StartError|RunContainerError|ContainerCannotRun|CreateContainerError|Failed|BackOff)$/.test(reason)),
  },
  {
    id: 'disk-full',
    happened: 'the node has no space left on its disk',
    why: 'Layers of Windows images take several GB, and the garbage collection frees only images that no container uses.',
    remedy: 'Give the nodes a bigger disk, or remove images; kubectl win nodes shows what they have.',
    reference: 'https://kubernetes.io/docs/concepts/architecture/garbage-collection/#containers-images', isWindows: false,
    matches: (_reason, message) => /not enough space on the disk|no space left on device|node was low on resource: ephemeral-storage|had condition: \[?DiskPressure/i.test(message),
  },
  {
    id: 'commit-limit-reached',
    happened: 'a container or the node has no memory left to commit',
    why: 'Windows kills nothing when memory runs out: allocations fail, and new processes and containers do not start.',
    remedy: 'Raise limits.memory and set the request to the same value, so that nodes are not overcommitted.',
    reference: 'https://kubernetes.io/docs/concepts/configuration/windows-resource-management/', isWindows: true,
    matches: (_reason, message) => /paging file is too small|0x800705af|not enough (memory resources are|quota is) available/i.test(message),
  },
  {
    id: 'missing-library',
    happened: 'the process ended at once, since a library that it needs is not in the image',
    why: 'Exit code 3221225781 (0xC0000135) means that a DLL was not found: the Visual C++ runtime, or a part of Windows that Nano Server does not have.',
    remedy: 'Put the library into the image, or build on Server Core.',
    reference: 'https://learn.microsoft.com/virtualization/windowscontainers/manage-containers/container-base-images', isWindows: true,
    matches: (_reason, message) => /exit code (3221225781|-1073741515)\b|0xc0000135/i.test(message),
  },
  {
    id: 'network-setup-failed',
    happened: 'the sandbox of the pod could not be made, since its network could not be set up',
    why: 'The CNI plugin or the Host Networking Service of the node failed.',
    remedy: 'Look at the pods of the CNI plugin on this node and at Get-HnsNetwork there.',
    reference: 'https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/', isWindows: false,
    matches: (reason, message) => SANDBOX.test(reason) && /network for sandbox|failed \(add\)|hcnCreate|hns failed/i.test(message),
  },
  {
    id: 'compute-system-failed',
    happened: 'HCS could not make the container',
    why: 'The message names the code of Windows; the build of the image is not among the causes that it names.',
    remedy: 'Look at the message, and at the event log Microsoft-Windows-Hyper-V-Compute-Admin on the node.',
    reference: 'https://kubernetes.io/docs/tasks/debug/debug-cluster/windows/', isWindows: true,
    matches: (_reason, message) => /hcs(shim)?::(CreateComputeSystem|System::)|CreateComputeSystem/.test(message),
  },
  {
    id: 'pull-refused',
    happened: 'the registry refused the pull',
    why: 'The image is private, and the pull secret is missing or not for this registry.',
    remedy: 'Check imagePullSecrets and what the registry allows.',
    reference: `${IMAGES}#using-a-private-registry`, isWindows: false,
    matches: (_reason, message) => /unauthorized|authorization failed|authentication required|pull access denied|40[13] (Unauthorized|Forbidden)/i.test(message),
  },
  {
    id: 'image-never-pulled',
    happened: 'the image is not on the node, and imagePullPolicy is Never',
    why: 'The image was not preloaded there, or since Kubernetes 1.35 the kubelet wants the pull secret again with which it once pulled it.',
    remedy: 'Preload the image on these nodes, or set imagePullPolicy to IfNotPresent.',
    reference: `${IMAGES}#pre-pulled-images`, isWindows: false,
    matches: (reason) => reason === 'ErrImageNeverPull',
  },
  {
    id: 'image-not-found',
    happened: 'the registry does not have the image',
    why: 'The name or the tag does not exist there.',
    remedy: 'Check the name and the tag of the image.',
    reference: `${IMAGES}#image-names`, isWindows: false,
    // the event Failed tells of missing Secrets and ConfigMaps, too
    matches: (reason, message) => (/^(ErrImagePull|ImagePullBackOff)$/.test(reason) || (reason === 'Failed' && /pull/i.test(message))) && /not found|manifest unknown|does not exist/i.test(message),
  },
  {
    id: 'invalid-image-name',
    happened: 'the name of the image cannot be read',
    why: 'It is no image reference.',
    remedy: 'Correct the name of the image.',
    reference: `${IMAGES}#image-names`, isWindows: false,
    matches: (reason) => reason === 'InvalidImageName',
  },
  {
    id: 'unschedulable',
    happened: 'the scheduler finds no node for the pod',
    why: 'The message counts the nodes by what stands in the way.',
    remedy: 'Compare selectors, tolerations and requests of the pod with the nodes.',
    reference: 'https://kubernetes.io/docs/tasks/debug/debug-application/debug-pods/#my-pod-stays-pending', isWindows: false,
    matches: (reason) => reason === 'Unschedulable' || reason === 'FailedScheduling',
  },
];

/** The kind of trouble that a reason and its text tell of; null for one that is not known. */
export function explainSymptom(reason: string, message: string): SymptomKind | null {
  return SYMPTOM_KINDS.find((kind) => kind.matches(reason, message)) ?? null;
}
