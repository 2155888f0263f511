import type { ByteSource } from '../../app/ports.ts';
import { BodyCutError, interruption, networkError } from '../http/network-error.ts';
import type { Attempt } from './api/api-error.ts';
import type { Connection } from './connection.ts';

/** The bytes of an answer as they come. What breaks on the way is thrown as ClusterError `ConnectionLost`, an abort as what the signal says. */
export async function* bodyBytes(body: AsyncIterable<Uint8Array>, { connection, attempt, signal }: { readonly connection: Connection; readonly attempt: Attempt; readonly signal: AbortSignal | undefined }): ByteSource & AsyncGenerator<Uint8Array, void, undefined> {
  let received = 0;
  try {
    for await (const chunk of body) {
      received += chunk.length;
      yield chunk;
    }
  } catch (error) {
    throw signal?.aborted === true ? interruption(signal) : networkError(new BodyCutError(received, error), connection, attempt);
  }
}
