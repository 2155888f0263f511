import type { PlanReason } from './prepull-plan.ts';
import type { PodFailureReason } from '../pods/pod-failure.ts';
import type { PullFailureReason } from '../pods/pull-reasons.ts';

type Reason = PlanReason | PullFailureReason | PodFailureReason;

/** What to do, imperative, with a full stop; null where there is nothing to do, or nothing that would fit. */
const REMEDIES = {
  NotListed: null, TagMoved: null, Present: null, PulledBefore: null,
  PlatformsUnknown: null,
  TagOfOtherBuild: 'Let the registry be asked (--images=auto), or use an image whose build these nodes can run.',
  NoMatchForPlatform: 'Use an image with a variant for the build of these nodes.',
  OsMismatch: 'Use the image for the build of these nodes. For HostProcess containers, which run it as it is, name their workload (--from, -f) in place of the image.',
  InvalidImageName: 'Correct the name.',
  NodeNotReady: 'Look at the node (kubectl describe node); --watch-nodes pulls when it is Ready.',
  NodeCordoned: 'Uncordon the node, or leave --skip-cordoned out.',
  DiskPressure: 'Free space on the node, or give it a larger disk.',
  NotEnoughSpace: 'Free space on the node, give it a larger disk, or lower --min-free.',
  NoShell: 'Pull it without --keep-warm.',
  Unauthorized: 'Give the pod imagePullSecrets that may pull it, or the nodes an identity that may.',
  NotFound: 'Correct the name or the tag, or push the image.',
  DiskFull: 'Free space on the node, or give it a larger disk.',
  TooManyRequests: 'Pull fewer at a time (--parallel), with credentials, or from a mirror.',
  RegistryUnreachable: 'Check network, DNS and proxy of the nodes, and the registry.',
  UntrustedCertificate: 'Put the certificate authority of the registry on the nodes.',
  NeverPull: 'Use another pull policy; a policy may have changed it on the way (a mutating webhook).',
  NodeBusy: 'Raise registryPullQPS of the kubelet, or wait.',
  Canceled: 'Give the runtime of the node more time without progress, or pull fewer at once.',
  Timeout: 'Give it more time (--timeout), or pull fewer at once.',
  UntrustedSignature: 'Sign the image, or change the policy of the nodes.',
  PullFailed: 'See what the node says.',
  NodeLost: 'Look at the node (kubectl describe node), then run the same command again.',
  NodeFull: 'Make room for one more pod on the node, or leave it out.',
  Unschedulable: 'See what the scheduler says, and change that.',
  Evicted: 'See what the node lacks, and give it more of that.',
  Refused: 'See what refuses the pod, and change that.',
  Deleted: 'Find out who deletes pods there, or use another namespace (-n).',
} as const satisfies Readonly<Record<Reason, string | null>>;

/** null also for reasons of others: those of the API server, where it refuses an object. */
export function remedyOf(reason: string): string | null {
  return Object.hasOwn(REMEDIES, reason) ? REMEDIES[reason as Reason] : null; // own keys are reasons
}
