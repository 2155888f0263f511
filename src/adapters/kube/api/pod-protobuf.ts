/**
 * Lists of pods and errors in Kubernetes' protobuf encoding, as plain objects of JSON's shape that hold only what tells of
 * a pod's health, owner and images: managedFields, env, probes and volumes, which are most of a pod, are skipped unread.
 *
 * The encoding: https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding. Field numbers:
 * https://github.com/kubernetes/api/blob/10b39a39bcee/core/v1/generated.proto,
 * https://github.com/kubernetes/apimachinery/blob/eed236ceee2c/pkg/apis/meta/v1/generated.proto and
 * https://github.com/kubernetes/apimachinery/blob/eed236ceee2c/pkg/runtime/generated.proto; all read 2026-11-30.
 * A number is never given to another field, as stored objects have it.
 */
import { stringAt } from '../../../domain/kubernetes/object.ts';
import { findInPrefix, MalformedProtobufError, readProtobuf, type ProtobufField, type ProtobufTable } from './protobuf-reader.ts';

/** JSON where the server, or something before it, has no protobuf: the Content-Type of the answer tells. */
export const PROTOBUF_OR_JSON = 'application/vnd.kubernetes.protobuf, application/json';

const MAGIC = Buffer.from('k8s\0', 'latin1');

interface Each {
  readonly each: ProtobufTable;
}

/** Wanted fields by number. A name with `?` is left out where it is empty, as in JSON (omitempty in the Go types). */
function table(fields: Readonly<Record<number, readonly [name: string, type: 'string' | 'boolean' | 'integer' | 'bytes' | 'map' | ProtobufTable | Each]>>): ProtobufTable {
  const byNumber: (ProtobufField | undefined)[] = [];
  for (const [number, [word, type]] of Object.entries(fields)) {
    const name = word.replace(/\?$/, '');
    byNumber[Number(number)] = typeof type === 'string' ? { name, type, omitsEmpty: name !== word, table: [] }
      : 'each' in type ? { name, type: 'messages', omitsEmpty: false, table: type.each } : { name, type: 'message', omitsEmpty: false, table: type };
  }
  // without holes, which are slow
  return Array.from(byNumber);
}

const each = (of: ProtobufTable): Each => ({ each: of });

/** Numbers of the envelope's object and of a list's metadata. */
const RAW = 2;
const LIST_METADATA = 1;

const ENVELOPE = table({ 1: ['typeMeta', table({ 1: ['apiVersion', 'string'], 2: ['kind', 'string'] })], [RAW]: ['raw', 'bytes'], 3: ['contentEncoding?', 'string'] });
const LIST_META = table({ 2: ['resourceVersion?', 'string'], 3: ['continue?', 'string'], 4: ['remainingItemCount', 'integer'] });

const OWNER_REFERENCE = table({ 5: ['apiVersion', 'string'], 1: ['kind', 'string'], 3: ['name', 'string'], 6: ['controller', 'boolean'] });
const OBJECT_META = table({ 1: ['name?', 'string'], 2: ['generateName?', 'string'], 3: ['namespace?', 'string'], 11: ['labels', 'map'], 13: ['ownerReferences', each(OWNER_REFERENCE)] });
const WINDOWS_OPTIONS = table({ 4: ['hostProcess', 'boolean'] });
const CONTAINER = table({ 1: ['name', 'string'], 2: ['image?', 'string'], 15: ['securityContext', table({ 10: ['windowsOptions', WINDOWS_OPTIONS] })] });
const POD_SPEC = table({ 2: ['containers', each(CONTAINER)], 10: ['nodeName?', 'string'], 14: ['securityContext', table({ 8: ['windowsOptions', WINDOWS_OPTIONS] })], 20: ['initContainers', each(CONTAINER)] });
const CONDITION = table({ 1: ['type', 'string'], 2: ['status', 'string'], 5: ['reason?', 'string'], 6: ['message?', 'string'] });
const CONTAINER_STATE = table({
  1: ['waiting', table({ 1: ['reason?', 'string'], 2: ['message?', 'string'] })],
  2: ['running', table({})],
  3: ['terminated', table({ 1: ['exitCode', 'integer'], 3: ['reason?', 'string'], 4: ['message?', 'string'] })],
});
const CONTAINER_STATUS = table({ 1: ['name', 'string'], 2: ['state', CONTAINER_STATE], 3: ['lastState', CONTAINER_STATE], 4: ['ready', 'boolean'], 6: ['image', 'string'], 7: ['imageID', 'string'] });
const POD_STATUS = table({
  1: ['phase?', 'string'], 2: ['conditions', each(CONDITION)], 3: ['message?', 'string'], 4: ['reason?', 'string'],
  8: ['containerStatuses', each(CONTAINER_STATUS)], 10: ['initContainerStatuses', each(CONTAINER_STATUS)],
});
const POD = table({ 1: ['metadata', OBJECT_META], 2: ['spec', POD_SPEC], 3: ['status', POD_STATUS] });

