import { nameOf, stringAt, type KubeObject } from './object.ts';

/** Which object is meant; fields that the object does not have are null. */
export interface ObjectRef {
  readonly apiVersion: string | null;
  readonly kind: string | null;
  readonly namespace: string | null;
  /** '' for an object without a name. With `metadata.generateName` alone, that, with an asterisk: `job-*`. */
  readonly name: string;
}

export function refOf(object: KubeObject): ObjectRef {
  const generated = stringAt(object, 'metadata', 'generateName');
  const name = nameOf(object);
  return {
    apiVersion: typeof object.apiVersion === 'string' ? object.apiVersion : null,
    kind: typeof object.kind === 'string' ? object.kind : null,
    namespace: stringAt(object, 'metadata', 'namespace') ?? null,
    name: name === '' && generated !== undefined ? `${generated}*` : name,
  };
}

/** `deployment/web`, as kubectl names objects; with `withNamespace` `deployment/web in namespace shop`. */
export function refText(ref: ObjectRef, options: { readonly withNamespace?: boolean } = {}): string {
  const text = `${(ref.kind ?? 'object').toLowerCase()}/${ref.name}`;
  return options.withNamespace === true && ref.namespace !== null ? `${text} in namespace ${ref.namespace}` : text;
}
