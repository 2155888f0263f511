/**
 * Where an image is asked for: mirrors in their order, then the registry itself, by the rules of containerd
 * (https://github.com/containerd/containerd/blob/00774fef8d2b34711b5a43fcf639650191adfb05/core/remotes/docker/config/hosts.go,
 * https://github.com/containerd/containerd/blob/3567bb3b8f2d900912a59c0e5460d93827a46874/core/remotes/docker/registry.go, read 2026-11-30).
 * The path of a mirror stands in front of the repository, as in a reference and in podman's `location`: `harbor.corp/dockerhub` is
 * asked for `/v2/dockerhub/library/nginx`. containerd's own files write that as `https://harbor.corp/v2/dockerhub` with override_path.
 */
import { isIP } from 'node:net';
import { isProxied } from '../http/proxy.ts';

/** What the configuration says of one registry; see OpenRegistryOptions. */
export interface RegistrySettings {
  readonly mirrors?: readonly string[];
  readonly plainHTTP?: boolean;
  readonly certificateAuthority?: string;
  readonly insecureSkipTLSVerify?: boolean;
}

export type AllSettings = Readonly<Record<string, RegistrySettings>>;

/** A server, and how to speak to it. */
export interface Host {
  /** HOST[:PORT], as users know it: `docker.io`, whose server is another. */
  readonly name: string;
  /** HOST[:PORT] that is connected to. */
  readonly authority: string;
  /** `either`: TLS first, plain HTTP where the server does not speak it. */
  readonly scheme: 'https' | 'http' | 'either';
  readonly insecureSkipVerify: boolean;
  /** File with the only authorities to trust. */
  readonly certificateAuthority: string | undefined;
}

export interface RegistryEndpoint {
  readonly host: Host;
  /** In front of the repository; '' or `dockerhub/`. */
  readonly pathPrefix: string;
  /** Query that tells a mirror which registry is meant; '' for the registry itself. */
  readonly query: string;
  readonly isMirror: boolean;
}

const HUB = 'docker.io';
const HUB_SERVER = 'registry-1.docker.io';

/** Throws nothing: a mirror that is no address is left out with a note. */
export function endpointsOf(registry: string, settings: AllSettings): { readonly endpoints: readonly RegistryEndpoint[]; readonly notes: readonly string[] } {
  const notes: string[] = [];
  const mirrors = (own(settings, registry)?.mirrors ?? []).flatMap((mirror) => {
    const endpoint = mirrorEndpoint(mirror, registry, settings);
    if (endpoint === null) notes.push(`the mirror ${JSON.stringify(mirror.slice(0, 200))} of ${registry} was left out: write it as HOST[:PORT][/PREFIX]`);
    return endpoint === null ? [] : [endpoint];
  });
  return { endpoints: [...mirrors, { host: hostFor(registry, settings), pathPrefix: '', query: '', isMirror: false }], notes };
}

/** A host by its name, with what the configuration says of it. */
export function hostFor(name: string, settings: AllSettings, scheme?: 'http' | 'https'): Host {
  const { plainHTTP = false, certificateAuthority, insecureSkipTLSVerify } = own(settings, name) ?? {};
  const local = isLoopback(name);
  const port = portOf(name);
  return {
    name,
    authority: name === HUB ? HUB_SERVER : name,
    scheme: scheme ?? (plainHTTP ? 'http' : !local || port === '' || port === '443' ? 'https' : port === '80' ? 'http' : 'either'),
    // containerd verifies nothing on loopback, where plain HTTP is taken as well; an authority that somebody names is asked for.
    insecureSkipVerify: insecureSkipTLSVerify ?? (local && certificateAuthority === undefined),
    certificateAuthority,
  };
}

function mirrorEndpoint(mirror: string, registry: string, settings: AllSettings): RegistryEndpoint | null {
  const match = /^(?:(https?):\/\/)?([^/?#@\s]+)(\/[^?#\s]*)?$/i.exec(mirror.trim());
  const name = match?.[2] ?? '';
  if (match === null || !/^(?:\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::\d+)?$/i.test(name)) return null;
  const path = (match[3] ?? '').replace(/^\/+|\/+$/g, '').replace(/^v2(?:\/|$)/, '');
  const host = hostFor(name, settings, match[1]?.toLowerCase() as 'http' | 'https' | undefined);
  // containerd names the registry to every host but its own.
  const isProxy = name !== registry && !(registry === HUB && name === HUB_SERVER);
  return { host, pathPrefix: path === '' ? '' : `${path}/`, query: isProxy ? `?ns=${encodeURIComponent(registry)}` : '', isMirror: true };
}

/** localhost, 127.0.0.0/8 and [::1], with or without a port. */
export function isLoopback(authority: string): boolean {
  const host = hostnameOf(authority).toLowerCase();
  // NO_PROXY rules know loopback the way Go does.
  return host === 'localhost' || (isIP(host) !== 0 && !isProxied(host, '', ''));
}

/** An address without port and brackets. */
export function hostnameOf(authority: string): string {
  const bracketed = /^\[(.*)\](?::\d+)?$/.exec(authority);
  return bracketed?.[1] ?? authority.replace(/:\d+$/, '');
}

function portOf(authority: string): string {
  return /(?<=^\[.*\]:|^[^:]*:)\d+$/.exec(authority)?.[0] ?? '';
}

/** Settings of a registry by any of its names. */
function own(settings: AllSettings, name: string): RegistrySettings | undefined {
  return (name === HUB ? [HUB, 'index.docker.io', HUB_SERVER] : [name]).filter((key) => Object.hasOwn(settings, key)).map((key) => settings[key])[0];
}
