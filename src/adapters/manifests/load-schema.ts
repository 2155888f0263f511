import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readKubernetesSchema, type KubernetesSchema, type SchemaData } from '../../domain/kubernetes/schema/kubernetes-schema.ts';
import { packageFile } from '../package-file.ts';

const FILE = join('src', 'domain', 'kubernetes', 'schema', 'kubernetes-schema.json');

let schema: Promise<KubernetesSchema> | undefined;

/**
 * The fields of Kubernetes' own kinds, read once. The file lies beside the bundle and not in it: most runs need none of
 * it. Throws when the package was installed without it.
 */
export function loadSchema(): Promise<KubernetesSchema> {
  return (schema ??= readSchema());
}

async function readSchema(): Promise<KubernetesSchema> {
  const text = await readFile(packageFile(FILE), 'utf8');
  return readKubernetesSchema(JSON.parse(text) as SchemaData); // made by src/tooling/schema.ts
}
