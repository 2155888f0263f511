import { parseKubernetesVersion } from '../domain/kubernetes/version.ts';
import { UsageError } from '../errors.ts';

/** The version of --kubernetes-version as an API server writes it, with a leading v; null where the flag was not given. */
export function readKubernetesVersion(text: string | undefined): string | null {
  if (text === undefined) return null;
  if (parseKubernetesVersion(text) === null) {
    throw new UsageError(`invalid argument ${JSON.stringify(text)} for "--kubernetes-version" flag: must be a version of Kubernetes`, { suggestions: ['give it as 1.34 or v1.34.2'] });
  }
  const trimmed = text.trim();
  return trimmed.startsWith('v') ? trimmed : `v${trimmed}`;
}
