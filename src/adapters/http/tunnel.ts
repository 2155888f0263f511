/** Ways through a proxy: a socket that ends at the API server. */
import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { ClusterError } from '../../errors.ts';
import { hostOf, portOf, withoutPassword } from './proxy.ts';
import { serverText } from './server-text.ts';

export interface TunnelOptions {
  readonly proxy: URL;
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  /** TLS settings for an https proxy, as Go uses those of the cluster for it. */
  readonly tls: https.AgentOptions;
}

/** Opens a tunnel; throws ClusterError `ProxyError`. */
export async function openTunnel(options: TunnelOptions): Promise<Socket> {
  return options.proxy.protocol.startsWith('socks') ? throughSocks(options) : throughConnect(options);
}

/** Value of Proxy-Authorization, or undefined when the proxy's URL names no user. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === '' && proxy.password === '') return undefined;
  return `Basic ${Buffer.from(`${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`).toString('base64')}`;
}

function throughConnect({ proxy, host, port, timeoutMs, tls }: TunnelOptions): Promise<Socket> {
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const authorization = proxyAuthorization(proxy);
  return new Promise((resolve, reject) => {
    const module = proxy.protocol === 'https:' ? https : http;
    const request = module.request({
      ...(proxy.protocol === 'https:' ? tls : {}),
      host: hostOf(proxy),
      port: portOf(proxy),
      method: 'CONNECT',
      path: target,
      agent: false,
      headers: { Host: target, ...(authorization === undefined ? {} : { 'Proxy-Authorization': authorization }) },
    });
    const timer = setTimeout(() => request.destroy(proxyError(proxy, `did not answer in ${timeoutMs / 1000} s`)), timeoutMs);
    request.once('connect', (response, socket: Socket, head: Buffer) => {
      clearTimeout(timer);
      if (response.statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(refusal(proxy, response.statusCode ?? 0, response.statusMessage ?? ''));
    });
    // A proxy that answers CONNECT as an ordinary request.
    request.once('response', (response) => {
      clearTimeout(timer);
      response.destroy();
      reject(refusal(proxy, response.statusCode ?? 0, response.statusMessage ?? ''));
    });
    request.once('error', (error) => {
      clearTimeout(timer);
      reject(error instanceof ClusterError ? error : unreachableProxy(proxy, error));
    });
    request.end();
  });
}

async function throughSocks({ proxy, host, port, timeoutMs }: TunnelOptions): Promise<Socket> {
  const { SocksClient } = await import('socks');
  const user = decodeURIComponent(proxy.username);
  const password = decodeURIComponent(proxy.password);
  try {
    // The host name goes to the proxy unresolved, in socks5 as in socks5h, as golang.org/x/net/internal/socks does.
    const { socket } = await SocksClient.createConnection({
      command: 'connect',
      destination: { host, port },
      proxy: { host: hostOf(proxy), port: Number(portOf(proxy)), type: 5, ...(user === '' ? {} : { userId: user, password }) },
      timeout: timeoutMs,
    });
    return socket;
  } catch (error) {
    throw unreachableProxy(proxy, error);
  }
}

/** In Go's words, with the proxy's address: kubectl itself names the API server here, which was never asked. */
function unreachableProxy(proxy: URL, error: unknown): ClusterError {
  const address = `${hostOf(proxy)}:${portOf(proxy)}`;
  // The socks package keeps the code in the text alone.
  const code = error instanceof Error && 'code' in error ? String(error.code) : /\bE[A-Z]{4,}\b/.exec(String(error))?.[0] ?? '';
  const problems: Readonly<Record<string, string>> = {
    ECONNREFUSED: `dial tcp ${address}: connect: connection refused`,
    ETIMEDOUT: `dial tcp ${address}: connect: connection timed out`,
    EHOSTUNREACH: `dial tcp ${address}: connect: no route to host`,
    ENOTFOUND: `dial tcp: lookup ${hostOf(proxy)}: no such host`,
    ECONNRESET: 'EOF',
  };
  const shown = withoutPassword(proxy.href).replace(/\/$/, '');
  return new ClusterError(`Unable to connect to the server: proxyconnect tcp: ${problems[code] ?? (error instanceof Error ? error.message : String(error))}`, {
    reason: 'ProxyError',
    cause: error,
    suggestions: [`the proxy ${shown} cannot be used: ${WHERE_PROXIES_COME_FROM}`],
  });
}

const WHERE_PROXIES_COME_FROM = 'check proxy-url in the kubeconfig, --proxy-url, HTTPS_PROXY and NO_PROXY';

function refusal(proxy: URL, status: number, statusText: string): ClusterError {
  return status === 407
    ? proxyError(proxy, 'wants a user name and password (407 Proxy Authentication Required)', undefined, ['put them into the proxy address: http://USER:PASSWORD@HOST:PORT, with special characters percent-encoded'])
    : proxyError(proxy, `refused the connection (${`${status} ${serverText(statusText)}`.trim()})`);
}

function proxyError(proxy: URL, problem: string, cause?: unknown, suggestions: readonly string[] = []): ClusterError {
  return new ClusterError(`Unable to connect to the server: the proxy ${withoutPassword(proxy.href).replace(/\/$/, '')} ${problem}`, {
    reason: 'ProxyError',
    cause,
    suggestions: [...suggestions, WHERE_PROXIES_COME_FROM],
  });
}
