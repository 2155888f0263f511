import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { problemsOfRunAsUserName } from '../../../windows/run-as-user-name.ts';
import { windowsOptionsOf } from './shared-windows-options.ts';

/** A Windows user name that the API server refuses. */
export const runAsUserNameInvalid = defineWorkloadRule({
  id: 'run-as-user-name-invalid',
  facts: ['SEC-021', 'C31'],
  severity: 'error',
  effect: 'rejected',
  os: 'any',
  summary: 'Invalid Windows user name in runAsUserName',
  rationale: 'The API server takes USER or DOMAIN\\USER: one backslash at most, a domain in NetBIOS form (15 characters) or DNS form below 256 characters, a user of at most 104 characters without "/\\:;|=,+*?<>@[] and not of dots and spaces alone, no control characters. A YAML escape is the usual cause: "NT AUTHORITY\\\\SYSTEM" in single quotes or plain has two backslashes, and "DOMAIN\\name" in double quotes has a line break.',
  remediation: 'Write USER or DOMAIN\\USER with one backslash: NT AUTHORITY\\SYSTEM plain or in single quotes, "NT AUTHORITY\\\\SYSTEM" in double quotes.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/configure-runasusername/#windows-username-limitations',
  asOf: '2026-11-30',
  messages: { refused: 'the API server refuses runAsUserName {name}: {problem}' },
  samples: {
    bad: [{ yaml: samplePod({ podSecurity: ['windowsOptions:', "  runAsUserName: 'CONTOSO\\\\web'"] }), path: 'spec.securityContext.windowsOptions.runAsUserName' }],
    good: [{ yaml: samplePod({ podSecurity: ['windowsOptions:', "  runAsUserName: 'CONTOSO\\web'"] }) }],
  },
  * check({ workload }) {
    for (const { path, fields, container } of windowsOptionsOf(workload)) {
      const name = fields['runAsUserName'];
      if (typeof name !== 'string') continue;
      const [problem, ...others] = problemsOfRunAsUserName(name);
      if (problem === undefined) continue;
      const single = singleBackslash(name);
      yield {
        messageId: 'refused',
        data: { name: JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}...` : name), problem },
        path: [...path, 'runAsUserName'],
        ...(container === null ? {} : { container: container.name }),
        evidence: others.map((other) => `${other}.`),
        ...(single === null ? {} : { fix: { title: `write ${single} with one backslash`, edits: [{ op: 'set', path: [...path, 'runAsUserName'], value: single }], isSafe: true } as const }),
      };
    }
  },
});

/** The name with its doubled backslash made single, where that is all that is wrong. */
function singleBackslash(name: string): string | null {
  const single = name.replace(/\\{2,}/, '\\');
  return single !== name && problemsOfRunAsUserName(single).length === 0 ? single : null;
}
