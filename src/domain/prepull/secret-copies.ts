/**
 * Pull secrets of other namespaces. A pod names secrets of its own namespace alone
 * (https://kubernetes.io/docs/concepts/containers/images/#specifying-imagepullsecrets-on-a-pod, read 2026-11-30), so that a run that is to
 * pull with another one's has a copy, which goes with the Job that stands for the run.
 */
import { isDnsLabel } from '../kubernetes/dns-label.ts';
import { stringAt, type KubeObject } from '../kubernetes/object.ts';
import { ORIGIN_ANNOTATION, ROLE_LABEL, RUN_LABEL } from '../runs/run-labels.ts';
import { MANAGED_BY, ownedBy, runJobName, type RunOptions, type RunOwner } from './run-objects.ts';

export interface SecretPlace {
  readonly namespace: string;
  readonly name: string;
}

/** Key of the credentials by the type of the secret; of other types the kubelet takes none. */
const KEYS: Readonly<Record<string, string>> = { 'kubernetes.io/dockerconfigjson': '.dockerconfigjson', 'kubernetes.io/dockercfg': '.dockercfg' };

/** `NAMESPACE/NAME`, or null for what is no such place. */
export function readSecretPlace(text: string): SecretPlace | null {
  const [namespace = '', name = '', more] = text.split('/');
  return more === undefined && isDnsLabel(namespace) && name.length <= 253 && name.split('.').every(isDnsLabel) ? { namespace, name } : null;
}

export function placeText({ namespace, name }: SecretPlace): string {
  return `${namespace}/${name}`;
}

export function secretCopyName(run: string, index: number): string {
  return `${runJobName(run)}-secret-${index}`;
}

/** null where the secret holds no credentials of registries: those alone are copied. */
export function secretCopy({ run, namespace, origin }: Pick<RunOptions, 'run' | 'namespace' | 'origin'>, index: number, source: KubeObject, owner: RunOwner): KubeObject | null {
  const type = stringAt(source, 'type') ?? '';
  const key = Object.hasOwn(KEYS, type) ? KEYS[type] : undefined;
  const data = key === undefined ? undefined : stringAt(source, 'data', key);
  if (key === undefined || data === undefined) return null;
  return {
    apiVersion: 'v1', kind: 'Secret', type, immutable: true, data: { [key]: data },
    metadata: {
      name: secretCopyName(run, index), namespace, labels: { ...MANAGED_BY, [RUN_LABEL]: run, [ROLE_LABEL]: 'secret' }, annotations: { [ORIGIN_ANNOTATION]: origin },
      ownerReferences: ownedBy(owner),
    },
  };
}
