/**
 * Logs of a node by its kubelet (NodeLogQuery), without a pod. On Windows it reads the event log Application by provider, or a file below C:\var\log.
 * https://kubernetes.io/docs/concepts/cluster-administration/system-logs/#log-query and pkg/kubelet/kubelet_server_journal.go of
 * https://github.com/kubernetes/kubernetes/tree/v1.37.2, read 2026-11-30.
 */

/** What is asked for. */
export const LOGGED_SERVICES = ['kubelet', 'containerd', 'kube-proxy'] as const;

/** `lines`: 0 for all. */
export function nodeLogQuery(service: string, { since, lines }: { readonly since: Date; readonly lines: number }): Readonly<Record<string, readonly string[]>> {
  return { query: [service], sinceTime: [since.toISOString()], ...(lines === 0 ? {} : { tailLines: [String(lines)] }) };
}

/** Of a service that logs to a file, which takes no other parameters. */
export function wholeLogQuery(service: string): Readonly<Record<string, readonly string[]>> {
  return { query: [service] };
}

export type NodeLogAnswer =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  /** It logs to a file: ask for all of it. */
  | { readonly kind: 'file' }
  | { readonly kind: 'missing'; readonly message: string }
  /** The kubelet lists its log folder and passes the query over. */
  | { readonly kind: 'off' };

/** The kubelet says in its text, with a status of 200, what it could not do. */
export function readNodeLog(text: string, service: string): NodeLogAnswer {
  if (/^\s*<!doctype html>|^\s*<pre>\s*<a href=/i.test(text)) return { kind: 'off' };
  if (/^\s*options present and query resolved to log files for \[/.test(text)) return { kind: 'file' };
  const problem = /^\s*(log not found for \S+|error: journal output not available.*)\s*$/.exec(text)?.[1];
  if (problem !== undefined) return { kind: 'missing', message: problem.startsWith('log not found') ? `the node has no log of ${service}` : problem };
  const lines = text.split(/\r?\n/);
  while (lines.at(-1)?.trim() === '') lines.pop();
  while (lines[0]?.trim() === '') lines.shift();
  return { kind: 'lines', lines };
}
