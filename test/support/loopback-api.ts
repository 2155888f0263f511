/** Servers on loopback that play an API server and the faults on the way to it; real sockets and real TLS. */
import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import net, { type AddressInfo, type Socket } from 'node:net';
import type { ClusterErrorReason } from '../../src/errors.ts';
import type { Connection, CredentialSource } from '../../src/adapters/kube/connection.ts';
import { createAuthority, type Authority } from '../cluster/certificates.ts';

export interface RecordedRequest {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: http.IncomingHttpHeaders;
  /** Names and values in turn, as on the wire. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

export type LoopbackHandler = (request: RecordedRequest, response: ServerResponse, raw: IncomingMessage) => void | Promise<void>;

export interface LoopbackApi {
  readonly url: string;
  readonly port: number;
  /** PEM of the authority that signed this server; undefined for plain HTTP. */
  readonly ca: string | undefined;
  readonly requests: readonly RecordedRequest[];
  /** Connections taken so far. */
  readonly connections: () => number;
  /** Those that are open now. */
  readonly openConnections: () => number;
  /** SNI names that clients sent, '' for none. */
  readonly serverNames: readonly string[];
  close(): Promise<void>;
}

export interface LoopbackOptions {
  /** false serves plain HTTP. */
  readonly tls?: false | { readonly dnsNames?: readonly string[]; readonly ipAddresses?: readonly string[]; readonly notAfter?: Date };
  /** Asks for a client certificate of this authority; `authorized` is false without one. */
  readonly clientAuthority?: Authority;
}

let authority: Promise<Authority> | undefined;

/** One authority per test process: making keys takes longer than a test. */
export function loopbackAuthority(): Promise<Authority> {
  authority ??= createAuthority('loopback test authority');
  return authority;
}

