/** Our reading of Kubernetes' types against the API server's strict decoding: dry runs of objects with one thing changed. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkFields } from '../../../../src/domain/check/check-fields.ts';
import { readKubernetesSchema, type FieldType, type SchemaData } from '../../../../src/domain/kubernetes/schema/kubernetes-schema.ts';
import { formatFieldPath, type FieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import { stringAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { groupVersionPaths, schemaOf, schemaText } from '../../../../src/tooling/schema.ts';
import { PROJECT_ROOT } from '../../../../src/tooling/source-commands.ts';
import { useCluster } from '../../../cluster/use-cluster.ts';
import { seededRandom, testSeed, type Random } from '../../../support/random.ts';

const FILE = join(PROJECT_ROOT, 'src/domain/kubernetes/schema/kubernetes-schema.json');
const NAMESPACE = 'schema-oracle';

/** Kinds that are created in a dry run, and where. */
const KINDS = [
  ['v1', 'Pod', 'pods', true], ['v1', 'PodTemplate', 'podtemplates', true], ['v1', 'ReplicationController', 'replicationcontrollers', true], ['v1', 'Service', 'services', true],
  ['v1', 'ConfigMap', 'configmaps', true], ['v1', 'Secret', 'secrets', true], ['v1', 'ServiceAccount', 'serviceaccounts', true], ['v1', 'Namespace', 'namespaces', false],
  ['v1', 'PersistentVolume', 'persistentvolumes', false], ['v1', 'PersistentVolumeClaim', 'persistentvolumeclaims', true], ['v1', 'LimitRange', 'limitranges', true], ['v1', 'ResourceQuota', 'resourcequotas', true],
  ['apps/v1', 'Deployment', 'deployments', true], ['apps/v1', 'ReplicaSet', 'replicasets', true], ['apps/v1', 'StatefulSet', 'statefulsets', true], ['apps/v1', 'DaemonSet', 'daemonsets', true],
  ['batch/v1', 'Job', 'jobs', true], ['batch/v1', 'CronJob', 'cronjobs', true], ['networking.k8s.io/v1', 'NetworkPolicy', 'networkpolicies', true], ['networking.k8s.io/v1', 'Ingress', 'ingresses', true],
  ['node.k8s.io/v1', 'RuntimeClass', 'runtimeclasses', false], ['storage.k8s.io/v1', 'StorageClass', 'storageclasses', false], ['policy/v1', 'PodDisruptionBudget', 'poddisruptionbudgets', true],
  ['autoscaling/v2', 'HorizontalPodAutoscaler', 'horizontalpodautoscalers', true], ['rbac.authorization.k8s.io/v1', 'Role', 'roles', true], ['coordination.k8s.io/v1', 'Lease', 'leases', true],
] as const;

/** Values that a field may be given, right and wrong. */
const VALUES: readonly unknown[] = [
  null, true, false, 0, 1, -1, 80, 1.5, 1e21, 2 ** 31 - 1, 2 ** 31, -(2 ** 31), 2 ** 53, '', 'a', 'true', 'yes', '80', '1.5', '1Gi', ' 1Gi', '1e3', '100m', '1.5.5', '.', '-', '1 Gi', '+1', '5Kg', '0x10', 'aGk=', 'aGk', 'aG k=', 'aGk=\n', '2026-11-30T08:30:00Z',
  '2026-11-30T08:30:00.123456Z', '2026-11-30T08:30:00.1+01:00', '2026-02-30T08:30:00Z', '2026-11-30t08:30:00z', '2026-11-30', {}, [], { a: 1 }, { a: 'b' }, ['a'], [1], [null], [{}], [[]], { a: null }, { a: {} },
];

