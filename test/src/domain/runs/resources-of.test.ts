import assert from 'node:assert/strict';
import { resourcesOf } from '../../../../src/domain/runs/resources-of.ts';

describe('resources of what runs make', () => {
  it('are none, with limits for quotas that want some', () => assert.deepEqual(resourcesOf(), { limits: { cpu: '0', memory: '0' }, requests: { cpu: '0', memory: '0' } }));
  it('have no limit beside what is requested, which would be less', () => {
    assert.deepEqual(resourcesOf({ memory: '1Gi' }), { limits: { cpu: '0' }, requests: { cpu: '0', memory: '1Gi' } });
    assert.deepEqual(resourcesOf({ cpu: '1', memory: '1Gi' }), { requests: { cpu: '1', memory: '1Gi' } });
  });
});
