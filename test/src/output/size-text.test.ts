import assert from 'node:assert/strict';
import { fileSizeText, sizeText } from '../../../src/output/size-text.ts';

describe('sizeText', () => {
  for (const [bytes, text] of [[0, '0.0Mi'], [327_155_712, '312.0Mi'], [2 ** 30, '1.0Gi'], [2_040_109_466, '1.9Gi'], [11.2 * 2 ** 30, '11.2Gi']] as const) {
    it(`of ${bytes} is ${text}`, () => assert.equal(sizeText(bytes), text));
  }
});

describe('fileSizeText', () => {
  it('has a unit for small files, too', () => assert.deepEqual([0, 5, 1023, 1536, 2 ** 20, 3 * 2 ** 30].map(fileSizeText), ['0B', '5B', '1023B', '1.5Ki', '1.0Mi', '3.0Gi']));
});
