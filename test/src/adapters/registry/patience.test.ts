import assert from 'node:assert/strict';
import { Patience } from '../../../../src/adapters/registry/patience.ts';
import { registryError } from '../../../../src/adapters/registry/registry-error.ts';

const SUBJECT = { registry: 'r.example', asked: 'r.example' };

describe('Patience', () => {
  it('ends when slow lookups took three minutes, those beside each other counted once', () => {
    const patience = new Patience(15);
    for (let round = 0; round < 13; round += 1) {
      assert.equal(patience.refusal(SUBJECT), null);
      for (let lookup = 0; lookup < 10; lookup += 1) patience.note(round * 14_000, (round + 1) * 14_000, null);
    }
    const refusal = patience.refusal(SUBJECT);
    assert.equal(refusal?.failure.reason, 'Timeout');
    assert.equal(refusal.message, 'r.example was not asked any more: 130 slow lookups took 182 s already');
  });

  it('does not mind quick ones, however many', () => {
    const patience = new Patience(15);
    for (let lookup = 0; lookup < 10_000; lookup += 1) patience.note(lookup * 1900, (lookup + 1) * 1900, null);
    assert.equal(patience.refusal(SUBJECT), null);
  });

  it('is larger where single lookups have much time', () => {
    const patience = new Patience(600);
    patience.note(0, 599_000, null);
    assert.equal(patience.refusal(SUBJECT), null);
    patience.note(599_000, 7_200_000, null);
    assert.notEqual(patience.refusal(SUBJECT), null);
  });

  it('says how it ended, and that a registry was busy', () => {
    const patience = new Patience(15);
    patience.note(0, 200_000, registryError(SUBJECT, 'TooManyRequests', 'answered 429 Too Many Requests', ['log in']));
    const refusal = patience.refusal(SUBJECT);
    assert.equal(refusal?.failure.reason, 'TooManyRequests');
    assert.equal(refusal.message, 'r.example was not asked any more: one slow lookup took 200 s already, the last of which ended so: r.example answered 429 Too Many Requests');
    assert.equal(refusal.failure.suggestions.at(-1), 'log in');
  });
});
