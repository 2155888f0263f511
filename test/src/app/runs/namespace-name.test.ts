import assert from 'node:assert/strict';
import { requireNamespaceName } from '../../../../src/app/runs/namespace-name.ts';
import { UsageError } from '../../../../src/errors.ts';

describe('requireNamespaceName', () => {
  it('throws where it is none', () => {
    requireNamespaceName('shop');
    for (const name of ['a/b', '', 'Shop', 'a'.repeat(64)]) assert.throws(() => requireNamespaceName(name), UsageError);
  });
});
