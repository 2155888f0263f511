/**
 * Taints and tolerations as the scheduler compares them.
 * https://github.com/kubernetes/api/blob/v0.37.2/core/v1/toleration.go and
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go, read 2026-11-30
 */
import { arrayAt, isRecord, stringAt } from '../kubernetes/object.ts';
import type { NodeTaint } from '../node/windows-node.ts';

/** Fields that a toleration does not have are ''. */
export interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
}

/** The tolerations of a pod spec or of a RuntimeClass's `scheduling`. */
export function tolerationsOf(holder: unknown): readonly Toleration[] {
  return arrayAt(holder, 'tolerations').filter(isRecord).map((toleration) => ({
    key: stringAt(toleration, 'key') ?? '', operator: stringAt(toleration, 'operator') ?? '', value: stringAt(toleration, 'value') ?? '', effect: stringAt(toleration, 'effect') ?? '',
  }));
}

/**
 * Whether a toleration meets a taint. Lt and Gt are compared although the gate for them (TaintTolerationComparisonOperators,
 * alpha since 1.35) is off by default: a server without it takes no pod that uses them.
 */
export function tolerates(toleration: Toleration, taint: Pick<NodeTaint, 'key' | 'value' | 'effect'>): boolean {
  if (toleration.effect !== '' && toleration.effect !== taint.effect) return false;
  if (toleration.key !== '' && toleration.key !== taint.key) return false;
  switch (toleration.operator) {
    case '':
    case 'Equal':
      return toleration.value === (taint.value ?? '');
    case 'Exists':
      return true;
    case 'Lt':
    case 'Gt': {
      const bound = decimalInteger(toleration.value);
      const value = decimalInteger(taint.value ?? '');
      if (bound === null || value === null) return false;
      return toleration.operator === 'Lt' ? value < bound : value > bound;
    }
    default:
      return false;
  }
}

/** A whole number without plus sign or leading zeros, within 64 bits; null for anything else. */
function decimalInteger(text: string): bigint | null {
  if (!/^(0|-?[1-9]\d*)$/.test(text)) return null;
  const value = BigInt(text);
  return BigInt.asIntN(64, value) === value ? value : null;
}

/** Taints of these effects that no toleration meets. PreferNoSchedule keeps no pod off a node. */
export function untoleratedTaints(taints: readonly NodeTaint[], tolerations: readonly Toleration[], effects: ReadonlySet<string>): readonly NodeTaint[] {
  return taints.filter((taint) => effects.has(taint.effect) && !tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** `os=windows:NoSchedule`, as kubectl writes taints. */
export function taintText({ key, value, effect }: NodeTaint): string {
  return `${key}${value === null || value === '' ? '' : `=${value}`}:${effect}`;
}

function existing(key: string, effect: string): Toleration {
  return { key, operator: 'Exists', value: '', effect };
}

/**
 * What the admission plugin DefaultTolerationSeconds, on by default, gives every pod for 300 s; so these taints keep none off.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/plugin/pkg/admission/defaulttolerationseconds/admission.go, read 2026-11-30
 */
export const DEFAULT_TOLERATIONS: readonly Toleration[] = [existing('node.kubernetes.io/not-ready', 'NoExecute'), existing('node.kubernetes.io/unreachable', 'NoExecute')];

const DAEMON_TOLERATIONS: readonly Toleration[] = [
  ...DEFAULT_TOLERATIONS,
  existing('node.kubernetes.io/disk-pressure', 'NoSchedule'),
  existing('node.kubernetes.io/memory-pressure', 'NoSchedule'),
  existing('node.kubernetes.io/pid-pressure', 'NoSchedule'),
  existing('node.kubernetes.io/unschedulable', 'NoSchedule'),
];

/**
 * What the DaemonSet controller gives each of its pods.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/controller/daemon/util/daemonset_util.go, read 2026-11-30
 */
export function daemonTolerations(hostNetwork: boolean): readonly Toleration[] {
  return hostNetwork ? [...DAEMON_TOLERATIONS, existing('node.kubernetes.io/network-unavailable', 'NoSchedule')] : DAEMON_TOLERATIONS;
}
