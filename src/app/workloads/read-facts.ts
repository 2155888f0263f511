import { FactsBuilder, type FactsOptions } from '../../domain/check/facts-of-objects.ts';
import {
  CSI_NODES, CUSTOM_RESOURCE_DEFINITIONS, DAEMON_SETS, GMSA_CREDENTIAL_SPECS, NAMESPACES, NODES, PERSISTENT_VOLUME_CLAIMS, PERSISTENT_VOLUMES, RUNTIME_CLASSES,
  resourceKindKey, SERVICE_ACCOUNTS, STORAGE_CLASSES, type Resource,
} from '../../domain/kubernetes/resource.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import type { Reading } from './reading.ts';

/** What rules take as facts, and whether they need more than its metadata. */
const FACT_RESOURCES: readonly { readonly resource: Resource; readonly metadataOnly?: true }[] = [
  { resource: NODES }, { resource: NAMESPACES, metadataOnly: true }, { resource: RUNTIME_CLASSES }, { resource: STORAGE_CLASSES }, { resource: PERSISTENT_VOLUMES },
  { resource: PERSISTENT_VOLUME_CLAIMS }, { resource: CSI_NODES }, { resource: DAEMON_SETS },
  { resource: SERVICE_ACCOUNTS, metadataOnly: true }, { resource: CUSTOM_RESOURCE_DEFINITIONS, metadataOnly: true }, { resource: GMSA_CREDENTIAL_SPECS, metadataOnly: true },
];

export interface ReadFactsOptions {
  /** Of these alone; nothing is known of the others. */
  readonly wanted?: readonly Resource[] | undefined;
  /** Called with each page of nodes as they came. */
  readonly onNodes?: ((nodes: readonly KubeObject[]) => void) | undefined;
}

/** Reads the facts side by side; what may not be read is missing, and noted by the reading. `namespace` narrows what is namespaced. */
export async function readFacts(
  reading: Reading, namespace: string | null, optionsOf: (completeness: FactsOptions['completeness']) => FactsOptions, { wanted, onNodes }: ReadFactsOptions = {},
): Promise<FactsBuilder> {
  const resources = wanted === undefined ? FACT_RESOURCES : FACT_RESOURCES.filter(({ resource }) => wanted.includes(resource));
  const resourceOf = new Map(resources.map(({ resource }) => [resourceKindKey(resource), resource]));
  const builder = new FactsBuilder(optionsOf((kind) => {
    const resource = resourceOf.get(kind);
    if (resource === undefined) return 'none';
    const known = reading.completeness(resource);
    // whoever gives nodes in a file asks about these nodes, be they all of a cluster or one pool
    return known === 'some' && resource === NODES ? 'all' : known;
  }));
  await Promise.all(resources.map(async ({ resource, metadataOnly }) => {
    const scope = resource.namespaced && resource !== DAEMON_SETS && namespace !== null ? { namespace } : {};
    for await (const objects of reading.objects(resource, { ...scope, ...(metadataOnly === undefined ? {} : { metadataOnly }) })) {
      if (resource === NODES) onNodes?.(objects);
      for (const object of objects) builder.add(object);
    }
  }));
  return builder;
}
