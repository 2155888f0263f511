/** Finds the pod templates of an object of any kind: by kind where it is Kubernetes' own, by shape everywhere else. */
import type { FieldPath } from '../kubernetes/field-path.ts';
import { isRecord, valueAt, type KubeObject } from '../kubernetes/object.ts';
import { groupOf } from '../kubernetes/resource.ts';
import { isBuiltInGroup } from './custom-resources.ts';

export interface PodTemplate {
  /** Where the template stands in its object: [] for a Pod, ['spec', 'template'] for a Deployment. */
  readonly path: FieldPath;
  /** `metadata` of the template (of the Pod itself); {} where there is none. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The pod spec. */
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Kubernetes' own kinds, by group and kind; nothing else in its own groups has a pod template. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/, read 2026-11-30 */
const TEMPLATE_PATHS: ReadonlyMap<string, FieldPath> = new Map<string, FieldPath>([
  ['/Pod', []],
  ['/PodTemplate', ['template']],
  ['/ReplicationController', ['spec', 'template']],
  ['apps/Deployment', ['spec', 'template']],
  ['apps/ReplicaSet', ['spec', 'template']],
  ['apps/StatefulSet', ['spec', 'template']],
  ['apps/DaemonSet', ['spec', 'template']],
  ['batch/Job', ['spec', 'template']],
  ['batch/CronJob', ['spec', 'jobTemplate', 'spec', 'template']],
  // Old files hold them still; servers since 1.22 do not take them.
  ['extensions/Deployment', ['spec', 'template']],
  ['extensions/ReplicaSet', ['spec', 'template']],
  ['extensions/DaemonSet', ['spec', 'template']],
]);

/** Groups of policies, whose patterns and patches look like pods and are none, and of the Gateway API, which has nothing that does. */
const WITHOUT_PODS = new Set(['gateway.networking.k8s.io', 'kyverno.io', 'policies.kyverno.io', 'mutations.gatekeeper.sh', 'constraints.gatekeeper.sh', 'templates.gatekeeper.sh']);

/** Maps and lists below `spec` that are entered. Ray's worker groups stand six deep, a Kubeflow replica template four. */
const SEARCHED_DEPTH = 8;

/**
 * All pod templates of an object, in the order of its fields; empty for an object that makes no pods. In a custom resource
 * that is every map under `spec` with a `spec.containers` of containers, and `spec` itself where the containers stand right
 * there beside other fields of a pod spec (a Knative Revision). What spells its containers otherwise is not found: Tekton's
 * steps, Argo Workflows' templates with one `container`, SparkApplication's driver and executor, KServe's predictor, and what an
 * operator merges into pods of its own making (Prometheus, Alloy, OpenKruise's SidecarSet).
 */
export function podTemplatesOf(object: KubeObject): readonly PodTemplate[] {
  const group = groupOf(object.apiVersion);
  const known = TEMPLATE_PATHS.get(`${group}/${typeof object.kind === 'string' ? object.kind : ''}`);
  if (known !== undefined) {
    const template = templateAt(object, known);
    return template === null ? [] : [template];
  }
  if (isBuiltInGroup(group) || WITHOUT_PODS.has(group) || !isRecord(object['spec'])) return [];
  const found: PodTemplate[] = [];
  if (isBarePodSpec(object['spec'])) found.push({ path: [], metadata: isRecord(object.metadata) ? object.metadata : {}, spec: object['spec'] });
  else search(object['spec'], ['spec'], SEARCHED_DEPTH, found);
  return found;
}

function templateAt(object: KubeObject, path: FieldPath): PodTemplate | null {
  const holder = path.length === 0 ? object : valueAt(object, ...(path as readonly string[])); // the table holds names alone
  if (!isRecord(holder)) return null;
  const { metadata, spec } = holder;
  if (!isRecord(spec)) return null;
  return { path, metadata: isRecord(metadata) ? metadata : {}, spec };
}

/** A list of containers, each with a name or an image. Prometheus and Alertmanager list containers to be merged into their own, most without an image. */
function hasContainers(spec: Readonly<Record<string, unknown>>): boolean {
  const { containers } = spec;
  return Array.isArray(containers) && containers.length > 0 && containers.every(isContainer) && containers.some((container) => typeof container['image'] === 'string');
}

function isContainer(value: unknown): value is Readonly<Record<string, unknown>> {
  return isRecord(value) && (typeof value['image'] === 'string' || typeof value['name'] === 'string');
}

/** Fields of the API's PodSpec; one of a custom resource's own says that its `spec` is something else with containers in it. */
const POD_SPEC_FIELDS = new Set([
  'activeDeadlineSeconds', 'affinity', 'automountServiceAccountToken', 'containers', 'dnsConfig', 'dnsPolicy', 'enableServiceLinks', 'ephemeralContainers', 'hostAliases', 'hostIPC', 'hostNetwork', 'hostPID',
  'hostUsers', 'hostname', 'imagePullSecrets', 'initContainers', 'nodeName', 'nodeSelector', 'os', 'overhead', 'preemptionPolicy', 'priority', 'priorityClassName', 'readinessGates', 'resourceClaims', 'resources',
  'restartPolicy', 'runtimeClassName', 'schedulerName', 'schedulingGates', 'securityContext', 'serviceAccount', 'serviceAccountName', 'setHostnameAsFQDN', 'shareProcessNamespace', 'subdomain',
  'terminationGracePeriodSeconds', 'tolerations', 'topologySpreadConstraints', 'volumes',
  // https://knative.dev/docs/serving/reference/serving-api/#serving.knative.dev/v1.RevisionSpec, read 2026-11-30
  'containerConcurrency', 'timeoutSeconds', 'responseStartTimeoutSeconds', 'idleTimeoutSeconds',
]);

/** Whether `spec` of a custom resource is a pod spec itself. */
function isBarePodSpec(spec: Readonly<Record<string, unknown>>): boolean {
  return hasContainers(spec) && Object.keys(spec).every((field) => POD_SPEC_FIELDS.has(field));
}

function search(value: unknown, path: FieldPath, depth: number, found: PodTemplate[]): void {
  if (depth === 0) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      // A list of texts or numbers, however long, holds none.
      if (typeof item === 'object' && item !== null) search(item, [...path, index], depth - 1, found);
    }
    return;
  }
  if (!isRecord(value)) return;
  const { spec } = value;
  if (isRecord(spec) && hasContainers(spec)) {
    found.push({ path, metadata: isRecord(value['metadata']) ? value['metadata'] : {}, spec });
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    if (typeof inner === 'object' && inner !== null) search(inner, [...path, key], depth - 1, found);
  }
}
