/**
 * What a RuntimeClass adds to its pods at admission; templates do not show it.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/plugin/pkg/admission/runtimeclass/admission.go, read 2026-11-30
 */
import type { FactTable } from '../kubernetes/fact-table.ts';
import { isRecord, nameOf, stringAt, stringMapAt, valueAt, type KubeObject } from '../kubernetes/object.ts';
import { tolerationsOf, type Toleration } from './taint-toleration.ts';

export interface RuntimeClassScheduling {
  readonly name: string;
  /** Merged into the pod's; another value under the same key is refused. */
  readonly nodeSelector: Readonly<Record<string, string>>;
  readonly tolerations: readonly Toleration[];
  /** `overhead.podFixed`, quantities as written; null when the class has none. */
  readonly overhead: Readonly<Record<string, unknown>> | null;
}

/** none: the pod names no class. missing: the class does not exist, so the API server refuses the pod. unknown: it may or may not exist. */
export type RuntimeClassLookup =
  | { readonly is: 'none' }
  | { readonly is: 'found'; readonly scheduling: RuntimeClassScheduling }
  | { readonly is: 'missing' | 'unknown'; readonly name: string };

export function runtimeClassOf(spec: unknown, runtimeClasses: FactTable<KubeObject> | null): RuntimeClassLookup {
  const name = stringAt(spec, 'runtimeClassName') ?? '';
  if (name === '') return { is: 'none' };
  const found = runtimeClasses?.get(name);
  if (found === undefined) return { is: runtimeClasses?.isComplete === true ? 'missing' : 'unknown', name };
  const overhead = valueAt(found, 'overhead', 'podFixed');
  return {
    is: 'found',
    scheduling: { name: nameOf(found), nodeSelector: stringMapAt(found, 'scheduling', 'nodeSelector'), tolerations: tolerationsOf(valueAt(found, 'scheduling')), overhead: isRecord(overhead) ? overhead : null },
  };
}
