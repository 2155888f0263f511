/** Names and types of the fields of Kubernetes' own kinds. The data are a file beside this one, made by src/tooling/schema.ts. */

/** As the file holds it. A type is a map of its fields; a field's type is written in a few letters, see FieldType. */
export interface SchemaData {
  /** Version of the API server that it was made from: `v1.37.2`. */
  readonly version: string;
  /** Index of a kind's type, by `apps/v1/Deployment` or `v1/Pod`. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly types: readonly Readonly<Record<string, string>>[];
}

/** What JSON a field takes; null is taken everywhere. */
export type FieldType =
  | { readonly form: ScalarForm }
  | { readonly form: 'object'; readonly type: number }
  | { readonly form: 'list' | 'map'; readonly of: FieldType };

export type ScalarForm = 'string' | 'bytes' | 'boolean' | 'int32' | 'int64' | 'double' | 'quantity' | 'int-or-string' | 'time' | 'micro-time' | 'any';

const SCALAR_FORMS: ReadonlyMap<string, FieldType> = new Map(([
  ['s', 'string'], ['y', 'bytes'], ['b', 'boolean'], ['i', 'int32'], ['l', 'int64'], ['n', 'double'], ['q', 'quantity'], ['p', 'int-or-string'],
  ['t', 'time'], ['m', 'micro-time'], ['a', 'any'],
] as const satisfies readonly (readonly [string, ScalarForm])[]).map(([code, form]) => [code, { form }] as const));

export interface KubernetesSchema {
  readonly version: string;
  /** Type of a kind; null for one that is not built in. */
  typeOf(apiVersion: string, kind: string): number | null;
  /** Fields of a type. */
  fieldsOf(type: number): ReadonlyMap<string, FieldType>;
}

/** Reads the data; types are read when they are first asked for. */
export function readKubernetesSchema(data: SchemaData): KubernetesSchema {
  const kinds = new Map(Object.entries(data.kinds));
  const read: (ReadonlyMap<string, FieldType> | undefined)[] = [];
  const forms = new Map<string, FieldType>(SCALAR_FORMS);
  const formOf = (code: string): FieldType => {
    const known = forms.get(code);
    if (known !== undefined) return known;
    const made: FieldType = code.startsWith('[') ? { form: 'list', of: formOf(code.slice(1)) } : code.startsWith('{') ? { form: 'map', of: formOf(code.slice(1)) } : { form: 'object', type: Number(code) };
    forms.set(code, made);
    return made;
  };
  return {
    version: data.version,
    typeOf: (apiVersion, kind) => kinds.get(`${apiVersion}/${kind}`) ?? null,
    fieldsOf: (type) => (read[type] ??= new Map(Object.entries(data.types[type] ?? {}).map(([name, code]) => [name, formOf(code)]))),
  };
}
