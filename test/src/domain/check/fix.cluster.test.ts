/** The fixes of every rule against a real API server: it takes the fixed objects, and kubectl the patches. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mergeFixes } from '../../../../src/domain/check/fix/merge-fixes.ts';
import { patchCommandFor } from '../../../../src/domain/check/fix/patch-command.ts';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import type { Rule, Sample } from '../../../../src/domain/check/rule.ts';
import { areEqualValues } from '../../../../src/domain/check/fix/equal-values.ts';
import { refOf } from '../../../../src/domain/kubernetes/object-ref.ts';
import { isRecord, nameOf, stringAt, stringMapAt, valueAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { ApiError } from '../../../cluster/api-client.ts';
import { useCluster } from '../../../cluster/use-cluster.ts';
import { objectsOf } from '../../../support/check-sample.ts';
import { findingsOf, fixesOf, fixSample } from '../../../support/fix-sample.ts';

const NAMESPACE = 'fixes';

/** By rule and number of the sample: fixed objects that the server refuses for another reason than the fix. */
const NOT_TAKEN: Readonly<Record<string, string>> = {
  'ephemeral-container-target 1': 'ephemeral containers are added to a running pod, and not created with it',
};

/** Facts of the cluster without which the server's admission refuses a sample. */
const ADMISSION_KINDS: ReadonlySet<string> = new Set(['RuntimeClass', 'PriorityClass']);

interface Served {
  readonly plural: string;
  readonly isNamespaced: boolean;
}

