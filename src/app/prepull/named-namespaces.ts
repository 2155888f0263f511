/** Manifests whose workloads are in namespaces that can be: pulls run there, and the name stands in commands and in a Role that users copy. */
import { isDnsLabel } from '../../domain/kubernetes/dns-label.ts';
import { refOf, refText } from '../../domain/kubernetes/object-ref.ts';
import { stringAt } from '../../domain/kubernetes/object.ts';
import { workloadsOf } from '../../domain/workload/workload.ts';
import { InputError } from '../../errors.ts';
import type { ManifestObject, ManifestSource, UnreadableDocument } from '../ports.ts';

/** Reading throws InputError, with the place, where the namespace of a workload is no name of one. */
export function withNamedNamespaces(manifests: ManifestSource): ManifestSource {
  return {
    description: manifests.description,
    get notes() {
      return manifests.notes;
    },
    async* read(signal?: AbortSignal): AsyncGenerator<ManifestObject | UnreadableDocument> {
      for await (const entry of manifests.read(signal)) {
        if ('object' in entry) requireNamed(entry);
        yield entry;
      }
    },
  };
}

function requireNamed(manifest: ManifestObject): void {
  const { object } = manifest;
  const namespace = stringAt(object, 'metadata', 'namespace') ?? '';
  if (namespace === '' || isDnsLabel(namespace) || workloadsOf(object).length === 0) return;
  throw new InputError(manifest.locate(['metadata', 'namespace']), `${refText(refOf(object))} is in ${JSON.stringify(namespace)}, which is no name of a namespace`, { suggestions: ['-n says where pulls run, whatever the manifests say'] });
}
