import { arrayAt, booleanAt, describeValue, isRecord, stringAt } from '../../domain/kubernetes/object.ts';
import type { KubeObject } from '../../domain/kubernetes/object.ts';
import { groupOf } from '../../domain/kubernetes/resource.ts';
import { InputError } from '../../errors.ts';
import { foreignKind } from './foreign-kind.ts';
import { INVENTORY_API_VERSION, INVENTORY_KIND } from './inventory-file.ts';
import type { ParsedDocument } from './parsed-document.ts';

interface ReadResource {
  readonly group: string;
  readonly kind: string;
  readonly complete: boolean;
}

/** What one document of a file holds. */
export interface DocumentContent {
  readonly objects: readonly KubeObject[];
  /** What the document was read for, with or without objects; complete where it holds all objects of the cluster. */
  readonly resources: readonly ReadResource[];
  /** From an Inventory; null otherwise. */
  readonly inventory: { readonly serverVersion: string | null; readonly generatedAt: string | null; readonly context: string | null } | null;
}

/** Characters of a problem that are printed. */
const LONGEST_PROBLEM = 500;

interface Place {
  readonly file: string;
  /** From 1. */
  readonly documentNumber: number;
  readonly documentCount: number;
  readonly line: number;
}

/** The Kubernetes objects of one document: an object, a List, a typed list, or an Inventory. Throws InputError for all else. */
export function unrollObjects(document: ParsedDocument, place: { readonly file: string; readonly documentNumber: number; readonly documentCount: number }): DocumentContent {
  const at: Place = { ...place, line: document.line };
  const { value } = document;
  if (!isRecord(value)) throw problem(at, `is ${describeValue(value)}, not a Kubernetes object`, hintForValue(value));
  const { kind, apiVersion } = value;
  if (typeof kind !== 'string' || kind === '') throw withoutKind(at, value);
  if (typeof apiVersion !== 'string' || apiVersion === '') throw problem(at, `(kind ${kind}) has no apiVersion`);
  if (apiVersion.startsWith('kubectl-win/')) return unrollInventory(at, value, apiVersion, kind);
  refuseForeign(at, value, apiVersion, kind);
  if (kind.endsWith('List') && (Object.hasOwn(value, 'items') || kind === 'List')) return unrollList(at, value, apiVersion, kind);
  const object = namedObject(at, value, 'the object');
  return { objects: [object], resources: [{ group: groupOf(apiVersion), kind, complete: false }], inventory: null };
}

function unrollList(at: Place, list: Readonly<Record<string, unknown>>, apiVersion: string, kind: string): DocumentContent {
  const items = itemsOf(at, list, kind);
  const objects: KubeObject[] = [];
  const resources: ReadResource[] = [];
  // A typed list (NodeList) leaves kind and apiVersion of its items out: the API server's own lists look so.
  const itemKind = kind === 'List' ? undefined : kind.slice(0, -'List'.length);
  if (itemKind !== undefined && itemKind !== '') resources.push({ group: groupOf(apiVersion), kind: itemKind, complete: false });
  for (const [index, item] of items.entries()) {
    const name = `items[${index}]`;
    if (!isRecord(item)) throw problem(at, `${name} is ${describeValue(item)}, not a Kubernetes object`);
    const ownKind = item['kind'] ?? itemKind;
    const ownApiVersion = item['apiVersion'] ?? (itemKind === undefined ? undefined : apiVersion);
    if (typeof ownKind !== 'string' || ownKind === '') throw problem(at, `${name} has no kind`);
    if (typeof ownApiVersion !== 'string' || ownApiVersion === '') throw problem(at, `${name} (kind ${ownKind}) has no apiVersion`);
    const complete = item['kind'] === ownKind && item['apiVersion'] === ownApiVersion ? item : { apiVersion: ownApiVersion, ...item, kind: ownKind };
    if (ownKind.endsWith('List') && Array.isArray(complete['items'])) {
      const inner = unrollList(at, complete, ownApiVersion, ownKind);
      // One by one: a call takes about a hundred thousand arguments, a List any number of objects.
      for (const object of inner.objects) objects.push(object);
      for (const resource of inner.resources) resources.push(resource);
    } else {
      objects.push(namedObject(at, complete, name));
      resources.push({ group: groupOf(ownApiVersion), kind: ownKind, complete: false });
    }
  }
  return { objects, resources, inventory: null };
}

/** Ages and end dates are reckoned from it, so a text that only resembles a time must not be guessed at. */
function timeOf(at: Place, generatedAt: unknown): string | null {
  if (generatedAt === undefined || generatedAt === null) return null;
  if (typeof generatedAt === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/.test(generatedAt) && !Number.isNaN(Date.parse(generatedAt))) return generatedAt;
  throw problem(at, `metadata.generatedAt is ${JSON.stringify(generatedAt)}, not a time such as 2026-11-30T08:30:00Z`);
}

