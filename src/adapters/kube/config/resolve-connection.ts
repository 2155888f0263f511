import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ClusterError } from '../../../errors.ts';
import type { Connection, Impersonation } from '../connection.ts';
import { credentialsOf } from '../auth/credentials.ts';
import { NO_CREDENTIALS } from '../auth/static-credentials.ts';
import { fileTokenCredentials } from '../auth/token-file.ts';
import { staticToken } from '../auth/static-credentials.ts';
import { clusterWithFlags, identifyUser, userWithFlags } from './connection-flags.ts';
import type { ConnectionFlags } from '../../../app/ports.ts';
import type { ConnectionEnvironment } from './environment.ts';
import { inCluster, isInCluster, podNamespace } from './in-cluster.ts';
import type { InCluster } from './in-cluster.ts';
import { loadKubeconfig } from './kubeconfig-files.ts';
import type { LoadedKubeconfig } from './kubeconfig-files.ts';
import type { KubeconfigCluster, KubeconfigContext, KubeconfigUser } from './kubeconfig.ts';
import { serverUrl } from './server-url.ts';
import { clusterProblems, transportProblems, unreadableFile, userProblems } from './validation.ts';

/** How many names of contexts, clusters or users a suggestion lists. */
const LISTED_NAMES = 10;

/**
 * From flags, kubeconfig files and the environment to a connection, as client-go decides it: flags over the kubeconfig's
 * context, no kubeconfig but a service account means in-cluster. Sends nothing and runs no credential plugin.
 * Throws InputError for a file that is no kubeconfig, else ClusterError with reason NoConfiguration or BadConfiguration.
 */
export async function resolveConnection(flags: ConnectionFlags, environment: ConnectionEnvironment): Promise<Connection> {
  const loaded = await loadKubeconfig(flags.kubeconfig, environment);
  const context = contextOf(flags, loaded);
  const entry = clusterOf(flags, loaded, context);
  const cluster = clusterWithFlags(entry, flags, environment.variables['KUBERNETES_MASTER'] ?? '');
  if (cluster.server === '') {
    if (entry !== undefined) throw badConfiguration(`no server found for cluster ${quote(entry.name)}`, [`add "server" to that cluster in ${entry.origin}, or give --server`]);
    const pod = await inCluster(environment);
    if (pod === null) throw noConfiguration(loaded);
    return podConnection(pod, flags, environment);
  }
  const user = userWithFlags(userOf(flags, loaded, context), flags);
  const places = loaded.files.length === 0 ? ['check the flags'] : [`check the flags and the entries in ${loaded.files.join(', ')}`];
  refuse([...await userProblems(user, environment.workingFolder), ...await clusterProblems(cluster, environment.workingFolder)], places);
  refuse(transportProblems(cluster, user), places);
  const server = serverUrl(cluster.server);
  const secure = server.startsWith('https:');
  const ca = await certificateAuthority(cluster, environment);
  const impersonate = impersonationOf(user);
  return {
    server,
    tls: {
      insecureSkipVerify: secure && cluster.skipTLSVerify,
      ...(ca === undefined ? {} : { ca }),
      ...(cluster.tlsServerName === undefined ? {} : { serverName: cluster.tlsServerName }),
    },
    ...(cluster.proxyUrl === undefined ? {} : { proxyUrl: cluster.proxyUrl }),
    disableCompression: cluster.disableCompression,
    ...(impersonate === undefined ? {} : { impersonate }),
    // Credentials never go over plain http: client-go reads no user for such a server (clientcmd/client_config.go, ClientConfig).
    credentials: secure ? await credentialsOf({ user, cluster: { ...cluster, server }, ca, environment, kuberc: flags.kuberc }) : NO_CREDENTIALS,
    contextName: context?.name ?? null,
    clusterName: entry?.name ?? null,
    userName: user.name === '' ? null : user.name,
    namespace: await namespaceOf(flags, context, environment),
  };
}

