/** As whom a command runs on a node. */
import { problemsOfRunAsUserName } from '../windows/run-as-user-name.ts';

/** `group`: a user that the runtime makes for the container, in that local group of the node. */
export type Account = { readonly kind: 'service'; readonly name: ServiceAccountName } | { readonly kind: 'group'; readonly name: string };

/** Accounts that every Windows has, spelled as in https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#choosing-a-user-account (read 2026-11-30). */
export type ServiceAccountName = 'NT AUTHORITY\\SYSTEM' | 'NT AUTHORITY\\Local service' | 'NT AUTHORITY\\NetworkService';

/**
 * hcsshim logs on a name of the domain NT AUTHORITY as a service, and takes any other for a local group first
 * (https://github.com/microsoft/hcsshim/blob/7c9ff7f/internal/jobcontainers/logon.go, read 2026-11-30).
 */
const SERVICES: ReadonlyMap<string, ServiceAccountName> = new Map<string, ServiceAccountName>([
  ...['system', 'localsystem'].map((name) => [name, 'NT AUTHORITY\\SYSTEM'] as const),
  ...['localservice'].map((name) => [name, 'NT AUTHORITY\\Local service'] as const),
  ...['networkservice'].map((name) => [name, 'NT AUTHORITY\\NetworkService'] as const),
]);

/** Users of isolated containers, which no host has. */
const OF_CONTAINERS = new Set(['containeruser', 'containeradministrator']);

/** What --run-as says; a clause about what is wrong where it can be nobody. */
export function readAccount(text: string): Account | string {
  const name = text.trim();
  const [domain, user] = name.includes('\\') ? [name.slice(0, name.indexOf('\\')), name.slice(name.indexOf('\\') + 1)] : [null, name];
  const service = domain === null || /^nt[ -]?authority$/i.test(domain) ? SERVICES.get(user.toLowerCase().replace(/[ _-]/g, '')) : undefined;
  if (service !== undefined) return { kind: 'service', name: service };
  if (name === '') return 'is empty';
  if (OF_CONTAINERS.has(user.toLowerCase())) return `is a user of isolated containers: a command on the node runs as system, local-service, network-service or in a local group`;
  const [problem] = problemsOfRunAsUserName(name);
  if (problem !== undefined) return `is no name that Kubernetes takes: ${problem}`;
  // A user of a domain or of the node would need a password, which nobody has here.
  if (domain !== null && domain.toLowerCase() !== 'builtin') return 'is an account with a password: a command on the node runs as system, local-service, network-service or in a local group';
  return { kind: 'group', name: user };
}

export function runAsUserName({ name }: Account): string {
  return name;
}

/** Whether the runtime has to make a user for it, which containerd does from 1.7 on (https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/#choosing-a-user-account, read 2026-11-30). */
export function needsContainerd17({ kind }: Account): boolean {
  return kind === 'group';
}