const STATUS_CAUSE = table({ 1: ['reason?', 'string'], 2: ['message?', 'string'], 3: ['field?', 'string'] });
const STATUS_DETAILS = table({ 1: ['name?', 'string'], 2: ['group?', 'string'], 3: ['kind?', 'string'], 4: ['causes', each(STATUS_CAUSE)], 5: ['retryAfterSeconds?', 'integer'], 6: ['uid?', 'string'] });

/** What is read of each kind; of others there is apiVersion and kind alone. */
const KINDS: ReadonlyMap<string, ProtobufTable> = new Map([
  ['PodList', table({ [LIST_METADATA]: ['metadata', LIST_META], 2: ['items', each(POD)] })],
  ['Status', table({ 1: ['metadata', LIST_META], 2: ['status?', 'string'], 3: ['message?', 'string'], 4: ['reason?', 'string'], 5: ['details', STATUS_DETAILS], 6: ['code?', 'integer'] })],
]);

export function isProtobuf(contentType: string | undefined): boolean {
  return /^\s*application\/vnd\.kubernetes\.protobuf\s*(?:;|$)/i.test(contentType ?? '');
}

/** An answer's body as an object of JSON's shape. Throws MalformedProtobufError; `isCut` where the body ends too early. */
export function readKubernetesProtobuf(body: Buffer): Record<string, unknown> {
  const mark = body.subarray(0, MAGIC.length);
  if (!MAGIC.subarray(0, mark.length).equals(mark)) throw new MalformedProtobufError('a body without the mark "k8s" of Kubernetes');
  if (mark.length < MAGIC.length) throw new MalformedProtobufError('a body that is shorter than its mark', { isCut: true });
  const envelope = readProtobuf(body, ENVELOPE, MAGIC.length);
  const { raw } = envelope;
  if (!Buffer.isBuffer(raw)) throw new MalformedProtobufError('an envelope without an object', { isCut: true });
  if (stringAt(envelope, 'contentEncoding') !== undefined) throw new MalformedProtobufError(`an object in the encoding ${JSON.stringify(envelope['contentEncoding'])}`);
  const apiVersion = stringAt(envelope, 'typeMeta', 'apiVersion') ?? '';
  const kind = stringAt(envelope, 'typeMeta', 'kind') ?? '';
  const fields = apiVersion === 'v1' ? KINDS.get(kind) : undefined;
  const object = fields === undefined ? {} : readObject(raw, fields);
  // a list without objects has no field for them
  return { kind, apiVersion, ...(fields !== undefined && kind === 'PodList' ? { items: [] } : {}), ...object };
}

/** All bytes of the object are there: more of them would not mend it. */
function readObject(raw: Buffer, fields: ProtobufTable): Record<string, unknown> {
  try {
    return readProtobuf(raw, fields);
  } catch (cause) {
    throw cause instanceof MalformedProtobufError && cause.isCut ? new MalformedProtobufError(cause.message, { cause }) : cause;
  }
}

/**
 * The continue token from the first bytes of a list in protobuf, whose metadata come before the items; null when they are
 * not complete yet, or the bytes are no such list. Like continueTokenInHead for JSON.
 */
export function continueTokenInProtobufHead(head: Buffer): string | null {
  if (!head.subarray(0, MAGIC.length).equals(MAGIC)) return null;
  try {
    const raw = findInPrefix(head, RAW, MAGIC.length);
    const metadata = raw === null ? null : findInPrefix(raw.bytes, LIST_METADATA);
    return metadata?.isWhole === true ? stringAt(readProtobuf(metadata.bytes, LIST_META), 'continue') ?? null : null;
  } catch (error) {
    if (error instanceof MalformedProtobufError) return null;
    throw error;
  }
}
