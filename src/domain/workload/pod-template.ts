/** Finds the pod templates of an object of any kind: by kind where it is Kubernetes' own, by shape everywhere else. */
import type { FieldPath } from '../kubernetes/field-path.ts';
import { isRecord, valueAt, type KubeObject } from '../kubernetes/object.ts';

export interface PodTemplate {
  /** Where the template stands in its object: [] for a Pod, ['spec', 'template'] for a Deployment. */
  readonly path: FieldPath;
  /** `metadata` of the template (of the Pod itself); {} where there is none. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The pod spec. */
  readonly spec: Readonly<Record<string, unknown>>;
}

/** Kubernetes' own kinds, by group and kind. https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/, read 2026-11-30 */
const TEMPLATE_PATHS: Readonly<Record<string, FieldPath>> = {
  '/Pod': [],
  '/PodTemplate': ['template'],
  '/ReplicationController': ['spec', 'template'],
  'apps/Deployment': ['spec', 'template'],
  'apps/ReplicaSet': ['spec', 'template'],
  'apps/StatefulSet': ['spec', 'template'],
  'apps/DaemonSet': ['spec', 'template'],
  'batch/Job': ['spec', 'template'],
  'batch/CronJob': ['spec', 'jobTemplate', 'spec', 'template'],
};

/** Groups in which nothing but the kinds above has a pod template; their other kinds are not searched. */
const SEARCHED_BY_SHAPE_FROM = 6;

/** All pod templates of an object, in the order of its fields; empty for an object that makes no pods. */
export function podTemplatesOf(object: KubeObject): readonly PodTemplate[] {
  const group = groupOf(object.apiVersion);
  const known = TEMPLATE_PATHS[`${group}/${object.kind ?? ''}`];
  if (known !== undefined) {
    const template = templateAt(object, known);
    return template === null ? [] : [template];
  }
  // extensions/v1beta1 Deployments and the like stand in old files
  if (group === 'extensions') return templateAt(object, ['spec', 'template']) === null ? [] : [templateAt(object, ['spec', 'template']) as PodTemplate];
  if (group === '' || group.endsWith('.k8s.io') || group === 'apps' || group === 'batch' || group === 'autoscaling' || group === 'policy') return [];
  const found: PodTemplate[] = [];
  search(object['spec'], ['spec'], SEARCHED_BY_SHAPE_FROM, found);
  return found;
}

function groupOf(apiVersion: unknown): string {
  if (typeof apiVersion !== 'string') return '';
  const slash = apiVersion.indexOf('/');
  return slash === -1 ? '' : apiVersion.slice(0, slash);
}

function templateAt(object: KubeObject, path: FieldPath): PodTemplate | null {
  const holder = path.length === 0 ? object : valueAt(object, ...(path as readonly string[]));
  if (!isRecord(holder)) return null;
  const { metadata, spec } = holder;
  if (!isRecord(spec)) return null;
  return { path, metadata: isRecord(metadata) ? metadata : {}, spec };
}

/** A map with `spec.containers` that is a list of maps with names or images is a pod template. */
function isPodTemplate(value: Readonly<Record<string, unknown>>): boolean {
  const { spec } = value;
  return isRecord(spec) && Array.isArray(spec['containers']) && spec['containers'].length > 0
    && spec['containers'].every((container) => isRecord(container) && (typeof container['image'] === 'string' || typeof container['name'] === 'string'));
}

function search(value: unknown, path: FieldPath, depth: number, found: PodTemplate[]): void {
  if (depth === 0) return;
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) search(item, [...path, index], depth - 1, found);
    return;
  }
  if (!isRecord(value)) return;
  if (isPodTemplate(value)) {
    found.push({ path, metadata: isRecord(value['metadata']) ? value['metadata'] : {}, spec: value['spec'] as Readonly<Record<string, unknown>> }); // isPodTemplate looked
    return;
  }
  for (const [key, inner] of Object.entries(value)) search(inner, [...path, key], depth - 1, found);
}