/** Starts a server whose answers `handler` gives; the body of a request is read before the handler is called. */
export async function startLoopbackApi(handler: LoopbackHandler, options: LoopbackOptions = {}): Promise<LoopbackApi> {
  const requests: RecordedRequest[] = [];
  const serverNames: string[] = [];
  const sockets = new Set<Socket>();
  const listener: RequestListener = (raw, response) => {
    void (async () => {
      const chunks: Buffer[] = [];
      for await (const chunk of raw as AsyncIterable<Buffer>) chunks.push(chunk);
      const recorded: RecordedRequest = { method: raw.method ?? '', url: raw.url ?? '', headers: raw.headers, rawHeaders: raw.rawHeaders, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(recorded);
      const name: unknown = 'servername' in raw.socket ? raw.socket.servername : '';
      serverNames.push(typeof name === 'string' ? name : '');
      await handler(recorded, response, raw);
    })().catch((error: unknown) => response.destroy(error instanceof Error ? error : new Error(String(error))));
  };
  let server: http.Server;
  let ca: string | undefined;
  if (options.tls === false) {
    server = http.createServer(listener);
  } else {
    const signer = await loopbackAuthority();
    const { dnsNames = ['localhost'], ipAddresses = ['127.0.0.1'], notAfter } = options.tls ?? {};
    const identity = await signer.issue({ commonName: 'loopback', dnsNames, ipAddresses, ...(notAfter === undefined ? {} : { notAfter }) });
    ca = signer.cert;
    server = https.createServer(
      { ...identity, ...(options.clientAuthority === undefined ? {} : { requestCert: true, rejectUnauthorized: true, ca: options.clientAuthority.cert }) },
      listener,
    );
  }
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  server.on('tlsClientError', () => undefined);
  const port = await listen(server);
  return {
    url: `${options.tls === false ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    ca,
    requests,
    serverNames,
    connections: () => connections,
    openConnections: () => sockets.size,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** A server for one piece of work. */
export async function withLoopbackApi(handler: LoopbackHandler, work: (api: LoopbackApi) => Promise<void>): Promise<void> {
  const api = await startLoopbackApi(handler);
  try {
    await work(api);
  } finally {
    await api.close();
  }
}

/** Listens on a free port of 127.0.0.1. */
export async function listen(server: net.Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** A port where nobody listens. */
export async function closedPort(): Promise<number> {
  const server = net.createServer();
  const port = await listen(server);
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

export function sendJson(response: ServerResponse, status: number, body: unknown, headers: http.OutgoingHttpHeaders = {}): void {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

/** A Failure as the API server writes it. */
export function failure(code: number, reason: ClusterErrorReason, message: string, details?: unknown): Readonly<Record<string, unknown>> {
  return { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, code, ...(details === undefined ? {} : { details }) };
}

export const NO_CREDENTIALS: CredentialSource = { get: async () => ({}), refresh: async () => false };

/** A connection to a loopback server, trusting its authority. */
export function connectionTo(api: Pick<LoopbackApi, 'url' | 'ca'>, overrides: Partial<Connection> = {}): Connection {
  return {
    server: api.url,
    tls: { ca: api.ca, insecureSkipVerify: false },
    disableCompression: false,
    credentials: NO_CREDENTIALS,
    contextName: 'loopback',
    clusterName: 'loopback',
    userName: 'tester',
    namespace: 'default',
    ...overrides,
  };
}

export interface LoopbackProxy {
  readonly port: number;
  /** `CONNECT host:port` and absolute URLs, with the Proxy-Authorization that came with them. */
  readonly seen: readonly { readonly target: string; readonly authorization: string | undefined }[];
  close(): Promise<void>;
}

/** An HTTP proxy that leads every target to `port` on loopback, whatever its name; `authorization` is demanded when given. */
export async function startLoopbackProxy(port: number, options: { readonly authorization?: string } = {}): Promise<LoopbackProxy> {
  const seen: { target: string; authorization: string | undefined }[] = [];
  const sockets = new Set<{ destroy(): unknown }>();
  const admitted = (request: IncomingMessage, target: string): boolean => {
    seen.push({ target, authorization: request.headers['proxy-authorization'] });
    return options.authorization === undefined || request.headers['proxy-authorization'] === options.authorization;
  };
  const server = http.createServer((request, response) => {
    if (!admitted(request, request.url ?? '')) return void response.writeHead(407).end();
    const url = new URL(request.url ?? '');
    const onward = http.request({ host: '127.0.0.1', port, method: request.method, path: url.pathname + url.search, headers: request.headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    if (!admitted(request, request.url ?? '')) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n');
    const onward = net.connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      socket.pipe(onward);
      onward.pipe(socket);
    });
    sockets.add(onward);
    onward.on('error', () => socket.destroy());
    socket.on('close', () => onward.destroy());
  });
  const proxyPort = await listen(server);
  return {
    port: proxyPort,
    seen,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

/** A SOCKS5 proxy without authentication that leads every target to `port` on loopback and records the names asked for. */
export async function startLoopbackSocks(port: number): Promise<LoopbackProxy> {
  const seen: { target: string; authorization: undefined }[] = [];
  const sockets = new Set<Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    // https://www.rfc-editor.org/rfc/rfc1928: greeting, then CONNECT with a domain name (type 3) or an IPv4 address (type 1).
    socket.once('data', () => {
      socket.write(Buffer.from([5, 0]));
      socket.once('data', (request: Buffer) => {
        const byName = request[3] === 3;
        const length = byName ? request[4] ?? 0 : 4;
        const start = byName ? 5 : 4;
        const host = byName ? request.toString('latin1', start, start + length) : [...request.subarray(start, start + 4)].join('.');
        seen.push({ target: `${host}:${request.readUInt16BE(start + length)}`, authorization: undefined });
        const onward = net.connect(port, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 0]));
          socket.pipe(onward);
          onward.pipe(socket);
        });
        sockets.add(onward);
        onward.on('error', () => socket.destroy());
        socket.on('close', () => onward.destroy());
      });
    });
  });
  const socksPort = await listen(server);
  return {
    port: socksPort,
    seen,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    },
  };
}
