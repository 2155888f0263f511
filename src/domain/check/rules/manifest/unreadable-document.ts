import { defineManifestRule } from '../../rule.ts';

export const unreadableDocument = defineManifestRule({
  id: 'unreadable-document',
  facts: ['GEN-001'],
  severity: 'error',
  effect: 'rejected',
  summary: 'A document is not valid YAML or JSON, or holds no Kubernetes object',
  rationale: 'kubectl stops at such a document: "error converting YAML to JSON" or "Object \'Kind\' is missing". What it holds was not judged; the other documents were.',
  remediation: 'Correct the document at the place that is named.',
  reference: 'https://kubernetes.io/docs/concepts/overview/working-with-objects/#describing-a-kubernetes-object',
  asOf: '2026-11-30',
  messages: { unreadable: '{message}' },
  samples: {
    bad: [
      { yaml: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n data: {}\n', path: '' },
      { yaml: 'apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ .Release.Name }}-web\nspec:\n  ports: [{ port: 80 }]\n', path: '' },
      { yaml: 'kind: ConfigMap\nmetadata:\n  name: settings\n', path: '' },
    ],
    good: [{ yaml: '---\n# nothing here\n---\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\ndata:\n  template: "{{ .Name }}"\n' }],
  },
  *check(fault) {
    if ('kind' in fault) return;
    const { message, suggestions, line } = fault;
    const advice = suggestions.length > 0 ? suggestions.join('; ') : line === null ? 'check that the path is right, that the file may be read and that it holds text' : null;
    yield { messageId: 'unreadable', data: { message }, path: [], ...(advice === null ? {} : { remediation: sentence(advice) }) };
  },
});

/** A suggestion as a remedy is written: it may be a command, which stays as it is. */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`;
}
