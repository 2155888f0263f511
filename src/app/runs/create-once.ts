/** An object that is created although the answer may get lost on the way. */
import { nameOf, type KubeObject } from '../../domain/kubernetes/object.ts';
import type { Resource } from '../../domain/kubernetes/resource.ts';
import { ClusterError } from '../../errors.ts';
import type { ClusterReader, ClusterWriter } from '../ports.ts';

export interface CreateOnceOptions {
  readonly namespace: string;
  readonly signal: AbortSignal;
  /** Of the request that creates: what it made has to be known. Absent: `signal`. */
  readonly creating?: AbortSignal;
}

export interface CreatedOnce {
  readonly object: KubeObject;
  /** It was there already, made by a request whose answer was lost; what became of it meanwhile has been passed over. */
  readonly isFound: boolean;
}

/**
 * Takes up what is there already under the name where `isOurs` says so. Throws AlreadyExists for a namesake, which is left alone, and
 * Conflict where it is gone again by the time that it is looked at: to be tried once more.
 */
export async function createOnce(resource: Resource, object: KubeObject, isOurs: (found: KubeObject) => boolean, cluster: { readonly reader: ClusterReader; readonly writer: ClusterWriter }, { namespace, signal, creating = signal }: CreateOnceOptions): Promise<CreatedOnce> {
  try {
    return { object: await cluster.writer.create(resource, object, { namespace, signal: creating }), isFound: false };
  } catch (error) {
    if (!(error instanceof ClusterError) || error.reason !== 'AlreadyExists') throw error;
    const found = await foundAfter(error, () => cluster.reader.get(resource, nameOf(object), { namespace, signal }));
    if (!isOurs(found)) throw error;
    return { object: found, isFound: true };
  }
}

async function foundAfter(error: ClusterError, get: () => Promise<KubeObject>): Promise<KubeObject> {
  try {
    return await get();
  } catch (failure) {
    if (failure instanceof ClusterError && failure.reason === 'NotFound') throw new ClusterError(error.message, { reason: 'Conflict', status: 409, cause: failure });
    throw failure;
  }
}
