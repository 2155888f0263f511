import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isRecord } from '../../../domain/kubernetes/object.ts';
import { InputError, UsageError } from '../../../errors.ts';
import type { ConnectionEnvironment } from './environment.ts';
import { readProblem } from './kubeconfig-files.ts';

/** Which credential plugins may run: kuberc's credentialPluginPolicy and credentialPluginAllowlist. */
export interface PluginPolicy {
  /** '' means AllowAll. Kept as written: an unknown word forbids every plugin. */
  readonly type: string;
  /** Commands; null when the file has no list. */
  readonly allowlist: readonly string[] | null;
}

const NO_POLICY: PluginPolicy = { type: '', allowlist: null };
const PREFERENCE = /^kubectl\.config\.k8s\.io\/v1(alpha1|beta1)$/;

/**
 * Reads the policy as kubectl does: --kuberc, else KUBERC (`off` for none), else ~/.kube/kuberc. Of several documents the
 * first Preference counts; v1alpha1 knows no policy. A broken file that was named is an error, the default one a warning.
 * https://github.com/kubernetes/kubectl/blob/v0.37.2/pkg/kuberc/kuberc.go and marshal.go, read 2026-11-30.
 */
export async function pluginPolicy(explicitFile: string | undefined, environment: ConnectionEnvironment): Promise<PluginPolicy> {
  const variable = environment.variables['KUBERC'];
  if (variable === 'off') {
    if (explicitFile) throw new UsageError('disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive');
    return NO_POLICY;
  }
  if (environment.variables['KUBECTL_KUBERC']?.toLowerCase() === 'false') return NO_POLICY;
  const named = explicitFile || variable;
  const file = named || join(environment.homeFolder, '.kube', 'kuberc');
  let text: string;
  try {
    text = await readFile(resolve(environment.workingFolder, file), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!named && code === 'ENOENT') return NO_POLICY;
    return unreadable(file, named, `open ${file}: ${readProblem(code)}`, environment);
  }
  if (text.trim() === '') return NO_POLICY;
  const [{ loadAll }, { KUBECTL_SCHEMA }] = await Promise.all([import('js-yaml'), import('../../inventory/yaml-schema.ts')]);
  let documents: readonly unknown[];
  try {
    documents = loadAll(text, { schema: KUBECTL_SCHEMA, json: true, maxAliases: 1000 });
  } catch (error) {
    return unreadable(file, named, `is not valid YAML: ${error instanceof Error ? error.message.split('\n')[0] : ''}`, environment);
  }
  const filled = documents.filter((document) => document !== undefined && document !== null);
  if (filled.length === 0) return NO_POLICY;
  for (const document of filled) {
    const policy = policyOf(document);
    if (policy !== null) return policy;
  }
  return unreadable(file, named, 'no valid preferences found', environment);
}

function policyOf(document: unknown): PluginPolicy | null {
  if (!isRecord(document) || document['kind'] !== 'Preference') return null;
  const version = typeof document['apiVersion'] === 'string' ? PREFERENCE.exec(document['apiVersion']) : null;
  if (version === null) return null;
  if (version[1] === 'alpha1') return NO_POLICY;
  const { credentialPluginPolicy: type = '', credentialPluginAllowlist: allowlist = null } = document;
  if (type !== null && typeof type !== 'string') return null;
  if (allowlist === null) return { type: type ?? '', allowlist: null };
  if (!Array.isArray(allowlist)) return null;
  const commands = allowlist.map((entry: unknown) => (isRecord(entry) ? entry['command'] ?? '' : undefined));
  return commands.every((command) => typeof command === 'string') ? { type: type ?? '', allowlist: commands } : null;
}

function unreadable(file: string, named: string | undefined, problem: string, environment: ConnectionEnvironment): PluginPolicy {
  if (named) throw new InputError({ file }, `kuberc: ${problem}`, { suggestions: ['mend the file that --kuberc or KUBERC names, or set KUBERC=off'] });
  environment.warn(`kuberc: no preferences loaded from ${file}: ${problem}`);
  return NO_POLICY;
}

/** What is wrong with a policy itself; null when it can be applied (client-go's ValidatePluginPolicy). */
export function policyProblem(policy: PluginPolicy, clean: (path: string) => string): string | null {
  switch (policy.type) {
    case '':
    case 'AllowAll':
    case 'DenyAll':
      return policy.allowlist === null ? null : `misconfigured credential plugin allowlist: plugin policy is ${JSON.stringify(policy.type)} but allowlist is non-nil`;
    case 'Allowlist': {
      if (policy.allowlist === null) return 'credential plugin policy set to "Allowlist", but allowlist is unspecified';
      if (policy.allowlist.length === 0) return 'credential plugin policy set to "Allowlist", but allowlist is empty; use "DenyAll" policy instead';
      const empty = policy.allowlist.indexOf('');
      if (empty >= 0) return `misconfigured credential plugin allowlist: empty allowlist entry #${empty + 1}`;
      const unclean = policy.allowlist.find((command) => clean(command) !== command);
      return unclean === undefined ? null : `non-normalized file path: ${JSON.stringify(unclean)} vs ${JSON.stringify(clean(unclean))}`;
    }
    default:
      return `unknown plugin policy: ${JSON.stringify(policy.type)}`;
  }
}
