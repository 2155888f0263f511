/** Why a pull fails, from the words of the kubelet, containerd and the registry. */

export type PullFailureReason =
  | 'Unauthorized' | 'NotFound' | 'NoMatchForPlatform' | 'DiskFull' | 'TooManyRequests' | 'RegistryUnreachable' | 'UntrustedCertificate'
  | 'InvalidImageName' | 'NeverPull' | 'NodeBusy' | 'Canceled' | 'Timeout' | 'OsMismatch' | 'UntrustedSignature' | 'PullFailed';

interface FailureKind {
  readonly reason: PullFailureReason;
  readonly matches: RegExp;
  /** Whether another attempt may go better. */
  readonly isPassing: boolean;
  /** In words, without a full stop. */
  readonly happened: string;
}

/**
 * The Host Compute Service's, by name and number, as containerd and Docker hand it on: https://github.com/containerd/containerd/pull/7856,
 * https://github.com/microsoft/service-fabric/issues/1000, https://github.com/MicrosoftDocs/Virtualization-Documentation/issues/765. Read 2026-11-30.
 */
const OTHER_BUILD = /0xc0370101|operating system (?:of the container )?does not match the (?:host )?operating system/i;

/**
 * The special ones before the general ones: a 429 of a registry comes wrapped in "failed to pull and unpack". Texts as containerd
 * and the kubelet write them: https://github.com/containerd/containerd/issues/6989 (no match),
 * https://github.com/containerd/containerd/blob/v2.1.6/core/remotes/docker/errcode.go and pusher.go (status codes),
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/images/types.go (kubelet's reasons). A runtime that sees no progress cancels the pull:
 * containerd after 5 minutes without a byte, older ones after one (image_pull_progress_timeout,
 * https://github.com/containerd/containerd/blob/v2.4.2/internal/cri/config/config.go), cri-dockerd after a minute, in which a layer may be unpacked
 * (https://github.com/Mirantis/cri-dockerd/issues/372). Read 2026-11-30.
 */
const FAILURE_KINDS: readonly FailureKind[] = [
  { reason: 'NoMatchForPlatform', matches: /no match for platform in manifest|no matching manifest for windows/i, isPassing: false, happened: 'the image has no variant for the node' },
  { reason: 'OsMismatch', matches: OTHER_BUILD, isPassing: false, happened: 'the image is for another build of Windows' },
  // The kubelet's own limit, registryPullQPS: of this node, and not of the registry.
  { reason: 'NodeBusy', matches: /pull QPS exceeded/i, isPassing: true, happened: 'the kubelet limits pulls' },
  { reason: 'TooManyRequests', matches: /429 Too Many|status(?: code)?:? ?\(?429\b|toomanyrequests|too many requests|rate limit/i, isPassing: true, happened: 'the registry limits pulls' },
  { reason: 'DiskFull', matches: /no space left on device|not enough space on the disk|insufficient.{0,40}(?:disk|storage)|0x80070070|DiskPressure/i, isPassing: false, happened: 'the disk of the node is full' },
  { reason: 'Unauthorized', matches: /\b40[13] (?:Unauthorized|Forbidden)|status(?: code)?:? ?\(?40[13]\b|unauthorized|authorization failed|authentication required|access denied|access forbidden|denied: |insufficient_scope|no basic auth credentials/i, isPassing: false, happened: 'the registry refuses the node' },
  { reason: 'UntrustedCertificate', matches: /x509|certificate|tls: |server gave HTTP response to HTTPS client/i, isPassing: false, happened: 'the node does not trust the registry' },
  { reason: 'RegistryUnreachable', matches: /dial tcp|no such host|connection re(?:fused|set)|i\/o timeout|no route to host|network is unreachable|TLS handshake timeout|\bEOF\b|\b50[0234] (?:Internal|Bad|Service|Gateway)|status(?: code)?:? ?\(?50[0234]\b/i, isPassing: true, happened: 'the registry does not answer the node' },
  { reason: 'NotFound', matches: /not found|manifest unknown|name unknown|404 Not Found|does not exist/i, isPassing: false, happened: 'the registry has no such image' },
  { reason: 'Canceled', matches: /context canceled|no progress in/i, isPassing: true, happened: 'the node gave the pull up, as for want of progress (image_pull_progress_timeout of containerd, image-pull-progress-deadline of cri-dockerd)' },
  { reason: 'Timeout', matches: /context deadline exceeded|deadline exceeded|timed? ?out/i, isPassing: true, happened: 'the pull took too long' },
];

/** Reasons of the kubelet that say it by themselves. */
const KUBELET_REASONS: Readonly<Record<string, Omit<FailureKind, 'matches'>>> = {
  InvalidImageName: { reason: 'InvalidImageName', isPassing: false, happened: 'the name is no image reference' },
  ErrImageNeverPull: { reason: 'NeverPull', isPassing: false, happened: 'the image is not on the node, and its pull policy is Never' },
  SignatureValidationFailed: { reason: 'UntrustedSignature', isPassing: false, happened: 'the node does not trust the signature of the image' },
  RegistryUnavailable: { reason: 'RegistryUnreachable', isPassing: true, happened: 'the registry does not answer the node' },
};

const UNTOLD: Omit<FailureKind, 'matches'> = { reason: 'PullFailed', isPassing: true, happened: 'the pull failed' };

export type PullFailure = Omit<FailureKind, 'matches'>;

/** `reason`: of the waiting container (`ErrImagePull`); `message`: its text. Never throws. */
export function explainPullFailure(reason: string, message: string): PullFailure {
  const own = Object.hasOwn(KUBELET_REASONS, reason) ? KUBELET_REASONS[reason] : undefined;
  if (own !== undefined) return own;
  const text = withoutNames(message.slice(0, LONGEST_TEXT));
  return FAILURE_KINDS.find(({ matches }) => matches.test(text)) ?? UNTOLD;
}

/** Whether a node refuses to start an image because it is of another build. */
export function isOtherBuild(message: string): boolean {
  return OTHER_BUILD.test(withoutNames(message.slice(0, LONGEST_TEXT)));
}

/** A hostile text of megabytes is no better told by its end. */
const LONGEST_TEXT = 4_000;

/** `app:429` and `x/unauthorized` are names: what stands in quotes goes, also where it stands once more without them. */
function withoutNames(message: string): string {
  const names = [...message.matchAll(/"([^"\s]{3,300})"/g)].map(([, name = '']) => name).slice(0, 20);
  return [...new Set(names)].toSorted((a, b) => b.length - a.length).reduce((text, name) => text.replaceAll(name, ''), message);
}

/** A kubelet's back-off without what came before it, which older kubelets do not repeat. */
export function isMereBackOff(reason: string, message: string): boolean {
  return reason === 'ImagePullBackOff' && (message === '' || /^Back-off pulling image "[^"]*"$/.test(message));
}
