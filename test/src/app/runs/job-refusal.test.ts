import assert from 'node:assert/strict';
import { isClearRefusal, refusalOf } from '../../../../src/app/runs/job-refusal.ts';
import { error } from '../../../support/exec-cluster.ts';

describe('isClearRefusal', () => {
  it('is what will not pass by itself', () => {
    for (const text of ['pods "x" is forbidden: violates PodSecurity "restricted:latest"', 'admission webhook "w" denied the request: no', 'Pod "x" is invalid: spec.priority']) assert.equal(isClearRefusal(text), true, text);
    for (const text of ['pods "x" is forbidden: exceeded quota: q', 'status unknown for quota: q', 'failed calling webhook "w": context deadline exceeded', 'pods "x" is forbidden: unable to create new content: status unknown for quota']) assert.equal(isClearRefusal(text), false, text);
  });
});

describe('refusalOf', () => {
  it('tells what passes from what is refused to one and from what concerns all', () => {
    const kinds = [error('ServiceUnavailable'), error('Conflict'), error('Forbidden', 'exceeded quota: q', 403), error('Forbidden', 'denied', 403), error('Invalid'), error('Unauthorized'), error('CredentialPlugin'), error('Unknown', 'x', 500)].map(refusalOf);
    assert.deepEqual(kinds, ['again', 'again', 'again', 'one', 'one', 'run', 'run', 'again']);
  });
});