function unrollInventory(at: Place, value: Readonly<Record<string, unknown>>, apiVersion: string, kind: string): DocumentContent {
  if (kind !== INVENTORY_KIND) {
    throw problem(at, `is a report of kubectl win (kind ${kind}), which does not hold the objects themselves`, ['record them with --save FILE, or with kubectl get … -o json']);
  }
  if (apiVersion !== INVENTORY_API_VERSION) {
    throw problem(at, `is an Inventory of version ${apiVersion}; this version of kubectl win reads ${INVENTORY_API_VERSION}`, ['read it with the version that wrote it']);
  }
  const { metadata } = value;
  if (!isRecord(metadata)) throw problem(at, 'is an Inventory without metadata: it is cut off, or was edited', ['record it again with --save FILE']);
  const { objects, resources } = unrollList(at, value, 'v1', 'List');
  const recorded = arrayAt(metadata, 'resources').map((entry, index) => {
    const group = stringAt(entry, 'group');
    const entryKind = stringAt(entry, 'kind');
    if (group === undefined || entryKind === undefined) throw problem(at, `metadata.resources[${index}] has no group and kind`);
    return { group, kind: entryKind, complete: booleanAt(entry, 'complete') === true };
  });
  return {
    objects,
    resources: [...recorded, ...resources],
    inventory: {
      serverVersion: stringAt(metadata, 'serverVersion') ?? null,
      generatedAt: timeOf(at, metadata['generatedAt']),
      context: stringAt(metadata, 'context') ?? null,
    },
  };
}

function itemsOf(at: Place, list: Readonly<Record<string, unknown>>, kind: string): readonly unknown[] {
  const { items } = list;
  // Go writes an empty slice that was never made as null.
  if (items === null) return [];
  if (!Array.isArray(items)) throw problem(at, `(kind ${kind}) has ${items === undefined ? 'no items' : `${describeValue(items)} as items`}`);
  return items;
}

function namedObject(at: Place, object: Readonly<Record<string, unknown>>, what: string): KubeObject {
  const { metadata } = object;
  const kind = String(object['kind']);
  if (!isRecord(metadata)) throw problem(at, `${what} (kind ${kind}) has ${metadata === undefined ? 'no metadata' : `${describeValue(metadata)} as metadata`}`);
  const { name, generateName, namespace } = metadata;
  if (typeof name === 'string' && name !== '') {
    if (namespace !== undefined && namespace !== null && typeof namespace !== 'string') throw problem(at, `${what} (kind ${kind}, name ${name}) has ${describeValue(namespace)} as metadata.namespace`);
    return object;
  }
  if (name === undefined && typeof generateName === 'string' && generateName !== '') return object;
  throw problem(at, `${what} (kind ${kind}) has ${name === undefined || name === '' ? 'no name' : `${describeValue(name)} as its name`}`);
}

function refuseForeign(at: Place, value: Readonly<Record<string, unknown>>, apiVersion: string, kind: string): void {
  const foreign = foreignKind(value, apiVersion, kind, { noun: 'an inventory', advice: 'record with kubectl get … -o json' });
  if (foreign !== null) throw problem(at, foreign.text, foreign.suggestions);
}

function withoutKind(at: Place, value: Readonly<Record<string, unknown>>): InputError {
  if (Array.isArray(value['items'])) {
    return problem(at, 'has items but no kind: it is probably cut off', ['kubectl writes kind after items: run the command that wrote it again']);
  }
  return problem(at, 'has no kind: it is not a Kubernetes object', ['every object needs apiVersion, kind and metadata.name']);
}

function hintForValue(value: unknown): readonly string[] {
  if (Array.isArray(value)) return ['give the whole list as kubectl get -o json wrote it, with its kind, apiVersion and items'];
  return ['give Kubernetes objects as JSON or YAML, as kubectl get … -o json writes them'];
}

function problem(at: Place, text: string, suggestions: readonly string[] = []): InputError {
  // Texts of the file are quoted in it, and may be of any length.
  const clipped = text.length > LONGEST_PROBLEM ? `${text.slice(0, LONGEST_PROBLEM)}…` : text;
  const subject = text.startsWith('items[') || text.startsWith('metadata.') || text.startsWith('the object') ? clipped : `the document ${clipped}`;
  const prefix = at.documentCount > 1 ? `document ${at.documentNumber}: ` : '';
  return new InputError({ file: at.file, line: at.line }, prefix + subject, { suggestions });
}
