import assert from 'node:assert/strict';
import { frame } from '../../../../../src/domain/hostprocess/command/frame.ts';

describe('frame', () => {
  for (const [name, script] of [['nothing', ''], ['a letter', 'a'], ['text of several bytes a character', 'é日👩‍👩‍👧\r\n'], ['a mebibyte', 'ü'.repeat(2 ** 19)]] as const) {
    it(`is the length in bytes, the lowest first, then ${name}`, () => {
      const framed = Buffer.from(frame(script));
      assert.equal(framed.readUInt32LE(), framed.length - 4);
      assert.equal(framed.subarray(4).toString('utf8'), script);
    });
  }
});