/** Several problems in kubectl's form (cmd/util/helpers.go, MultilineError). */
function refuse(problems: readonly string[], suggestions: readonly string[]): void {
  if (problems.length > 0) throw badConfiguration(problems.length === 1 ? problems.join('') : `Error in configuration: \n${problems.map((problem) => `* ${problem}`).join('\n')}`, suggestions);
}

function contextOf(flags: ConnectionFlags, loaded: LoadedKubeconfig): KubeconfigContext | undefined {
  const { config } = loaded;
  const name = flags.context || config.currentContext;
  if (name === '') return undefined;
  const context = config.contexts.get(name);
  if (context !== undefined) return context;
  const suggestions = known('contexts', config.contexts, loaded);
  // kubectl's own opening and line: cmd/util/helpers.go and clientcmd/validation.go.
  const message = `Error in configuration: context was not found for specified context: ${name}`;
  if (flags.context) throw badConfiguration(message, suggestions);
  throw badConfiguration(message, [
    `current-context of ${config.currentContextOrigin ?? 'the kubeconfig'} names it; choose another with --context, or kubectl config use-context`,
    ...suggestions,
  ]);
}

function clusterOf(flags: ConnectionFlags, loaded: LoadedKubeconfig, context: KubeconfigContext | undefined): KubeconfigCluster | undefined {
  const { clusters } = loaded.config;
  const name = flags.cluster || context?.cluster || '';
  const cluster = clusters.get(name);
  if (cluster !== undefined) return cluster;
  if (flags.cluster) throw badConfiguration(`no server found for cluster ${quote(name)}`, known('clusters', clusters, loaded));
  // client-go goes on with http://localhost:8080 here, which nobody means.
  if (context !== undefined && !flags.server) {
    throw badConfiguration(
      name === '' ? `cluster was not specified for context ${quote(context.name)}` : `cluster ${quote(name)} was not found for context ${quote(context.name)}`,
      known('clusters', clusters, loaded),
    );
  }
  return undefined;
}

function userOf(flags: ConnectionFlags, loaded: LoadedKubeconfig, context: KubeconfigContext | undefined): KubeconfigUser | undefined {
  const { users } = loaded.config;
  const name = flags.user || context?.user || '';
  const user = users.get(name);
  if (user !== undefined) return user;
  if (flags.user) throw badConfiguration(`auth info ${quote(name)} does not exist`, known('users', users, loaded));
  // kubectl asks for a user name and password here, which API servers no longer take.
  if (context !== undefined && name !== '' && !identifyUser(flags)) {
    throw badConfiguration(`user ${quote(name)} was not found for context ${quote(context.name)}`, known('users', users, loaded));
  }
  return undefined;
}

async function certificateAuthority(cluster: KubeconfigCluster, environment: ConnectionEnvironment): Promise<string | undefined> {
  const place = cluster.caFile === undefined ? 'certificate-authority-data' : `certificate-authority ${cluster.caFile}`;
  let pem: string | undefined;
  if (cluster.caData !== undefined) pem = Buffer.from(cluster.caData, 'base64').toString('utf8');
  if (cluster.caFile !== undefined) {
    try {
      pem = await readFile(resolve(environment.workingFolder, cluster.caFile), 'utf8');
    } catch (error) {
      throw badConfiguration(unreadableFile('certificate-authority', cluster.caFile, cluster.name, error), ['check certificate-authority of that cluster in the kubeconfig, or --certificate-authority']);
    }
  }
  if (pem !== undefined && !pem.includes('-----BEGIN CERTIFICATE-----')) {
    throw badConfiguration(`unable to load root certificates: ${place} of cluster ${quote(cluster.name)} holds no PEM certificate`, ['get the kubeconfig anew from whoever runs the cluster, or from its provider']);
  }
  return pem;
}

