/**
 * Groups of custom resources that are known to hold pod templates, with their plurals. Live audits list these where the
 * server has them; any other is found by shape when it stands in a file or is named.
 * Sources: the projects' API references, read 2026-11-30.
 */
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
  return resources.filter(({ group, plural }) => POD_MAKERS[group]?.includes(plural) === true);
}

/** Groups that are no custom resources: Kubernetes' own. */
export function isBuiltInGroup(group: string): boolean {
  return group === '' || !group.includes('.') || /(^|\.)k8s\.io$/.test(group);
}
