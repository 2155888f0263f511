/**
 * client-go's rules for a usable configuration, in its words: tools/clientcmd/validation.go and transport/*.go of
 * https://github.com/kubernetes/client-go/tree/v0.37.2, read 2026-11-30. Names only, never the value of a credential.
 */
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';

const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'];
const PROXY_SCHEMES = ['http:', 'https:', 'socks5:'];

export function clusterProblems(cluster: KubeconfigCluster): readonly string[] {
  const problems: string[] = [];
  if (cluster.proxyUrl !== undefined) {
    const problem = proxyUrlProblem(cluster.proxyUrl);
    if (problem !== null) problems.push(`invalid 'proxy-url' for cluster ${quote(cluster.name)}: ${problem}`);
  }
  if (cluster.caFile !== undefined && cluster.caData !== undefined) {
    problems.push(`certificate-authority-data and certificate-authority are both specified for ${cluster.name}. certificate-authority-data will override`);
  }
  if (cluster.skipTLSVerify && (cluster.caFile !== undefined || cluster.caData !== undefined)) {
    problems.push('specifying a root certificates file with the insecure flag is not allowed');
  }
  return problems;
}

/** null for a URL that client-go takes. The URL itself may hold a password, so it is not repeated. */
function proxyUrlProblem(proxyUrl: string): string | null {
  if (!URL.canParse(proxyUrl)) return 'could not parse it as a URL';
  const { protocol } = new URL(proxyUrl);
  return PROXY_SCHEMES.includes(protocol) ? null : `unsupported scheme ${quote(protocol.slice(0, -1))}, must be http, https, or socks5`;
}

export function userProblems(user: KubeconfigUser): readonly string[] {
  const problems: string[] = [];
  const { name } = user;
  const methods = [
    ...(user.token !== undefined ? ['token'] : []),
    ...(user.username !== undefined || user.password !== undefined ? ['basicAuth'] : []),
  ];
  if (user.certFile !== undefined || user.certData !== undefined) {
    if (user.certFile !== undefined && user.certData !== undefined) {
      problems.push(`client-cert-data and client-cert are both specified for ${name}. client-cert-data will override`);
    }
    if (user.keyFile !== undefined && user.keyData !== undefined) {
      problems.push(`client-key-data and client-key are both specified for ${name}; client-key-data will override`);
    }
    if (user.keyFile === undefined && user.keyData === undefined) {
      problems.push(`client-key-data or client-key must be specified for ${name} to use the clientCert authentication method`);
    }
  }
  if (user.exec !== undefined) problems.push(...execProblems(user));
  if (methods.length > 1) problems.push(`more than one authentication method found for ${name}; found [${methods.join(' ')}], only one is allowed`);
  else if (user.tokenFile !== undefined && user.username !== undefined) problems.push('username/password or bearer token may be set, but not both');
  const impersonates = user.impersonateUid !== undefined || user.impersonateGroups.length > 0 || Object.keys(user.impersonateExtra).length > 0;
  if (impersonates && user.impersonateUser === undefined) problems.push(`requesting uid, groups or user-extra for ${name} without impersonating a user`);
  return problems;
}

function execProblems(user: KubeconfigUser): readonly string[] {
  const { name, exec } = user;
  if (exec === undefined) return [];
  const problems: string[] = [];
  if (user.authProvider !== undefined) problems.push(`authProvider cannot be provided in combination with an exec plugin for ${name}`);
  if (exec.command === '') problems.push(`command must be specified for ${name} to use exec authentication plugin`);
  if (exec.apiVersion === '') problems.push(`apiVersion must be specified for ${name} to use exec authentication plugin`);
  if (exec.env.some((variable) => variable.name === '')) problems.push(`env variable name must be specified for ${name} to use exec authentication plugin`);
  if (exec.interactiveMode === '') problems.push(`interactiveMode must be specified for ${name} to use exec authentication plugin`);
  else if (!INTERACTIVE_MODES.includes(exec.interactiveMode)) problems.push(`invalid interactiveMode for ${name}: ${quote(exec.interactiveMode)}`);
  return problems;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
