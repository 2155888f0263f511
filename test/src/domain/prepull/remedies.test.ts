import assert from 'node:assert/strict';
import { remedyOf } from '../../../../src/domain/prepull/remedies.ts';

describe('remedies of prepull', () => {
  it('are imperative sentences, for what fails or is refused', () => {
    for (const reason of ['NoMatchForPlatform', 'OsMismatch', 'NodeNotReady', 'Unauthorized', 'Timeout', 'Canceled', 'NodeLost', 'NotEnoughSpace']) assert.match(remedyOf(reason) ?? '', /^[A-Z][^\n]*\.$/, reason);
  });

  it('are none for what is as it should be, and for reasons of others', () => {
    for (const reason of ['Pulled', 'AlreadyPresent', 'Present', 'NotListed', 'Invalid', '', 'toString', '__proto__']) assert.equal(remedyOf(reason), null, reason);
  });
});
