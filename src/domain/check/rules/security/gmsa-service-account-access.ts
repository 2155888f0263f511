import { stringAt } from '../../../kubernetes/object.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { credentialSpecsOf, lacksCredentialSpecs } from './shared-windows-options.ts';

const CLUSTER = `apiVersion: v1
kind: ServiceAccount
metadata:
  name: web
  namespace: shop
`;

/** A service account that may not use the credential spec of its pod, or does not exist. */
export const gmsaServiceAccountAccess = defineWorkloadRule({
  id: 'gmsa-service-account-access',
  facts: ['SEC-027', 'C32'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'Service account without access to the GMSACredentialSpec',
  rationale: 'The webhook of windows-gmsa refuses a pod whose service account has no verb "use" on the GMSACredentialSpec that the pod names. A ClusterRole with resourceNames and a RoleBinding in the pod\'s namespace give it.',
  remediation: 'Bind a ClusterRole with the verb use on this GMSACredentialSpec to the service account.',
  reference: 'https://kubernetes.io/docs/tasks/configure-pod-container/configure-gmsa/#configure-cluster-role-to-enable-rbac-on-specific-gmsa-credential-specs',
  asOf: '2026-11-30',
  messages: {
    denied: 'service account {account} may not use GMSACredentialSpec {name}',
    'no-account': 'there is no service account {account} in namespace {namespace}, so nothing can let it use GMSACredentialSpec {name}',
  },
  samples: {
    bad: [{ yaml: samplePod({ metadata: ['namespace: shop'], spec: ['serviceAccountName: api'], podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: webapp1'] }), cluster: CLUSTER, path: 'spec.serviceAccountName' }],
    good: [{ yaml: samplePod({ metadata: ['namespace: shop'], spec: ['serviceAccountName: web'], podSecurity: ['windowsOptions:', '  gmsaCredentialSpecName: webapp1'] }), cluster: CLUSTER }],
  },
  * check({ workload }, facts) {
    const references = credentialSpecsOf(workload);
    if (references.length === 0 || lacksCredentialSpecs(facts)) return;
    const names = [...new Set(references.map(({ name }) => name))];
    const named = stringAt(workload.spec, 'serviceAccountName');
    const account = named === undefined || named === '' ? 'default' : named;
    const namespace = workload.ref.namespace ?? 'default';
    const path = [...workload.specPath, 'serviceAccountName'];
    if (account !== 'default' && facts.serviceAccounts?.isComplete === true && facts.serviceAccounts.get(`${namespace}/${account}`) === undefined) {
      yield { messageId: 'no-account', data: { account, namespace, name: names.join(', ') }, path };
      return;
    }
    const access = facts.credentialSpecAccess ?? null;
    if (access === null) {
      yield { notEvaluated: 'credentialSpecAccess', about: `whether service account ${account} may use GMSACredentialSpec ${names.join(', ')}` };
      return;
    }
    for (const name of names) {
      const mayUse = access.mayUse(namespace, account, name);
      if (mayUse === false) yield { messageId: 'denied', data: { account, name }, path };
      else if (mayUse === null) yield { notEvaluated: 'credentialSpecAccess', about: `whether service account ${account} may use GMSACredentialSpec ${name}` };
    }
  },
});
