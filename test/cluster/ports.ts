import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

// Below the ports that Linux and macOS give to outgoing connections (net.ipv4.ip_local_port_range starts at 32768), so
// that no connection of a program that already runs takes one between this look and its use.
const lowest = 20_000;
const highest = 32_000;

const isFree = (port: number): Promise<boolean> => new Promise((resolve) => {
  const server = createServer();
  server.once('error', () => { resolve(false); });
  server.listen({ port, host: '127.0.0.1', exclusive: true }, () => { server.close(() => { resolve(true); }); });
});

/** Different loopback ports on which nobody listens. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = randomInt(lowest, highest);
    if (!found.has(port) && await isFree(port)) found.add(port);
  }
  return [...found];
}
