/** Pod Security admission as oracle for HostProcess pods: which namespaces take them. */
import assert from 'node:assert/strict';
import { HOST_PROCESS_RULES } from '../../../../src/domain/check/rules/host-process/index.ts';
import { OS_RULES } from '../../../../src/domain/check/rules/os/index.ts';
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

  it('agree on which Windows pods restricted takes only with os.name', async () => {
    const fields = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } };
    const contexts = [{}, fields, { ...fields, capabilities: { drop: ['all'] } }, { ...fields, seccompProfile: { type: 'Unconfined' } }, { ...fields, allowPrivilegeEscalation: true }, { ...fields, seccompProfile: null }];
    const differences: string[] = [];
    let refused = 0;
    for (const version of [null, 'latest', 'v1.24', 'v1.25', 'v1.30']) {
      for (const level of ['restricted', 'baseline'] as const) {
        const name = `psa-os-${level}-${(version ?? 'none').replace('.', '-')}`;
        const labels = { 'pod-security.kubernetes.io/enforce': level, ...(version === null ? {} : { 'pod-security.kubernetes.io/enforce-version': version }) };
        await cluster().createNamespace(name, labels);
        for (const securityContext of contexts) {
          // Unconfined, said out loud, is too much for baseline, and no matter of spec.os.name.
          if (level === 'baseline' && JSON.stringify(securityContext).includes('Unconfined')) continue;
          for (const podContext of [{}, { seccompProfile: { type: 'Localhost', localhostProfile: 'p' } }]) {
            const answer = async (osName: 'windows' | null, context: unknown, own: unknown): Promise<number> => (await cluster().api.send('POST', `/api/v1/namespaces/${name}/pods?dryRun=All`, podOf(osName, context, own))).status;
            const podOf = (osName: 'windows' | null, context: unknown, own: unknown): unknown => ({
              apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x', namespace: name },
              spec: { ...(osName === null ? {} : { os: { name: osName } }), nodeSelector: { 'kubernetes.io/os': 'windows' }, securityContext: { runAsNonRoot: true, windowsOptions: { runAsUserName: 'ContainerUser' }, ...(own as object) }, containers: [{ name: 'c', image: 'x', securityContext: context }] },
            });
            // Without os.name as it stands; with it, and without the fields that the server then refuses.
            const [without, withName] = [await answer(null, securityContext, podContext), await answer('windows', {}, {})];
            const isMended = without === 403 && withName === 201;
            if (isMended) refused += 1;
            const { findings } = await judgeSample({ yaml: JSON.stringify(podOf(null, securityContext, podContext)), cluster: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }) }, OS_RULES);
            const ours = findings.map(({ rule, effect }) => `${rule} ${effect}`).join();
            if (ours !== `os-name-missing ${isMended ? 'rejected' : 'advice'}`) differences.push(`${name} ${JSON.stringify(securityContext)} ${JSON.stringify(podContext)}: ${without}, with os.name ${withName}, check says ${ours}`);
          }
        }
      }
    }
    assert.deepEqual(differences, []);
    assert.ok(refused > 20, String(refused));
  });
});
