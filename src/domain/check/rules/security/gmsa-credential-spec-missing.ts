import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { credentialSpecsOf, lacksCredentialSpecs } from './shared-windows-options.ts';

const CLUSTER = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: gmsacredentialspecs.windows.k8s.io
---
apiVersion: windows.k8s.io/v1
kind: GMSACredentialSpec
metadata:
  name: webapp1
`;

/** A credential spec that the cluster does not have. */
export const gmsaCredentialSpecMissing = defineWorkloadRule({
  id: 'gmsa-credential-spec-missing',
  facts: ['SEC-023', 'C32'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'GMSACredentialSpec that the cluster does not have',
  rationale: 'The kubelet reads gmsaCredentialSpec, the contents, alone; the admission webhook of windows-gmsa fills them in from the object that gmsaCredentialSpecName names. Without the webhook the name does nothing and the container starts without the account; with it, a name that does not exist is refused.',
  remediation: 'Install the CustomResourceDefinition and webhook of kubernetes-sigs/windows-gmsa, and create the GMSACredentialSpec.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/configure-gmsa/',
  asOf: '2026-11-30',
  messages: {
    'no-definition': 'gmsaCredentialSpecName {name} does nothing here: the cluster has no CustomResourceDefinition gmsacredentialspecs.windows.k8s.io, so no webhook fills in the credential spec',
    'no-object': 'there is no GMSACredentialSpec {name}',
  },
  samples: {
    bad: [
      { yaml: samplePod({ podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: webapp2'] }), cluster: CLUSTER, path: 'spec.securityContext.windowsOptions.gmsaCredentialSpecName' },
      { yaml: samplePod({ podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: webapp2'] }), cluster: CLUSTER.slice(0, CLUSTER.indexOf('---')).replaceAll('gmsacredentialspecs.windows.k8s.io', 'others.example.com') },
    ],
    good: [{ yaml: samplePod({ podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: webapp1'] }), cluster: CLUSTER }],
  },
  * check({ workload }, facts) {
    const references = credentialSpecsOf(workload);
    const [first] = references;
    if (first === undefined) return;
    const { gmsaCredentialSpecs } = facts;
    if (lacksCredentialSpecs(facts)) {
      const nameless = references.find(({ hasContents }) => !hasContents);
      if (nameless !== undefined) yield { messageId: 'no-definition', data: { name: nameless.name }, path: nameless.path, ...(nameless.container === null ? {} : { container: nameless.container.name }) };
      return;
    }
    if (gmsaCredentialSpecs === null) {
      yield { notEvaluated: 'gmsaCredentialSpecs', about: `whether GMSACredentialSpec ${[...new Set(references.map(({ name }) => name))].join(', ')} exists` };
      return;
    }
    if (!gmsaCredentialSpecs.isComplete) return;
    for (const name of new Set(references.map((reference) => reference.name))) {
      const reference = references.find((one) => one.name === name);
      if (reference === undefined || gmsaCredentialSpecs.get(name) !== undefined) continue;
      yield { messageId: 'no-object', data: { name }, path: reference.path, ...(reference.container === null ? {} : { container: reference.container.name }) };
    }
  },
});
