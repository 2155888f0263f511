/**
 * Which proxy a URL is reached through, by the rules of Go's programs, because people set these variables for kubectl
 * (https://pkg.go.dev/golang.org/x/net/http/httpproxy, read 2026-11-30).
 */
import { BlockList, isIP } from 'node:net';
import { ClusterError } from '../../errors.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443', 'socks5:': '1080', 'socks5h:': '1080' };

/** Port of a URL, the scheme's own where none is written. */
export function portOf(url: URL): string {
  return url.port === '' ? DEFAULT_PORTS[url.protocol] ?? '' : url.port;
}

/** Host of a URL as sockets want it: an IPv6 address without its brackets. */
export function hostOf(url: URL): string {
  return url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname;
}

/**
 * The proxy for a server, or null for a direct connection. A proxy-url of the kubeconfig holds whatever NO_PROXY says,
 * as in client-go (transport.Config.Proxy replaces http.ProxyFromEnvironment).
 * Throws ClusterError `BadConfiguration` for an address that is no proxy.
 */
export function proxyFor(server: URL, proxyUrl: string | undefined, env: Environment): URL | null {
  if (proxyUrl !== undefined && proxyUrl !== '') return parseProxy(proxyUrl, 'proxy-url of the kubeconfig');
  const secure = server.protocol === 'https:';
  const name = secure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const value = fromEnvironment(env, name);
  if (value === '' || !isProxied(hostOf(server), portOf(server), fromEnvironment(env, 'NO_PROXY'))) return null;
  return parseProxy(value, name);
}

/** Upper case first, then lower case; an empty variable counts as unset. */
function fromEnvironment(env: Environment, name: string): string {
  return (env[name] || env[name.toLowerCase()]) ?? '';
}

function parseProxy(text: string, origin: string): URL {
  // `proxy.example:3128` parses as a URL of the scheme `proxy.example:`, so a scheme is only believed with its slashes.
  const written = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  if (!URL.canParse(written) || new URL(written).hostname === '') {
    throw new ClusterError(`invalid proxy address "${withoutPassword(text)}" (${origin})`, {
      reason: 'BadConfiguration',
      suggestions: ['write it as http://HOST:PORT, https://HOST:PORT or socks5://HOST:PORT'],
    });
  }
  const url = new URL(written);
  if (!Object.hasOwn(DEFAULT_PORTS, url.protocol)) {
    throw new ClusterError(`unsupported scheme "${url.protocol.slice(0, -1)}" of the proxy ${withoutPassword(text)} (${origin}), must be http, https, or socks5`, { reason: 'BadConfiguration' });
  }
  return url;
}

/** A proxy's address for messages, also one that is no URL: all up to the last @ is taken for user and password. */
export function withoutPassword(address: string): string {
  return address.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, '$1');
}

/** false when NO_PROXY (or Go's rule that loopback is never proxied) asks for a direct connection. */
export function isProxied(host: string, port: string, noProxy: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '');
  const family = isIP(name);
  if (name === 'localhost' || (family !== 0 && isLoopback(name, family))) return false;
  for (const entry of noProxy.split(',').map((part) => part.trim().toLowerCase())) {
    if (entry === '') continue;
    if (entry === '*') return false;
    if (matches(entry, name, family, port)) return false;
  }
  return true;
}

function isLoopback(address: string, family: number): boolean {
  return family === 4 ? address.startsWith('127.') : contains('::1', 128, 6, address, family) || contains('127.0.0.0', 8, 4, address, family);
}

function matches(entry: string, host: string, family: number, port: string): boolean {
  const range = /^(.+)\/(\d+)$/.exec(entry);
  if (range !== null) {
    const network = range[1] ?? '';
    return family !== 0 && contains(network, Number(range[2]), isIP(network), host, family);
  }
  const [wantedHost, wantedPort] = splitPort(entry);
  if (wantedHost === '' || (wantedPort !== '' && wantedPort !== port)) return false;
  const wantedFamily = isIP(wantedHost);
  if (wantedFamily !== 0) return family !== 0 && contains(wantedHost, wantedFamily === 4 ? 32 : 128, wantedFamily, host, family);
  const pattern = wantedHost.startsWith('*.') ? wantedHost.slice(1) : wantedHost;
  // `.example.com` stands for its subdomains only, `example.com` for itself as well.
  return pattern.startsWith('.') ? host.endsWith(pattern) : host === pattern || host.endsWith(`.${pattern}`);
}

function splitPort(entry: string): readonly [host: string, port: string] {
  const bracketed = /^\[(.*)\](?::(\d+))?$/.exec(entry);
  if (bracketed !== null) return [bracketed[1] ?? '', bracketed[2] ?? ''];
  if (isIP(entry) === 6) return [entry, ''];
  const colon = entry.lastIndexOf(':');
  return colon === -1 ? [entry, ''] : [entry.slice(0, colon), entry.slice(colon + 1)];
}

/** Go compares IPv4 addresses and their IPv6-mapped forms as the same; BlockList does so too. */
function contains(network: string, prefix: number, networkFamily: number, address: string, family: number): boolean {
  if (networkFamily === 0 || prefix > (networkFamily === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, networkFamily === 4 ? 'ipv4' : 'ipv6');
  return list.check(address, family === 4 ? 'ipv4' : 'ipv6');
}
