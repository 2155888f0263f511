/**
 * Writes src/domain/kubernetes/schema/kubernetes-schema.json: names and types of the fields of every built-in kind, as an
 * API server publishes them under /openapi/v3. `node src/tooling/schema.ts` asks the cluster that kubectl is connected to.
 */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { arrayAt, isRecord, stringAt, valueAt } from '../domain/kubernetes/object.ts';
import type { SchemaData } from '../domain/kubernetes/schema/kubernetes-schema.ts';
import { isBuiltInGroup } from '../domain/workload/custom-resources.ts';
import { PROJECT_ROOT } from './source-commands.ts';

const FILE = join(PROJECT_ROOT, 'src', 'domain', 'kubernetes', 'schema', 'kubernetes-schema.json');

/** Types of Go with a JSON form of their own, which OpenAPI does not say in full. */
const OWN_FORMS: ReadonlyMap<string, string> = new Map([
  ['io.k8s.apimachinery.pkg.api.resource.Quantity', 'q'],
  ['io.k8s.apimachinery.pkg.util.intstr.IntOrString', 'p'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.Time', 't'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime', 'm'],
  ['io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1', 'a'],
  ['io.k8s.apimachinery.pkg.runtime.RawExtension', 'a'],
]);

const SCALARS: ReadonlyMap<string, string> = new Map([
  ['string ', 's'], ['string byte', 'y'], ['boolean ', 'b'], ['integer int32', 'i'], ['integer int64', 'l'], ['number double', 'n'],
]);

/** Kinds of requests that no manifest holds. */
const NO_MANIFESTS = new Set(['DeleteOptions', 'WatchEvent']);

/** Makes the data from the answers of /openapi/v3/api/v1, /openapi/v3/apis/apps/v1 …; kinds in alphabetical order. */
export function schemaOf(documents: readonly unknown[], version: string): SchemaData {
  const definitions = new Map<string, unknown>();
  const roots = new Map<string, string>();
  for (const document of documents) {
    const schemas = valueAt(document, 'components', 'schemas');
    for (const [name, schema] of Object.entries(isRecord(schemas) ? schemas : {})) {
      definitions.set(name, schema);
      for (const entry of arrayAt(schema, 'x-kubernetes-group-version-kind')) {
        const [group, groupVersion, kind] = [stringAt(entry, 'group') ?? '', stringAt(entry, 'version') ?? '', stringAt(entry, 'kind') ?? ''];
        // a cluster's custom resources are its own
        if (isBuiltInGroup(group) && !NO_MANIFESTS.has(kind) && !(kind.endsWith('List') && isRecord(valueAt(schema, 'properties', 'items')))) roots.set(`${group === '' ? '' : `${group}/`}${groupVersion}/${kind}`, name);
      }
    }
  }
  const indexes = new Map<string, number>();
  const types: Record<string, string>[] = [];
  const indexOf = (name: string): number => {
    const known = indexes.get(name);
    if (known !== undefined) return known;
    const index = types.length;
    indexes.set(name, index);
    const fields: Record<string, string> = {};
    types.push(fields);
    const properties = valueAt(definitions.get(name), 'properties');
    for (const [field, schema] of Object.entries(isRecord(properties) ? properties : {})) fields[field] = codeOf(schema);
    return index;
  };
  const codeOf = (schema: unknown): string => {
    const reference = stringAt(schema, '$ref') ?? stringAt(arrayAt(schema, 'allOf')[0], '$ref');
    if (reference !== undefined) {
      const name = reference.slice(reference.lastIndexOf('/') + 1);
      const target = definitions.get(name);
      // a type without `type` takes any JSON (JSONSchemaPropsOrBool …)
      return OWN_FORMS.get(name) ?? (stringAt(target, 'type') === 'object' ? String(indexOf(name)) : 'a');
    }
    const type = stringAt(schema, 'type');
    if (type === 'array') return `[${codeOf(valueAt(schema, 'items'))}`;
    if (type === 'object') return isRecord(valueAt(schema, 'additionalProperties')) ? `{${codeOf(valueAt(schema, 'additionalProperties'))}` : 'a';
    return SCALARS.get(`${type ?? ''} ${stringAt(schema, 'format') ?? ''}`) ?? 'a';
  };
  const kinds = Object.fromEntries([...roots].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, name]) => [key, indexOf(name)]));
  return { version, kinds, types };
}

/** The file's text: a type per line, so that a change of version can be read. */
export function schemaText({ version, kinds, types }: SchemaData): string {
  return `{"version":${JSON.stringify(version)},\n"kinds":${JSON.stringify(kinds)},\n"types":[\n${types.map((type) => JSON.stringify(type)).join(',\n')}\n]}\n`;
}

/** Paths below /openapi/v3 that describe a version of a group. */
export function groupVersionPaths(index: unknown): readonly string[] {
  const paths = valueAt(index, 'paths');
  return Object.keys(isRecord(paths) ? paths : {}).filter((path) => /^(?:api|apis\/[^/]+)\/v\d/.test(path)).toSorted();
}

if (import.meta.main) {
  const ask = (path: string): unknown => JSON.parse(execFileSync('kubectl', ['get', '--raw', path], { encoding: 'utf8', maxBuffer: 2 ** 28 })) as unknown;
  const documents = groupVersionPaths(ask('/openapi/v3')).map((path) => ask(`/openapi/v3/${path}`));
  writeFileSync(FILE, schemaText(schemaOf(documents, stringAt(ask('/version'), 'gitVersion') ?? '')));
}
