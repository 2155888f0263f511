import { stringAt } from '../kubernetes/object.ts';
import type { Workload } from './workload.ts';

/** Names of the GMSACredentialSpecs that a pod template uses, each once: the pod's own and its containers'. */
export function credentialSpecNames({ spec, containers }: Workload): readonly string[] {
  const named = [spec, ...containers.map(({ fields }) => fields)].flatMap((holder) => stringAt(holder, 'securityContext', 'windowsOptions', 'gmsaCredentialSpecName') ?? []);
  return [...new Set(named.filter((name) => name !== ''))];
}
