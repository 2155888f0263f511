import type { Rule } from '../../domain/check/rule.ts';

/** `windows-pods`, `linux-pods`, `pods`, `host-process-pods`, `Service,NetworkPolicy`, `cluster`. */
export function lookedAt(rule: Rule): string {
  switch (rule.scope) {
    case 'cluster':
    case 'manifest':
      return rule.scope;
    case 'object':
      return rule.kinds.map((kind) => kind.slice(kind.lastIndexOf('/') + 1)).join(',');
    case 'workload':
      return [...(rule.isolation === undefined ? [] : [rule.isolation]), ...(rule.os === 'any' || rule.isolation === 'host-process' ? [] : [rule.os]), 'pods'].join('-');
  }
}

/** `1.25 and later`, `up to 1.31`, `1.25 to 1.31`; null for all. */
export function versionWindow({ since, until }: Pick<Rule, 'since' | 'until'>): string | null {
  if (since !== undefined && until !== undefined) return `${since} to ${until}`;
  return since !== undefined ? `${since} and later` : until !== undefined ? `up to ${until}` : null;
}

/** `Node linux-0, Node win-20348 (10.0.20348.5386), RuntimeClass windows-2022`: what the YAML of a sample's cluster holds, in short. */
export function clusterText(yaml: string): string {
  return yaml.split(/^---$/m).flatMap((document) => {
    const kind = /^kind: *(\S+)$/m.exec(document)?.[1];
    if (kind === undefined) return [];
    const name = /^metadata: *\{ *name: *([^\s,}]+)|^ {2}name: *(\S+)$/m.exec(document);
    const kernel = /\bkernelVersion: *['"]?(10\.[\d.]+)/.exec(document)?.[1];
    return [`${kind} ${name?.[1] ?? name?.[2] ?? ''}${kernel === undefined ? '' : ` (${kernel})`}`.trimEnd()];
  }).join(', ');
}