describe('the fixes of rules against the API server', function () {
  this.timeout(600_000);
  const cluster = useCluster();
  const served = new Map<string, Served>();
  const totals = { accepted: 0, notServed: new Set<string>(), patched: 0, immutable: 0, cannotExist: 0 };
  let programs: string;

  before(async function () {
    this.timeout(60_000);
    await cluster().createNamespace(NAMESPACE);
    programs = join(cluster().folder, 'fixes-bin');
    mkdirSync(programs, { recursive: true });
    symlinkSync(cluster().parts.kubectl, join(programs, 'kubectl'));
  });

  after(() => {
    process.stdout.write(`      ${totals.accepted} fixed objects taken by the API server, ${totals.patched} patches by kubectl patch; ${totals.immutable} objects that cannot be patched, ${totals.cannotExist} that cannot exist unfixed; not served: ${[...totals.notServed].sort().join(', ') || 'none'}\n`);
  });

  /** null where the server does not know the kind. */
  async function resourceOf(object: KubeObject): Promise<Served | null> {
    const apiVersion = String(object.apiVersion);
    const key = `${apiVersion} ${String(object.kind)}`;
    const known = served.get(key);
    if (known !== undefined) return known;
    const answer = await cluster().api.send('GET', apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`);
    if (answer.status !== 200) return null;
    const { resources } = JSON.parse(answer.text) as { readonly resources: readonly { readonly name: string; readonly kind: string; readonly namespaced: boolean }[] };
    const found = resources.find(({ name, kind }) => kind === object.kind && !name.includes('/'));
    if (found === undefined) return null;
    const resource = { plural: found.name, isNamespaced: found.namespaced };
    served.set(key, resource);
    return resource;
  }

  function pathOf(object: KubeObject, { plural, isNamespaced }: Served): string {
    const apiVersion = String(object.apiVersion);
    return `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}${isNamespaced ? `/namespaces/${NAMESPACE}` : ''}/${plural}`;
  }

  /** In the namespace of this suite, so that samples with namespaces of their own need none. */
  function moved(object: KubeObject, { isNamespaced }: Served): KubeObject {
    return isNamespaced ? { ...object, metadata: { ...object.metadata, namespace: NAMESPACE } } : object;
  }

  /** Makes what admission looks for, as long as `work` runs. */
  async function withCluster<T>(sample: Sample, work: () => Promise<T>): Promise<T> {
    const made: string[] = [];
    try {
      for (const object of sample.cluster === undefined ? [] : await objectsOf(sample.cluster)) {
        const resource = ADMISSION_KINDS.has(String(object.kind)) ? await resourceOf(object) : null;
        if (resource === null) continue;
        await cluster().api.create(pathOf(object, resource), object);
        made.push(`${pathOf(object, resource)}/${nameOf(object)}`);
      }
      return await work();
    } finally {
      for (const path of made) await cluster().api.delete(path);
    }
  }

  for (const rule of RULES) {
    for (const [index, sample] of rule.samples.bad.entries()) {
      const name = `${rule.id} ${index + 1}`;

      it(`${name}: the fixed objects are taken, with strict validation`, async () => {
        const wanted = await fixesOf(rule, sample);
        if (wanted.length === 0) return;
        const names = new Set(wanted.map(({ object }) => JSON.stringify(refOf(object))));
        const { text } = await fixSample(rule, sample);
        await withCluster(sample, async () => {
          for (const object of (await objectsOf(text)).filter((one) => names.has(JSON.stringify(refOf(one))))) {
            const resource = await resourceOf(object);
            if (resource === null) {
              totals.notServed.add(String(object.kind));
              continue;
            }
            const answer = await cluster().api.send('POST', `${pathOf(object, resource)}?dryRun=All&fieldValidation=Strict`, moved(object, resource));
            if (Object.hasOwn(NOT_TAKEN, name)) assert.notEqual(answer.status, 201, 'it is taken: take it off the list');
            else assert.equal(answer.status, 201, answer.text);
            totals.accepted++;
          }
        });
      });

      it(`${name}: kubectl patches live objects to what the fixes say`, async () => {
        await withCluster(sample, async () => {
          for (const { object } of await fixesOf(rule, sample)) {
            await patchLive(rule, sample, object);
            // The spec of a pod cannot be patched, that of what makes pods can.
            if (object.kind === 'Pod') await patchLive(rule, sample, deploymentOf(object));
          }
        });
      });
    }
  }

  async function patchLive(rule: Rule, sample: Sample, object: KubeObject): Promise<void> {
    const resource = await resourceOf(object);
    if (resource === null) return;
    let live: KubeObject;
    try {
      live = await cluster().api.create(pathOf(object, resource), moved(object, resource));
    } catch (error) {
      if (!(error instanceof ApiError) || error.status >= 500) throw error;
      totals.cannotExist++;
      return;
    }
    const path = `${pathOf(object, resource)}/${nameOf(object)}`;
    try {
      // Judged as it is in the cluster, with all that the server has added.
      const findings = await findingsOf(rule, { ...sample, yaml: JSON.stringify(live) });
      const fixes = findings.flatMap(({ fix, object: of }) => (fix !== null && areEqualValues(of, refOf(live)) ? [fix] : []));
      const { result, edits } = mergeFixes(live, fixes);
      if (edits.length === 0) return;
      const wanted = await cluster().api.send('PUT', `${path}?dryRun=All&fieldValidation=Strict`, result);
      const command = patchCommandFor(live, fixes);
      if (command === null) {
        assert.equal(wanted.status, 422, `the server would take it: ${wanted.text}`);
        totals.immutable++;
        return;
      }
      assert.equal(wanted.status, 200, `${command}: ${wanted.text}`);
      const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `${command} --dry-run=server -o json`], { env: { PATH: programs, KUBECONFIG: cluster().kubeconfig, HOME: cluster().folder } });
      assert.deepEqual(comparable(JSON.parse(stdout)), comparable(JSON.parse(wanted.text)), command);
      totals.patched++;
    } finally {
      await cluster().api.delete(`${path}?gracePeriodSeconds=0`);
    }
  }

  function deploymentOf({ metadata, spec }: KubeObject): KubeObject {
    const labels = { ...stringMapAt(metadata, 'labels'), app: 'fixes' };
    const annotations = stringMapAt(metadata, 'annotations');
    return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'fixes' }, spec: { selector: { matchLabels: { app: 'fixes' } }, template: { metadata: { labels, annotations }, spec } } };
  }

  function comparable(value: unknown): unknown {
    const annotations = valueAt(value, 'metadata', 'annotations');
    return isRecord(value) ? { ...value, metadata: { name: stringAt(value, 'metadata', 'name'), labels: valueAt(value, 'metadata', 'labels'), annotations }, status: null } : value;
  }
});
