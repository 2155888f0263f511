import { arrayAt, stringAt } from '../kubernetes/object.ts';
import { CONTAINER_LISTS } from './workload.ts';

/** Names of the GMSACredentialSpecs that a pod spec uses, each once: the pod's own and its containers'. */
export function credentialSpecNames(spec: Readonly<Record<string, unknown>>): readonly string[] {
  const names = new Set<string>();
  const add = (holder: unknown): void => {
    const name = stringAt(holder, 'securityContext', 'windowsOptions', 'gmsaCredentialSpecName');
    if (name !== undefined && name !== '') names.add(name);
  };
  add(spec);
  for (const list of CONTAINER_LISTS) for (const container of arrayAt(spec, list)) add(container);
  return [...names];
}
