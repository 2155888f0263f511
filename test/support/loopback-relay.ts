/** What lies between a client and a server, on loopback: a line that can be cut, fall silent and come back. */
import net, { type Socket } from 'node:net';
import { listen } from './loopback-api.ts';

export interface LoopbackRelay {
  readonly url: string;
  /** Connections that are open now. */
  readonly connections: () => number;
  /** Ends every connection and takes none. */
  cut(): void;
  /** As where packets are dropped: connections stay, new ones are taken, and nothing passes any more. */
  silence(): void;
  /** What was silenced is lost; new connections pass. */
  restore(): void;
  close(): Promise<void>;
}

/** Passes every byte on to `server`, whose TLS it does not end. */
export async function startLoopbackRelay(server: string): Promise<LoopbackRelay> {
  const port = Number(new URL(server).port);
  const sockets = new Set<Socket>();
  let state: 'open' | 'cut' | 'silent' = 'open';
  const hold = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).once('close', () => sockets.delete(socket));
  };
  const destroyAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const relay = net.createServer((socket) => {
    hold(socket);
    if (state === 'cut') return void socket.destroy();
    if (state === 'silent') return void socket.pause();
    const onward = net.connect(port, '127.0.0.1');
    hold(onward);
    socket.pipe(onward).pipe(socket);
    // not where it is silent: then nobody hears of an end either
    socket.once('close', () => onward.destroy());
    onward.once('close', () => {
      if (state !== 'silent') socket.destroy();
    });
    return undefined;
  });
  const url = `https://127.0.0.1:${await listen(relay)}`;
  return {
    url,
    connections: () => sockets.size,
    cut: () => {
      state = 'cut';
      destroyAll();
    },
    silence: () => {
      state = 'silent';
      for (const socket of sockets) socket.unpipe().pause();
    },
    restore: () => {
      if (state === 'silent') destroyAll();
      state = 'open';
    },
    close: async () => {
      destroyAll();
      await new Promise<void>((resolve) => { relay.close(() => resolve()); });
    },
  };
}
