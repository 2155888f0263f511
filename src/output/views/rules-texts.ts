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
