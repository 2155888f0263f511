/**
 * client-go's rules for a usable configuration, in its words: tools/clientcmd/validation.go and transport/*.go of
 * https://github.com/kubernetes/client-go/tree/v0.37.2, read 2026-11-30. Names only, never the value of a credential.
 */
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { withoutPassword } from '../../http/proxy.ts';
import { readProblem } from './kubeconfig-files.ts';
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';

const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'];
const PROXY_SCHEMES = ['http:', 'https:', 'socks5:'];

/** `workingFolder`: what relative paths of flags are meant from. */
export async function clusterProblems(cluster: KubeconfigCluster, workingFolder: string): Promise<readonly string[]> {
  const problems: string[] = [];
  if (cluster.proxyUrl !== undefined) {
    const problem = proxyUrlProblem(cluster.proxyUrl);
    if (problem !== null) problems.push(`invalid 'proxy-url' ${quote(withoutPassword(cluster.proxyUrl))} for cluster ${quote(cluster.name)}: ${problem}`);
  }
  if (cluster.caFile !== undefined && cluster.caData !== undefined) {
    problems.push(`certificate-authority-data and certificate-authority are both specified for ${cluster.name}. certificate-authority-data will override`);
  }
  problems.push(...await fileProblems('certificate-authority', cluster.caFile, cluster.name, workingFolder));
  return problems;
}

/** null for a URL that client-go takes. */
function proxyUrlProblem(proxyUrl: string): string | null {
  if (!URL.canParse(proxyUrl)) return `could not parse: ${withoutPassword(proxyUrl)}`;
  const { protocol } = new URL(proxyUrl);
  return PROXY_SCHEMES.includes(protocol) ? null : `unsupported scheme ${quote(protocol.slice(0, -1))}, must be http, https, or socks5`;
}

/** A file that cannot be opened; none for undefined. */
async function fileProblems(what: string, file: string | undefined, entry: string, workingFolder: string): Promise<readonly string[]> {
  if (file === undefined) return [];
  try {
    await access(resolve(workingFolder, file), constants.R_OK);
    return [];
  } catch (error) {
    return [unreadableFile(what, file, entry, error)];
  }
}

/** Of a file that a cluster or a user names. */
export function unreadableFile(what: string, file: string, entry: string, error: unknown): string {
  return `unable to read ${what} ${file} for ${entry} due to open ${file}: ${readProblem((error as NodeJS.ErrnoException).code)}`;
}

/** `workingFolder`: what relative paths of flags are meant from. */
export async function userProblems(user: KubeconfigUser, workingFolder: string): Promise<readonly string[]> {
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
    problems.push(...await fileProblems('client-cert', user.certFile, name, workingFolder), ...await fileProblems('client-key', user.keyFile, name, workingFolder));
  }
  if (user.exec !== undefined) problems.push(...execProblems(user));
  if (methods.length > 1) problems.push(`more than one authentication method found for ${name}; found [${methods.join(' ')}], only one is allowed`);
  const impersonates = user.impersonateUid !== undefined || user.impersonateGroups.length > 0 || Object.keys(user.impersonateExtra).length > 0;
  if (impersonates && user.impersonateUser === undefined) problems.push(`requesting uid, groups or user-extra for ${name} without impersonating a user`);
  return problems;
}

/** What client-go refuses last, when it makes its transport (transport/transport.go, round_trippers.go). */
export function transportProblems(cluster: KubeconfigCluster, user: KubeconfigUser): readonly string[] {
  return [
    ...(cluster.skipTLSVerify && (cluster.caFile !== undefined || cluster.caData !== undefined) ? ['specifying a root certificates file with the insecure flag is not allowed'] : []),
    ...(user.tokenFile !== undefined && user.username !== undefined ? ['username/password or bearer token may be set, but not both'] : []),
  ];
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
