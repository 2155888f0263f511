import { defineManifestRule } from '../../rule.ts';

export const duplicateKey = defineManifestRule({
  id: 'duplicate-key',
  facts: ['GEN-001'],
  severity: 'warning',
  effect: 'may-fail',
  summary: 'A key is given twice in one map, and which value counts depends on the tool',
  rationale: 'YAML forbids a key twice. kubectl silently takes the last value, other tools take the first or refuse the file, and an API server that gets such JSON answers "duplicate field" under strict validation.',
  remediation: 'Keep one of the two.',
  reference: 'https://yaml.org/spec/1.2.2/#3213-node-comparison',
  asOf: '2026-11-30',
  messages: { duplicate: '{message}' },
  samples: {
    bad: [
      { yaml: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  labels:\n    app: a\n    app: b\n', path: 'metadata.labels.app' },
      { yaml: '{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "1", "a": "2"}}', path: 'data.a' },
    ],
    good: [{ yaml: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  labels: &labels\n    app: a\n  annotations:\n    <<: *labels\n    app: b\n' }],
  },
  *check(fault) {
    if (!('kind' in fault) || fault.kind !== 'duplicate-key') return;
    yield { messageId: 'duplicate', data: { message: fault.message }, path: fault.path };
  },
});