function impersonationOf(user: KubeconfigUser): Impersonation | undefined {
  if (user.impersonateUser === undefined) return undefined;
  return {
    user: user.impersonateUser,
    ...(user.impersonateUid === undefined ? {} : { uid: user.impersonateUid }),
    groups: user.impersonateGroups,
    extra: user.impersonateExtra,
  };
}

/** -n, the context's, the pod's when running in one, `default`: client-go's DeferredLoadingClientConfig.Namespace. */
async function namespaceOf(flags: ConnectionFlags, context: KubeconfigContext | undefined, environment: ConnectionEnvironment): Promise<string> {
  if (flags.namespace) return flags.namespace;
  if (context?.namespace !== undefined) return context.namespace;
  return await isInCluster(environment) ? podNamespace(environment) : 'default';
}

/**
 * In a pod only --token, --certificate-authority, --namespace and impersonation change anything (inClusterClientConfig).
 * So does --proxy-url here, which client-go drops without a word.
 */
async function podConnection(pod: InCluster, flags: ConnectionFlags, environment: ConnectionEnvironment): Promise<Connection> {
  const { certificateAuthority: caFile, proxyUrl } = flags;
  const cluster = clusterWithFlags(undefined, { certificateAuthority: caFile, proxyUrl }, pod.server);
  refuse(await clusterProblems(cluster, environment.workingFolder), ['check --certificate-authority and --proxy-url']);
  const flagCa = await certificateAuthority(cluster, environment);
  const impersonate = impersonationOf(userWithFlags(undefined, flags));
  return {
    server: pod.server,
    tls: { insecureSkipVerify: false, ...((flagCa ?? pod.ca) === undefined ? {} : { ca: flagCa ?? pod.ca }) },
    ...(cluster.proxyUrl === undefined ? {} : { proxyUrl: cluster.proxyUrl }),
    disableCompression: flags.disableCompression === true,
    ...(impersonate === undefined ? {} : { impersonate }),
    credentials: flags.token ? staticToken(flags.token, '--token') : await fileTokenCredentials({ file: pod.tokenFile, environment }),
    contextName: null,
    clusterName: null,
    userName: null,
    namespace: await namespaceOf(flags, undefined, environment),
  };
}

function noConfiguration(loaded: LoadedKubeconfig): ClusterError {
  const offline = 'try offline: --inventory FILE, with what kubectl get -o json printed elsewhere';
  if (loaded.config.contexts.size > 0) {
    return new ClusterError(`no context chosen: ${loaded.files.join(', ')} sets no current-context`, {
      reason: 'NoConfiguration',
      suggestions: ['choose one with --context, or kubectl config use-context NAME', ...known('contexts', loaded.config.contexts, loaded), offline],
    });
  }
  const looked = loaded.missing.length > 0 ? `not found: ${loaded.missing.join(', ')}` : `nothing in ${loaded.files.join(', ')}`;
  return new ClusterError(`no configuration has been provided (${looked})`, {
    reason: 'NoConfiguration',
    suggestions: ['set KUBECONFIG or --kubeconfig to an existing kubeconfig, or put one at ~/.kube/config', offline],
  });
}

function known(what: string, entries: ReadonlyMap<string, unknown>, loaded: LoadedKubeconfig): readonly string[] {
  const where = loaded.files.length === 0 ? `no kubeconfig was found` : loaded.files.join(', ');
  const names = [...entries.keys()].filter((name) => name !== '').sort();
  if (names.length === 0) return [loaded.files.length === 0 ? where : `${where} has no ${what}`];
  const more = names.length > LISTED_NAMES ? ` and ${names.length - LISTED_NAMES} more` : '';
  return [`${what} in ${where}: ${names.slice(0, LISTED_NAMES).join(', ')}${more}`];
}

function badConfiguration(message: string, suggestions: readonly string[]): ClusterError {
  return new ClusterError(message, { reason: 'BadConfiguration', suggestions });
}

function quote(text: string): string {
  return JSON.stringify(text);
}
