import assert from 'node:assert/strict';
import { readContract, renderContract } from '../../src/tooling/contract.ts';

describe('the contract of the command line', () => {
  it('is what test/contract/commands.json says (npm run contract refreshes it; a removed flag breaks scripts)', async () => {
    assert.equal(await renderContract(), await readContract());
  });
});
