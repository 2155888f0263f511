import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readKubernetesSchema, type KubernetesSchema, type SchemaData } from '../../domain/kubernetes/schema/kubernetes-schema.ts';

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
  const text = await readFile(schemaPath(import.meta.url), 'utf8');
  return readKubernetesSchema(JSON.parse(text) as SchemaData); // made by src/tooling/schema.ts
}

/** Found from the sources and from the bundle in dist/ alike, by going up from `from` to the package's root. */
function schemaPath(from: string): string {
  for (let folder = dirname(fileURLToPath(from)); ;) {
    if (existsSync(join(folder, 'package.json'))) return join(folder, FILE);
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${FILE} is not above ${fileURLToPath(from)}`);
    folder = parent;
  }
}
