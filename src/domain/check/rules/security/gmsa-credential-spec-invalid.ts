import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { windowsOptionsOf } from './shared-windows-options.ts';

const MAX_CONTENTS_BYTES = 64 * 1024;
// https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/api/validate/content/dns.go, read 2026-11-30
const DNS_SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const encoder = new TextEncoder();

/** A credential spec, by name or contents, that the API server refuses. */
export const gmsaCredentialSpecInvalid = defineWorkloadRule({
  id: 'gmsa-credential-spec-invalid',
  facts: ['SEC-022', 'C32'],
  severity: 'error',
  effect: 'rejected',
  os: 'any',
  summary: 'Invalid gMSA credential spec',
  rationale: 'gmsaCredentialSpecName is the name of a GMSACredentialSpec object, so it has to be a lowercase DNS name of at most 253 characters: the account\'s own name (WebApp1, CONTOSO\\WebApp1) is not accepted. gmsaCredentialSpec holds contents, not empty and of at most 64 KiB.',
  remediation: 'Name a GMSACredentialSpec object in lower case; leave gmsaCredentialSpec to the webhook of windows-gmsa.',
  reference: 'https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/apis/core/validation/validation.go',
  asOf: '2026-11-30',
  messages: {
    name: 'the API server refuses gmsaCredentialSpecName {name}: it must be a lowercase DNS name',
    empty: 'the API server refuses gmsaCredentialSpec: "gmsaCredentialSpec cannot be an empty string"',
    long: 'the API server refuses gmsaCredentialSpec of {size} bytes: "gmsaCredentialSpec size must be under 64 KiB"',
  },
  samples: {
    bad: [
      { yaml: samplePod({ podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: WebApp1'] }), path: 'spec.securityContext.windowsOptions.gmsaCredentialSpecName' },
      { yaml: samplePod({ podSecurity: ['windowsOptions:', "  gmsaCredentialSpec: ''"] }), path: 'spec.securityContext.windowsOptions.gmsaCredentialSpec' },
    ],
    good: [{ yaml: samplePod({ podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: webapp1'] }) }],
  },
  * check({ workload }) {
    for (const { path, fields, container } of windowsOptionsOf(workload)) {
      const where = container === null ? {} : { container: container.name };
      const name = fields['gmsaCredentialSpecName'];
      if (typeof name === 'string' && !isDnsSubdomain(name)) {
        const lower = name.toLowerCase();
        const place = [...path, 'gmsaCredentialSpecName'];
        yield {
          messageId: 'name', data: { name: JSON.stringify(name.length > 80 ? `${name.slice(0, 77)}...` : name) }, path: place, ...where,
          ...(isDnsSubdomain(lower) ? { fix: { title: `write ${lower} in lower case`, edits: [{ op: 'set', path: place, value: lower }], isSafe: true } as const } : {}),
        };
      }
      const contents = fields['gmsaCredentialSpec'];
      if (typeof contents !== 'string') continue;
      const size = encoder.encode(contents).length;
      const place = [...path, 'gmsaCredentialSpec'];
      if (size === 0) yield { messageId: 'empty', path: place, ...where, fix: { title: 'remove the empty gmsaCredentialSpec', edits: [{ op: 'remove', path: place }], isSafe: true } };
      else if (size > MAX_CONTENTS_BYTES) yield { messageId: 'long', data: { size }, path: place, ...where };
    }
  },
});

function isDnsSubdomain(name: string): boolean {
  return name.length <= 253 && DNS_SUBDOMAIN.test(name);
}
