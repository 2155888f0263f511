import assert from 'node:assert/strict';
import { durationText } from '../../../src/domain/duration-text.ts';

describe('durationText', () => {
  for (const [seconds, text] of [[0, '0s'], [0.04, '0s'], [0.84, '0.8s'], [3, '3s'], [9.96, '10s'], [45.2, '45s'], [119, '119s'], [192, '3m12s'], [780, '13m'], [7500, '125m'], [-5, '0s']] as const) {
    it(`of ${seconds} is ${text}`, () => assert.equal(durationText(seconds), text));
  }
});
