import { defineManifestRule } from '../../rule.ts';

export const unknownField = defineManifestRule({
  id: 'unknown-field',
  facts: ['GEN-002'],
  severity: 'error',
  effect: 'rejected',
  summary: 'A field does not exist in Kubernetes: misspelt, or indented into the wrong map',
  rationale: 'kubectl asks for strict validation, and the API server answers "strict decoding error: unknown field". Clients that do not ask for it have the field dropped without a word, so the object runs without what the author set.',
  remediation: 'Write the field as Kubernetes names it and where it belongs, or remove it.',
  reference: 'https://kubernetes.io/docs/reference/using-api/api-concepts/#setting-the-field-validation-level',
  asOf: '2026-11-30',
  messages: { unknown: '{message}' },
  samples: {
    bad: [
      { yaml: 'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  selector: { app: web }\n  ports:\n  - port: 80\n    targetport: 8080\n', path: 'spec.ports[0].targetport' },
      { yaml: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  data: {}\n', path: 'metadata.data' },
    ],
    good: [{ yaml: 'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  creationTimestamp: null\nspec:\n  selector: { app: web }\n  ports:\n  - port: 80\n    targetPort: 8080\nstatus: {}\n---\napiVersion: example.com/v1\nkind: Service\nmetadata:\n  name: other\nspec:\n  anything: goes\n' }],
  },
  *check(fault) {
    if (!('kind' in fault) || fault.kind !== 'unknown-field') return;
    yield { messageId: 'unknown', data: { message: fault.message }, path: fault.path, ...(fault.fix == null ? {} : { fix: fault.fix }) };
  },
});
