import assert from 'node:assert/strict';
import { loadSchema } from '../../../../src/adapters/manifests/load-schema.ts';
import { checkFields } from '../../../../src/domain/check/check-fields.ts';
import type { KubernetesSchema } from '../../../../src/domain/kubernetes/schema/kubernetes-schema.ts';
import { nearestField } from '../../../../src/domain/kubernetes/schema/nearest-field.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { formatFieldPath } from '../../../../src/domain/kubernetes/field-path.ts';

describe('fields of built-in kinds', () => {
  let schema: KubernetesSchema;
  before(async () => {
    schema = await loadSchema();
  });

  const deployment = (container: Readonly<Record<string, unknown>>, spec: Readonly<Record<string, unknown>> = {}): KubeObject => ({
    apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', creationTimestamp: null }, spec: { template: { spec: { containers: [container], ...spec } } }, status: {},
  });
  const at = 'spec.template.spec.containers[0]';

  // name, object, path, message, edits of the fix (op and last step) or null
  const cases: readonly (readonly [string, KubeObject, string, RegExp, string | null])[] = [
    ['a letter too much', deployment({ imagee: 'a' }), `${at}.imagee`, /^"imagee" is no field of spec\.template\.spec\.containers\[0\] in Kubernetes 1\.37: did you mean image\?$/, 'remove imagee, set image'],
    ['lower case', deployment({ livenessprobe: {} }), `${at}.livenessprobe`, /did you mean livenessProbe\?$/, 'remove livenessprobe, set livenessProbe'],
    ['an underscore', deployment({ env_from: [] }), `${at}.env_from`, /did you mean envFrom\?$/, 'remove env_from, set envFrom'],
    ['the right field beside it', deployment({ imagee: 'a', image: 'b' }), `${at}.imagee`, /did you mean image\?$/, null],
    ['a field of the pod in a container', deployment({ nodeSelector: {} }), `${at}.nodeSelector`, /did you mean spec\.template\.spec\.nodeSelector\?$/, null],
    ['something of its own', deployment({ somethingElse: {} }), `${at}.somethingElse`, /in Kubernetes 1\.37$/, null],
    ['a field at the top', { apiVersion: 'v1', kind: 'Pod', containers: [] }, 'containers', /^"containers" is no field of Pod in Kubernetes 1\.37$/, null],
    ['a number in quotes', deployment({ ports: [{ containerPort: '80' }] }), `${at}.ports[0].containerPort`, /^containerPort is the text "80", where Kubernetes wants a whole number: did you mean 80\?$/, 'set containerPort'],
    ['a boolean in quotes', deployment({ tty: 'true' }), `${at}.tty`, /did you mean true\?$/, 'set tty'],
    ['a number as text', deployment({ env: [{ name: 'a', value: 1 }] }), `${at}.env[0].value`, /^value is the number 1, where Kubernetes wants text: did you mean "1"\?$/, 'set value'],
    ['a fraction', deployment({ ports: [{ containerPort: 80.5 }] }), `${at}.ports[0].containerPort`, /wants a whole number$/, null],
    ['a number beyond 32 bits', deployment({ ports: [{ containerPort: 2 ** 31 }] }), `${at}.ports[0].containerPort`, /from -2147483648 to 2147483647$/, null],
    ['a map for a list', deployment({ env: { a: 'b' } }), `${at}.env`, /^env is a map, where Kubernetes wants a list$/, null],
    ['an item that is no map', deployment({ env: ['a=b'] }), `${at}.env[0]`, /^item 0 of env is the text "a=b", where Kubernetes wants a map$/, null],
    ['a quantity that is none', deployment({ resources: { limits: { memory: '1 Gi' } } }), `${at}.resources.limits.memory`, /wants a quantity/, null],
    ['a spec that is no map', { apiVersion: 'v1', kind: 'Pod', spec: [] }, 'spec', /^spec is a list, where Kubernetes wants a map$/, null],
    ['text that is no base64', { apiVersion: 'v1', kind: 'Secret', data: { a: 'x' } }, 'data.a', /wants text in base64$/, null],
    ['a day that is no time', { apiVersion: 'v1', kind: 'Pod', metadata: { creationTimestamp: '2026-11-30' } }, 'metadata.creationTimestamp', /wants a time/, null],
  ];
  for (const [name, object, path, message, edits] of cases) {
    it(`has ${name} told`, () => {
      const [problem, ...others] = checkFields(object, schema);
      assert.ok(problem !== undefined);
      assert.deepEqual(others, []);
      assert.equal(formatFieldPath(problem.path), path);
      assert.match(problem.message, message);
      assert.equal(problem.fix?.edits.map(({ op, path: edited }) => `${op} ${String(edited.at(-1))}`).join(', ') ?? null, edits);
    });
  }

  it('takes null everywhere, what the server fills in, and every form of a value', () => {
    assert.deepEqual(checkFields(deployment({ image: null, env: null, ports: [null], resources: { limits: { cpu: 1, memory: '1Gi' } }, livenessProbe: { httpGet: { port: 80 } }, readinessProbe: { httpGet: { port: 'http' } } }), schema), []);
    assert.deepEqual(checkFields({ apiVersion: 'v1', kind: 'Secret', data: { a: 'aGk=', b: null }, stringData: { c: 'x' } }, schema), []);
  });

  it('says nothing of kinds that are not built in, or that it cannot know', () => {
    for (const object of [{ apiVersion: 'example.com/v1', kind: 'Deployment', x: 1 }, { apiVersion: 'extensions/v1beta1', kind: 'Ingress', x: 1 }, { kind: 'Pod', x: 1 }, { apiVersion: 'v1', kind: 'toString' }, {}]) assert.deepEqual(checkFields(object, schema), []);
  });

  it('tells fields with the names of inherited ones', () => {
    const object = JSON.parse('{"apiVersion": "v1", "kind": "Pod", "__proto__": {}, "constructor": 1}') as KubeObject;
    assert.deepEqual(checkFields(object, schema).map(({ path }) => path), [['__proto__'], ['constructor']]);
  });

  it('stops where there are too many to read', () => {
    assert.equal(checkFields(deployment({ env: Array.from({ length: 5_000 }, () => ({ valeu: 'x' })) }), schema).length, 100);
  });
});

describe('nearestField', () => {
  it('gives the one that is meant, and none that is far', () => {
    const fields = ['image', 'imagePullPolicy', 'ports', 'env', 'envFrom'];
    for (const [name, expected] of [['Image', 'image'], ['imge', 'image'], ['iamge', 'image'], ['port', 'ports'], ['image-pull-policy', 'imagePullPolicy'], ['zzz', null], ['x'.repeat(100_000), null], ['', 'env']] as const) {
      if (name !== '') assert.equal(nearestField(name, fields), expected, name);
    }
  });
});
