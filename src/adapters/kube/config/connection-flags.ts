import type { ConnectionFlags } from '../../../app/ports.ts';
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';

const NO_CLUSTER: KubeconfigCluster = { name: '', server: '', skipTLSVerify: false, disableCompression: false, origin: '' };
const NO_USER: KubeconfigUser = { name: '', impersonateGroups: [], impersonateExtra: {}, origin: '' };

/** The cluster with the flags on top: client-go's DirectClientConfig.getCluster. */
export function clusterWithFlags(cluster: KubeconfigCluster | undefined, flags: ConnectionFlags, defaultServer: string): KubeconfigCluster {
  const base = cluster ?? NO_CLUSTER;
  const { caData, caFile, tlsServerName, ...rest } = base;
  // --insecure-skip-tls-verify clears the CA of the kubeconfig, --certificate-authority clears its CA data and skip.
  const trustFromFlags = flags.insecureSkipTlsVerify === true || Boolean(flags.certificateAuthority);
  // --server clears the TLS name of the kubeconfig: it belonged to the other server.
  const serverName = flags.tlsServerName || (flags.server ? undefined : tlsServerName);
  return {
    ...rest,
    server: flags.server || base.server || defaultServer,
    skipTLSVerify: trustFromFlags ? flags.insecureSkipTlsVerify === true : base.skipTLSVerify,
    disableCompression: base.disableCompression || flags.disableCompression === true,
    ...(!trustFromFlags && caData !== undefined ? { caData } : {}),
    ...(!trustFromFlags && caFile !== undefined ? { caFile } : {}),
    ...(flags.certificateAuthority ? { caFile: flags.certificateAuthority } : {}),
    ...(serverName ? { tlsServerName: serverName } : {}),
    ...(flags.proxyUrl ? { proxyUrl: flags.proxyUrl } : {}),
  };
}

/** The user with the flags on top: client-go's DirectClientConfig.getAuthInfo. */
export function userWithFlags(user: KubeconfigUser | undefined, flags: ConnectionFlags): KubeconfigUser {
  const base = user ?? NO_USER;
  const { certData, certFile, keyData, keyFile, tokenFile, ...rest } = base;
  const extra = extraOf(flags.asUserExtra ?? []);
  return {
    ...rest,
    ...(flags.clientCertificate ? { certFile: flags.clientCertificate } : { ...(certData ? { certData } : {}), ...(certFile ? { certFile } : {}) }),
    ...(flags.clientKey ? { keyFile: flags.clientKey } : { ...(keyData ? { keyData } : {}), ...(keyFile ? { keyFile } : {}) }),
    ...(flags.token ? { token: flags.token } : {}),
    // client-go goes on reading the kubeconfig's tokenFile, whose content then beats --token; the flag is what was asked for.
    ...(tokenFile !== undefined && !flags.token ? { tokenFile } : {}),
    ...(flags.username ? { username: flags.username } : {}),
    ...(flags.password ? { password: flags.password } : {}),
    ...(flags.as ? { impersonateUser: flags.as } : {}),
    ...(flags.asUid ? { impersonateUid: flags.asUid } : {}),
    ...(flags.asGroup !== undefined && flags.asGroup.length > 0 ? { impersonateGroups: flags.asGroup } : {}),
    ...(Object.keys(extra).length > 0 ? { impersonateExtra: { ...base.impersonateExtra, ...extra } } : {}),
  };
}

/** Entries without `=` are left out, as kubectl leaves them out. */
function extraOf(entries: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, string[]>();
  for (const entry of entries) {
    const at = entry.indexOf('=');
    if (at < 0) continue;
    const key = entry.slice(0, at);
    extra.set(key, [...(extra.get(key) ?? []), entry.slice(at + 1)]);
  }
  return Object.fromEntries(extra);
}

/** Whether flags alone say who the user is, so that the kubeconfig's user may be missing. */
export function identifyUser(flags: ConnectionFlags): boolean {
  return Boolean(flags.token || flags.username || flags.clientCertificate);
}
