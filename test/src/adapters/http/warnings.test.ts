import assert from 'node:assert/strict';
import { parseWarnings } from '../../../../src/adapters/http/warnings.ts';

describe('parseWarnings', () => {
  it('reads every 299 of every Warning line and nothing else', () => {
    assert.deepEqual(
      parseWarnings([
        'Content-Type', 'application/json',
        'Warning', '299 - "policy/v1beta1 is deprecated"',
        'warning', '299 k8s "quoted \\"word\\" and \\\\", 299 - "second, with comma" "Wed, 30 Nov 2026 10:00:00 GMT"',
        'Warning', '199 - "other code"',
        'Warning', 'not a warning',
        'Warning', '299 - ""',
      ]),
      ['policy/v1beta1 is deprecated', 'quoted "word" and \\', 'second, with comma'],
    );
  });

  it('keeps characters beyond ASCII', () => {
    assert.deepEqual(parseWarnings(['Warning', Buffer.from('299 - "Größe"', 'utf8').toString('latin1')]), ['Größe']);
  });
});
