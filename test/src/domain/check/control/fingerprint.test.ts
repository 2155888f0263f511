import assert from 'node:assert/strict';
import { fingerprintOf } from '../../../../../src/domain/check/control/fingerprint.ts';

const OBJECT = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
const FINDING = { rule: 'sysctls', object: OBJECT, container: null, path: ['spec', 'template', 'spec', 'securityContext', 'sysctls', 0] };

describe('fingerprintOf', () => {
  it('is made of rule, group, kind, namespace, name and field', () => {
    assert.equal(fingerprintOf(FINDING), 'sysctls|apps|Deployment|shop|web|spec.template.spec.securityContext.sysctls[0]');
  });

  it('does not hang on the version of the API', () => {
    assert.equal(fingerprintOf({ ...FINDING, object: { ...OBJECT, apiVersion: 'apps/v1beta1' } }), fingerprintOf(FINDING));
    assert.notEqual(fingerprintOf({ ...FINDING, object: { ...OBJECT, apiVersion: 'v1' } }), fingerprintOf(FINDING));
  });

  it('puts the name of a container in the place of its index, and of nothing else', () => {
    const at = (index: number): string => fingerprintOf({ ...FINDING, container: 'app', path: ['spec', 'initContainers', index, 'ports', 1, 'hostPort'] });
    assert.equal(at(0), at(3));
    assert.match(at(0), /initContainers.+app.+ports\[1\]\.hostPort$/);
  });

  it('keeps the index of a container without a name', () => {
    const at = (index: number): string => fingerprintOf({ ...FINDING, container: '', path: ['spec', 'containers', index, 'image'] });
    assert.notEqual(at(0), at(1));
  });

  it('tells objects, rules and fields apart', () => {
    const all = [
      FINDING, { ...FINDING, rule: 'other' }, { ...FINDING, path: ['spec'] }, { ...FINDING, object: { ...OBJECT, namespace: 'dev' } }, { ...FINDING, object: { ...OBJECT, name: 'api' } },
      { ...FINDING, object: { ...OBJECT, kind: 'DaemonSet' } }, { ...FINDING, object: { apiVersion: null, kind: null, namespace: null, name: '' } },
    ].map((one) => fingerprintOf(one));
    assert.equal(new Set(all).size, all.length);
  });
});
