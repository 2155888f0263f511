import net from 'node:net';
import { KubeClient } from '../../../../src/adapters/kube/api/client.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { NODES } from '../../../../src/domain/kubernetes/resource.ts';
import { connectionTo, listen } from '../../../support/loopback-api.ts';

/** The error of a `get nodes n` that a plain socket answers with these bytes; `ends` closes the connection after them. */
export async function errorOfRawAnswer(bytes: string | Buffer, { ends = false } = {}): Promise<ClusterError> {
  const error: unknown = await rawAnswer(bytes, ends).then(() => null, (failure: unknown) => failure);
  if (!(error instanceof ClusterError)) throw new Error(`ClusterError expected, got ${String(error)}`, { cause: error });
  return error;
}

/** The object of such an answer. */
export async function rawAnswer(bytes: string | Buffer, ends = false): Promise<unknown> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      if (ends) socket.end(bytes);
      else socket.write(bytes);
    });
  });
  const port = await listen(server);
  const client = new KubeClient(connectionTo({ url: `http://127.0.0.1:${port}`, ca: undefined }));
  try {
    return await client.get(NODES, 'n');
  } finally {
    client.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
}
