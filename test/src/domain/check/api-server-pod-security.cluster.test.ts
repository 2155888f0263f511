/** Pod Security admission as oracle for HostProcess pods: which namespaces take them. */
import assert from 'node:assert/strict';
import { HOST_PROCESS_RULES } from '../../../../src/domain/check/rules/host-process/index.ts';
import { useCluster } from '../../../cluster/use-cluster.ts';
import { judgeSample } from '../../../support/check-sample.ts';

const RULE = 'host-process-in-restricted-namespace';
const LEVELS = [null, 'privileged', 'baseline', 'restricted'] as const;
const VERSIONS = [null, 'latest', 'v1.20', 'v1.25'] as const;
const MODES = ['enforce', 'warn', 'audit'] as const;

describe('check and the Pod Security of a real API server', function () {
  this.timeout(10 * 60_000);
  const cluster = useCluster();

  it('agree on which namespaces take HostProcess pods, and that workloads are taken and their pods are not', async () => {
    const differences: string[] = [];
    let refused = 0;
    for (const mode of MODES) {
      for (const level of LEVELS) {
        for (const version of VERSIONS) {
          if (level === null && version !== null) continue;
          const name = `psa-${mode}-${level ?? 'none'}-${(version ?? 'none').replace('.', '-')}`;
          const labels = { ...(level === null ? {} : { [`pod-security.kubernetes.io/${mode}`]: level }), ...(version === null ? {} : { [`pod-security.kubernetes.io/${mode}-version`]: version }) };
          await cluster().createNamespace(name, labels);
          const spec = { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\Local service' } }, nodeSelector: { 'kubernetes.io/os': 'windows' }, containers: [{ name: 'c', image: 'x' }] };
          const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: name }, spec };
          const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'x', namespace: name }, spec: { selector: { matchLabels: { app: 'x' } }, template: { metadata: { labels: { app: 'x' } }, spec } } };
          const { status, text } = await cluster().api.send('POST', `/api/v1/namespaces/${name}/pods?dryRun=All`, pod);
          const isRefused = status === 403 && text.includes('hostProcess');
          assert.ok(isRefused || status === 201, text);
          const { status: ownerStatus } = await cluster().api.send('POST', `/apis/apps/v1/namespaces/${name}/daemonsets?dryRun=All`, owner);
          if (isRefused) refused += 1;
          const namespace = JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
          const effects = await Promise.all([pod, owner].map(async (object) => (await judgeSample({ yaml: JSON.stringify(object), cluster: namespace }, HOST_PROCESS_RULES)).findings.filter(({ rule }) => rule === RULE).map(({ effect }) => effect).join()));
          const expected = isRefused ? ['rejected', 'cannot-run'] : ['', ''];
          if (ownerStatus !== 201 || effects.join(' ') !== expected.join(' ')) differences.push(`${name}: the server answers ${status} and ${ownerStatus}, check says ${JSON.stringify(effects)}`);
        }
      }
    }
    assert.deepEqual(differences, []);
    assert.equal(refused, 8);
  });
});
