import { ClusterError } from '../../../errors.ts';
import type { ConnectionEnvironment } from '../config/environment.ts';
import type { KubeconfigCluster, KubeconfigUser } from '../config/kubeconfig.ts';
import type { CredentialSource, RequestCredentials } from '../connection.ts';
import { certificateCredentials } from './client-certificate.ts';
import { NO_CREDENTIALS, basicCredentials, staticToken } from './static-credentials.ts';
import { fileTokenCredentials } from './token-file.ts';

export interface CredentialOptions {
  /** With the flags on top, and validated. */
  readonly user: KubeconfigUser;
  /** With the flags on top; `server` is the URL that is used. */
  readonly cluster: KubeconfigCluster;
  /** PEM of the cluster's certificate authority. */
  readonly ca: string | undefined;
  readonly environment: ConnectionEnvironment;
  /** --kuberc. */
  readonly kuberc: string | undefined;
}

/**
 * What a user authenticates with. A certificate goes together with a token; a token, a user name or a certificate keeps
 * the credential plugin from running, a token or a user name comes before an auth-provider: client-go's order
 * (https://github.com/kubernetes/client-go/blob/v0.37.2/plugin/pkg/client/auth/exec/exec.go, UpdateTransportConfig, read 2026-11-30).
 */
export async function credentialsOf(options: CredentialOptions): Promise<CredentialSource> {
  const { user, environment } = options;
  const certificate = user.certFile !== undefined || user.certData !== undefined ? await certificateCredentials(user, environment) : null;
  const header = await headerOf(options, certificate !== null);
  if (certificate === null) return header ?? NO_CREDENTIALS;
  return header === null ? certificate : both(certificate, header);
}

async function headerOf({ user, cluster, ca, environment, kuberc }: CredentialOptions, hasCertificate: boolean): Promise<CredentialSource | null> {
  if (user.tokenFile !== undefined) return fileTokenCredentials({ file: user.tokenFile, environment, fallbackToken: user.token });
  if (user.token !== undefined) return staticToken(user.token, user.name === '' ? '--token' : `user ${JSON.stringify(user.name)}`);
  if (user.username !== undefined) return basicCredentials(user.username, user.password ?? '');
  if (user.exec !== undefined) {
    if (hasCertificate) return null;
    const { execPluginCredentials } = await import('./exec-plugin.ts');
    const { exec } = user;
    const key = ['exec', user.origin, user.name, exec, kuberc ?? '', exec.provideClusterInfo ? [cluster, ca ?? ''] : null];
    return shared(environment, key, () => execPluginCredentials({ userName: user.name, origin: user.origin, exec, cluster, ca, environment, kuberc }));
  }
  if (user.authProvider === undefined) return null;
  switch (user.authProvider.name) {
    case 'oidc': {
      const { oidcCredentials } = await import('./oidc.ts');
      const { config } = user.authProvider;
      return shared(environment, ['oidc', user.origin, user.name, config], () => oidcCredentials({ userName: user.name, file: user.origin, config, environment }));
    }
    // Both texts: client-go's plugin/pkg/client/auth/{gcp,azure}, removed there in 1.26.
    case 'gcp':
      throw removed('The gcp auth plugin has been removed', 'use the "gke-gcloud-auth-plugin" credential plugin instead: gcloud container clusters get-credentials CLUSTER writes it into the kubeconfig', 'see https://cloud.google.com/blog/products/containers-kubernetes/kubectl-auth-changes-in-gke');
    case 'azure':
      throw removed('The azure auth plugin has been removed', 'use the https://github.com/Azure/kubelogin credential plugin instead: kubelogin convert-kubeconfig rewrites the kubeconfig', 'see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins');
    default:
      throw removed(`no Auth Provider found for name ${JSON.stringify(user.authProvider.name)}`, `auth-provider of user ${JSON.stringify(user.name)} in ${user.origin} is a legacy field; use a credential plugin (exec) instead`, 'see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins');
  }
}

const sharedSources = new WeakMap<object, Map<string, CredentialSource>>();

/**
 * One source for all contexts of a process that log in the same way: a person is asked once, and a refresh-token is spent
 * once. client-go keeps such a cache too (plugin/pkg/client/auth/exec/exec.go, globalCache).
 */
function shared({ variables }: ConnectionEnvironment, key: readonly unknown[], create: () => CredentialSource): CredentialSource {
  const sources = sharedSources.get(variables) ?? new Map<string, CredentialSource>();
  sharedSources.set(variables, sources);
  const text = JSON.stringify(key);
  const source = sources.get(text) ?? create();
  sources.set(text, source);
  return source;
}

function removed(message: string, ...suggestions: readonly string[]): ClusterError {
  return new ClusterError(message, { reason: 'BadConfiguration', suggestions });
}

/** The certificate of one source with the Authorization of another. */
function both(certificate: CredentialSource, header: CredentialSource): CredentialSource {
  let last: { readonly parts: readonly [RequestCredentials, RequestCredentials]; readonly merged: RequestCredentials } | null = null;
  // Which parts a merged one was made of, so that each source is told what of its own was refused.
  const partsOf = new WeakMap<RequestCredentials, readonly [RequestCredentials, RequestCredentials]>();
  return {
    get: async (signal) => {
      const parts = [await certificate.get(signal), await header.get(signal)] as const;
      if (last === null || last.parts[0] !== parts[0] || last.parts[1] !== parts[1]) {
        last = { parts, merged: { ...parts[0], ...parts[1] } };
        partsOf.set(last.merged, parts);
      }
      return last.merged;
    },
    refresh: async (signal, used) => {
      const [usedCertificate, usedHeader] = (used === undefined ? undefined : partsOf.get(used)) ?? [];
      const refreshed = [await certificate.refresh(signal, usedCertificate), await header.refresh(signal, usedHeader)];
      return refreshed.includes(true);
    },
  };
}
