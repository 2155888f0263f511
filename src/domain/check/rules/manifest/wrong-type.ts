import { defineManifestRule } from '../../rule.ts';

export const wrongType = defineManifestRule({
  id: 'wrong-type',
  facts: ['GEN-002'],
  severity: 'error',
  effect: 'rejected',
  summary: 'A value is of another type than Kubernetes takes, so that the object is refused',
  rationale: 'The API server cannot decode it: "json: cannot unmarshal number into Go struct field … of type string". In YAML a value without quotes such as 80, true, yes or on is a number or a boolean, where labels, annotations and environment variables have to be text.',
  remediation: 'Write the value as the type that is named: text in quotes, numbers and booleans without.',
  reference: 'https://kubernetes.io/docs/tasks/inject-data-application/define-environment-variable-container/',
  asOf: '2026-11-30',
  messages: { wrong: '{message}' },
  samples: {
    bad: [
      { yaml: 'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\nspec:\n  selector: { app: web }\n  ports:\n  - port: "80"\n', path: 'spec.ports[0].port' },
      { yaml: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  enabled: yes\n', path: 'data.enabled' },
      { yaml: 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: login\ndata:\n  password: not base64!\n', path: 'data.password' },
    ],
    good: [{ yaml: 'apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n  labels: null\nspec:\n  selector: { app: web }\n  ports:\n  - port: 80\n    targetPort: http\n' }],
  },
  *check(fault) {
    if (!('kind' in fault) || (fault.kind !== 'wrong-type' && fault.kind !== 'not-an-object')) return;
    yield { messageId: 'wrong', data: { message: fault.message }, path: fault.path, ...(fault.fix == null ? {} : { fix: fault.fix }) };
  },
});
