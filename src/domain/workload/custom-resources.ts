/**
 * Groups of custom resources that are known to hold pod templates, with their plurals. Live audits list these where the
 * server has them; any other is found by shape when it stands in a file or is named.
 * Sources: the projects' API references, read 2026-11-30.
 */
import { ownValue } from '../kubernetes/object.ts';
import type { Resource } from '../kubernetes/resource.ts';

const POD_MAKERS: Readonly<Record<string, readonly string[]>> = {
  'agones.dev': ['fleets', 'gameserversets', 'gameservers'], // https://agones.dev/site/docs/reference/
  'apps.kruise.io': ['clonesets', 'statefulsets', 'daemonsets', 'broadcastjobs', 'advancedcronjobs', 'uniteddeployments'], // https://openkruise.io/docs/
  'apps.openshift.io': ['deploymentconfigs'], // https://docs.openshift.com/
  'argoproj.io': ['rollouts'], // https://argo-rollouts.readthedocs.io/
  'batch.volcano.sh': ['jobs'], // https://volcano.sh/
  'jobset.x-k8s.io': ['jobsets'], // https://jobset.sigs.k8s.io/
  'keda.sh': ['scaledjobs'], // https://keda.sh/docs/latest/reference/scaledjob-spec/
  'kubeflow.org': ['mpijobs', 'pytorchjobs', 'tfjobs', 'xgboostjobs', 'notebooks'], // https://www.kubeflow.org/docs/
  'leaderworkerset.x-k8s.io': ['leaderworkersets'], // https://lws.sigs.k8s.io/
  'ray.io': ['rayclusters', 'rayjobs', 'rayservices'], // https://docs.ray.io/en/latest/cluster/kubernetes/
  'serving.knative.dev': ['services'], // https://knative.dev/docs/serving/
  'workloads.kubeblocks.io': ['instancesets'], // https://kubeblocks.io/docs/
};

/** The resources of a server that are known to make pods. */
export function podMakersAmong(resources: readonly Resource[]): readonly Resource[] {
  return resources.filter(({ group, plural }) => ownValue(POD_MAKERS, group)?.includes(plural) === true);
}

/**
 * Kubernetes' own groups with a dot, and the metrics APIs, which list no stored objects. Others below k8s.io are of custom
 * resources that the community has approved: snapshot.storage.k8s.io, gateway.networking.k8s.io.
 * https://kubernetes.io/docs/reference/kubernetes-api/, read 2026-11-30
 */
const BUILT_IN_GROUPS: ReadonlySet<string> = new Set([
  'admissionregistration.k8s.io', 'apiextensions.k8s.io', 'apiregistration.k8s.io', 'authentication.k8s.io', 'authorization.k8s.io', 'certificates.k8s.io', 'coordination.k8s.io',
  'discovery.k8s.io', 'events.k8s.io', 'flowcontrol.apiserver.k8s.io', 'imagepolicy.k8s.io', 'internal.apiserver.k8s.io', 'networking.k8s.io', 'node.k8s.io', 'rbac.authorization.k8s.io',
  'resource.k8s.io', 'scheduling.k8s.io', 'storage.k8s.io', 'storagemigration.k8s.io', 'metrics.k8s.io', 'custom.metrics.k8s.io', 'external.metrics.k8s.io',
]);

/** Groups that are no custom resources. */
export function isBuiltInGroup(group: string): boolean {
  return !group.includes('.') || BUILT_IN_GROUPS.has(group);
}
