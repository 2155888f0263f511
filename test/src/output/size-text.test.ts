import assert from 'node:assert/strict';
import { sizeText } from '../../../src/output/size-text.ts';

describe('sizeText', () => {
  for (const [bytes, text] of [[0, '0.0Mi'], [327_155_712, '312.0Mi'], [2 ** 30, '1.0Gi'], [2_040_109_466, '1.9Gi'], [11.2 * 2 ** 30, '11.2Gi']] as const) {
    it(`of ${bytes} is ${text}`, () => assert.equal(sizeText(bytes), text));
  }
});
