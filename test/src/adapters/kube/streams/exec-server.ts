/** A loopback server that plays the API server's half of exec and attach, one script per test. */
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { Connection, CredentialSource, RequestCredentials } from '../../../../../src/adapters/kube/connection.ts';
import { closeAgent } from '../../../../../src/adapters/http/agent.ts';
import { loadWebSocketPackage } from '../../../../../src/adapters/kube/streams/web-socket-package.ts';
import { createAuthority, type Authority, type Identity } from '../../../../cluster/certificates.ts';

export const STDIN = 0;
export const STDOUT = 1;
export const STDERR = 2;
export const ERROR = 3;
export const RESIZE = 4;
export const CLOSE = 255;

/** One upgrade request. */
export interface Call {
  readonly url: URL;
  readonly request: IncomingMessage;
  /** The client's port, which tells one connection from another. */
  readonly port: number;
  /** The socket below TLS's end: destroy() is a cut line. */
  readonly raw: Duplex;
  /** Values of a header, one per line that was sent. */
  readonly header: (name: string) => readonly string[];
  /** Answers 101 with the protocol (v5 unless given; null for none). */
  readonly accept: (protocol?: string | null) => Stream;
  /** Answers anything else. */
  readonly refuse: (status: number, body: string | object, headers?: Readonly<Record<string, string>>) => void;
}

export interface Stream {
  readonly socket: WebSocket;
  readonly send: (channel: number, bytes: Uint8Array | string) => void;
  /** Sends a metav1.Status on the error channel. */
  readonly status: (status: object) => void;
  /** Success, then the close handshake. */
  readonly succeed: () => void;
  /** Each message of the client. */
  readonly onMessage: (listener: (channel: number, payload: Buffer) => void) => void;
}

export interface ExecServer {
  readonly authority: Authority;
  readonly calls: readonly Call[];
  readonly connection: (overrides?: Partial<Connection>) => Connection;
  readonly close: () => Promise<void>;
}

let made: Promise<{ authority: Authority; identity: Identity }> | undefined;

async function certificate(): Promise<{ authority: Authority; identity: Identity }> {
  const authority = await createAuthority();
  return { authority, identity: await authority.issue({ commonName: 'exec-server', dnsNames: ['localhost', 'api.example.com'], ipAddresses: ['127.0.0.1'] }) };
}

/** A source that always gives the same. */
export function fixedCredentials(credentials: RequestCredentials): CredentialSource {
  return { get: () => Promise.resolve(credentials), refresh: () => Promise.resolve(false) };
}

/** @param scheme http plays kubectl proxy and kwok */
export async function startExecServer(script: (call: Call) => void, scheme: 'https' | 'http' = 'https'): Promise<ExecServer> {
  made ??= certificate();
  const { authority, identity } = await made;
  const { WebSocketServer } = await loadWebSocketPackage();
  const server = scheme === 'http' ? http.createServer() : https.createServer({ cert: identity.cert, key: identity.key });
  const calls: Call[] = [];
  const sockets = new Set<Duplex>();
  const connections: Connection[] = [];

  server.on('request', (_request, response) => response.end('{}'));
  server.on('connection', (socket: Duplex) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, raw: Duplex, head: Buffer) => {
    raw.on('error', () => undefined);
    const call: Call = {
      url: new URL(request.url ?? '', 'https://server'),
      request,
      port: request.socket.remotePort ?? 0,
      raw,
      header: (name) => request.rawHeaders.filter((_, index, all) => index % 2 === 1 && all[index - 1]?.toLowerCase() === name.toLowerCase()),
      accept: (protocol = 'v5.channel.k8s.io') => acceptUpgrade(WebSocketServer, request, raw, head, protocol),
      refuse(status, body, headers) {
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        const lines = Object.entries({ 'Content-Type': typeof body === 'string' ? 'text/plain' : 'application/json', 'Content-Length': Buffer.byteLength(text), Connection: 'close', ...headers });
        raw.end(`HTTP/1.1 ${status} Refused\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${text}`);
      },
    };
    calls.push(call);
    script(call);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    authority,
    calls,
    connection(overrides = {}) {
      const connection: Connection = {
        server: `${scheme}://127.0.0.1:${port}`,
        tls: { ca: authority.cert, insecureSkipVerify: false },
        proxyUrl: undefined,
        disableCompression: false,
        credentials: fixedCredentials({ authorization: 'Bearer secret' }),
        contextName: 'test',
        clusterName: 'test',
        userName: 'test',
        namespace: 'default',
        ...overrides,
      };
      connections.push(connection);
      return connection;
    },
    close() {
      for (const connection of connections) closeAgent(connection);
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function acceptUpgrade(Server: typeof WebSocketServer, request: IncomingMessage, raw: Duplex, head: Buffer, protocol: string | null): Stream {
  const server = new Server({ noServer: true, perMessageDeflate: false, handleProtocols: () => protocol ?? false });
  let accepted: WebSocket | undefined;
  server.handleUpgrade(request, raw, head, (socket) => {
    accepted = socket;
  });
  if (accepted === undefined) throw new Error('the client sent no valid upgrade request');
  const socket = accepted;
  socket.on('error', () => undefined);
  const stream: Stream = {
    socket,
    send: (channel, bytes) => socket.send(Buffer.concat([Uint8Array.of(channel), typeof bytes === 'string' ? Buffer.from(bytes) : bytes])),
    status: (status) => stream.send(ERROR, JSON.stringify(status)),
    succeed() {
      stream.status({ metadata: {}, status: 'Success' });
      socket.close();
    },
    onMessage: (listener) => socket.on('message', (data) => listener((data as Buffer)[0] ?? -1, (data as Buffer).subarray(1))),
  };
  return stream;
}
