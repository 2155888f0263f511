import assert from 'node:assert/strict';
import type { Finding } from '../../../../src/domain/check/finding.ts';
import { subjectsOf } from '../../../../src/domain/check/judge-object.ts';
import type { WorkloadSubject } from '../../../../src/domain/check/rule.ts';
import type { FieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { findingsByTemplate } from '../../../../src/domain/verdict/findings-by-template.ts';
import { factsOfSample } from '../../../support/check-sample.ts';

const TEMPLATE = { template: { spec: { containers: [{ name: 'a', image: 'a' }] } } };

async function subjectsWith(count: number): Promise<readonly WorkloadSubject[]> {
  const object: KubeObject = { apiVersion: 'example.com/v1', kind: 'Group', metadata: { name: 'group' }, spec: { members: Array.from({ length: count }, () => TEMPLATE) } };
  return subjectsOf(object, await factsOfSample({ yaml: 'apiVersion: v1\nkind: ConfigMap\n' }));
}

function findingAt(path: FieldPath): Finding {
  return {
    rule: 'a', facts: [], severity: 'info', effect: 'advice', object: { apiVersion: null, kind: null, namespace: null, name: '' }, container: null, path, message: '', nodes: [],
    confidence: 'proven', evidence: [], remedy: '', reference: '', fix: null,
  };
}

describe('findingsByTemplate', () => {
  it('gives each template its own findings and those outside of all, in their order', async () => {
    const findings = [['spec', 'members', 1, 'template', 'spec', 'os'], ['metadata', 'name'], ['spec', 'members', 0, 'template'], ['spec', 'members', 10, 'template', 'spec']].map(findingAt);
    const lists = findingsByTemplate(await subjectsWith(2), findings);
    assert.deepEqual(lists.map((list) => list.map((finding) => findings.indexOf(finding))), [[1, 2, 3], [0, 1, 3]]);
  });

  it('gives a single template all, and an object without any no list', async () => {
    const findings = [findingAt(['spec', 'elsewhere'])];
    assert.deepEqual(findingsByTemplate(await subjectsWith(1), findings), [findings]);
    assert.deepEqual(findingsByTemplate([], findings), []);
  });

  it('takes no time that grows with templates times findings', async function () {
    this.timeout(5_000);
    const subjects = await subjectsWith(2_000);
    const findings = subjects.flatMap((_, index) => Array.from({ length: 20 }, (_none, at) => findingAt(['spec', 'members', index, 'template', 'spec', 'containers', at])));
    assert.deepEqual(new Set(findingsByTemplate(subjects, findings).map((list) => list.length)), new Set([20]));
  });
});
