/** The objects that a run would create, as --dry-run -o yaml prints them. */
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import { renderYaml } from '../yaml.ts';

/** Documents of one YAML stream, as kubectl takes them. */
export async function* renderObjects(objects: readonly KubeObject[]): AsyncGenerator<string, void, undefined> {
  for (const [index, object] of objects.entries()) {
    if (index > 0) yield '---\n';
    yield* await renderYaml(object);
  }
}