describe('the fields of Kubernetes against an API server', () => {
  const cluster = useCluster();
  const data = JSON.parse(readFileSync(FILE, 'utf8')) as SchemaData;
  const schema = readKubernetesSchema(data);

  it('are those that it publishes', async function () {
    this.timeout(120_000);
    const ask = async (path: string): Promise<unknown> => JSON.parse((await cluster().api.send('GET', path)).text) as unknown;
    const documents: unknown[] = [];
    for (const path of groupVersionPaths(await ask('/openapi/v3'))) documents.push(await ask(`/openapi/v3/${path}`));
    const version = stringAt(await ask('/version'), 'gitVersion') ?? '';
    assert.equal(readFileSync(FILE, 'utf8'), schemaText(schemaOf(documents, version)), 'run src/tooling/schema.ts against this version');
  });

  const seed = testSeed();
  it(`are refused as it refuses them, at the same path (KUBECTL_WIN_SEED=${seed})`, async function () {
    this.timeout(600_000);
    await cluster().createNamespace(NAMESPACE);
    const random = seededRandom(seed);
    const cases = Array.from({ length: 1_500 }, () => mutation(random));
    const differences: string[] = [];
    let refused = 0;
    for (let start = 0; start < cases.length; start += 32) {
      await Promise.all(cases.slice(start, start + 32).map(async ({ object, resource, namespaced, what }) => {
        const [group] = String(object.apiVersion).split('/').length === 2 ? ['apis'] : ['api'];
        const path = `/${group}/${String(object.apiVersion)}/${namespaced ? `namespaces/${NAMESPACE}/` : ''}${resource}?dryRun=All&fieldValidation=Strict`;
        const answer = await cluster().api.send('POST', path, object);
        const server = refusalOf(answer.status, answer.text);
        const ours = checkFields(object, schema);
        if (server !== null) refused++;
        const paths = ours.map((problem) => comparable(problem.path, problem.kind === 'unknown-field'));
        const matches = server === null ? ours.length === 0 : ours.length > 0 && (server.paths.length === 0 || server.paths.every((wanted) => paths.some((path) => path === wanted || isKeyOfMap(path, wanted))));
        if (!matches) differences.push(`${what}\n  server: ${server === null ? `${answer.status} ${answer.text.slice(0, 300)}` : server.message}\n  ours: ${ours.map((problem) => `${formatFieldPath(problem.path)}: ${problem.message}`).join('; ')}`);
      }));
    }
    process.stdout.write(`      ${cases.length} objects, ${refused} of them refused while decoding, ${differences.length} differences\n`);
    assert.deepEqual(differences.slice(0, 20), []);
    assert.ok(refused >= 300);
  });

  /** An object that is filled at random as the schema says, with one field of it given any value, or misspelt. */
  function mutation(random: Random): { readonly object: KubeObject; readonly resource: string; readonly namespaced: boolean; readonly what: string } {
    const [apiVersion, kind, resource, namespaced] = random.pick(KINDS);
    const object: Record<string, unknown> = { apiVersion, kind, metadata: { name: 'a', labels: { a: 'b' } } };
    const type = schema.typeOf(apiVersion, kind);
    assert.ok(type !== null);
    // down a path of the schema to a field that gets the value
    let target: Record<string | number, unknown> = object;
    let fields = schema.fieldsOf(type);
    for (;;) {
      const name = random.pick([...fields.keys()].filter((field) => !['apiVersion', 'kind', 'status', 'managedFields'].includes(field)));
      if (random.chance(12)) {
        const misspelt = random.pick([`${name}x`, name.toUpperCase(), name.slice(1), `${name.slice(0, -1)}_${name.slice(-1)}`]);
        target[misspelt] = random.pick(VALUES);
        return { object, resource, namespaced, what: JSON.stringify(object) };
      }
      let field = fields.get(name) as FieldType;
      let key: string | number = name;
      while ((field.form === 'list' || field.form === 'map') && random.chance(85)) {
        const inner: Record<string | number, unknown> = field.form === 'list' ? ([] as unknown as Record<string | number, unknown>) : {}; // a list takes indexes
        target[key] = inner;
        target = inner;
        key = Array.isArray(inner) ? 0 : 'any-key';
        field = field.of;
      }
      if (field.form !== 'object' || random.chance(10)) {
        target[key] = random.pick(VALUES);
        return { object, resource, namespaced, what: JSON.stringify(object) };
      }
      const known = name === 'metadata' && target === object ? target[key] : undefined;
      const inner = (known ?? {}) as Record<string, unknown>;
      target[key] = inner;
      target = inner;
      fields = schema.fieldsOf(field.type);
      if (fields.size === 0) {
        target['anything'] = 1;
        return { object, resource, namespaced, what: JSON.stringify(object) };
      }
    }
  }
});

/** What the server says of fields; null where it decoded the object, whatever it thought of it then. */
function refusalOf(status: number, text: string): { readonly message: string; readonly paths: readonly string[] } | null {
  if (status < 400) return null;
  const message = stringAt(JSON.parse(text) as unknown, 'message') ?? '';
  const isDecoding = /strict decoding error|cannot be handled as a|cannot unmarshal|illegal base64|parsing time|quantities must match|unable to parse quantity/.test(message);
  if (!isDecoding) return null;
  const unknown = [...message.matchAll(/unknown field "([^"]+)"/g)].map(([, path = '']) => path);
  const go = [...message.matchAll(/Go struct field \w+\.(\S+) of type/g)].map(([, path = '']) => path.split('.').filter((step) => !/^[A-Z][a-zA-Z]*[a-z]$/.test(step)).join('.')); // PersistentVolumeSource: a struct of Go that JSON does not have
  return { message, paths: [...unknown, ...go] };
}

/** Go leaves out which key of a map it could not decode. */
function isKeyOfMap(path: string, map: string): boolean {
  return path.startsWith(`${map}.`) && !path.slice(map.length + 1).includes('.');
}

/** The path as the server writes it: for values that it cannot decode without indexes and keys of maps. */
function comparable(path: FieldPath, isUnknown: boolean): string {
  return isUnknown ? formatFieldPath(path) : path.filter((step) => typeof step === 'string').join('.');
}
