/** The very objects that would be created, as --dry-run prints them. */
import type { KubeObject } from '../domain/kubernetes/object.ts';
import { renderJson } from './json.ts';
import { renderYaml } from './yaml.ts';

/** Documents of one YAML stream, as kubectl takes them. */
export async function* renderObjects(objects: readonly KubeObject[]): AsyncGenerator<string, void, undefined> {
  for (const [index, object] of objects.entries()) {
    if (index > 0) yield '---\n';
    yield* await renderYaml(object);
  }
}

/** One as it is, several as a List, as kubectl prints them; nothing for none. */
export async function* renderObjectsAsJson(objects: readonly KubeObject[]): AsyncGenerator<string, void, undefined> {
  if (objects.length === 0) return;
  yield* renderJson(objects.length === 1 ? objects[0] as KubeObject : { apiVersion: 'v1', items: objects, kind: 'List', metadata: { resourceVersion: '' } });
}
