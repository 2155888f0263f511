import { arrayAt, isRecord, numberAt, stringAt } from '../kubernetes/object.ts';
import type { Workload } from '../workload/workload.ts';

/** Volumes whose place or count can bind a pod to nodes. Secrets, hostPath, emptyDir and inline CSI volumes do not. */
const BINDING_VOLUMES = ['persistentVolumeClaim', 'ephemeral', 'awsElasticBlockStore', 'azureDisk', 'cinder', 'gcePersistentDisk', 'iscsi', 'portworxVolume', 'rbd', 'vsphereVolume'] as const;

/** Parts of a pod that decide over nodes too, but hang on running pods, volumes or devices; a few words each. */
export function unevaluatedParts({ spec, object, containers }: Workload): readonly string[] {
  const parts: string[] = [];
  const affinity = isRecord(spec['affinity']) ? spec['affinity'] : {};
  if (requires(affinity, 'podAffinity')) parts.push('pod affinity, which looks for running pods');
  if (requires(affinity, 'podAntiAffinity')) parts.push('pod anti-affinity, which looks for running pods');
  const spread = arrayAt(spec, 'topologySpreadConstraints').filter((constraint) => stringAt(constraint, 'whenUnsatisfiable') !== 'ScheduleAnyway');
  if (spread.length > 0) parts.push('topology spread, which counts running pods');
  const volumes = arrayAt(spec, 'volumes').filter((volume) => isRecord(volume) && BINDING_VOLUMES.some((kind) => isRecord(volume[kind])));
  if (volumes.length > 0 || arrayAt(object, 'spec', 'volumeClaimTemplates').length > 0) parts.push('node affinity and limits of volumes');
  if (arrayAt(spec, 'resourceClaims').length > 0) parts.push('resource claims');
  const ports = containers.flatMap(({ fields }) => arrayAt(fields, 'ports').flatMap((port) => numberAt(port, 'hostPort') ?? (spec['hostNetwork'] === true ? numberAt(port, 'containerPort') : undefined) ?? [])).filter((port) => port > 0);
  if (ports.length > 0) parts.push(`whether host ${ports.length === 1 ? 'port' : 'ports'} ${[...new Set(ports)].join(', ')} ${ports.length === 1 ? 'is' : 'are'} free`);
  const scheduler = stringAt(spec, 'schedulerName') ?? '';
  if (scheduler !== '' && scheduler !== 'default-scheduler') parts.push(`rules of the scheduler ${scheduler}`);
  return parts;
}

function requires(affinity: Readonly<Record<string, unknown>>, kind: 'podAffinity' | 'podAntiAffinity'): boolean {
  return arrayAt(affinity, kind, 'requiredDuringSchedulingIgnoredDuringExecution').length > 0;
}
