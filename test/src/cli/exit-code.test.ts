import assert from 'node:assert/strict';
import { clampExitCode, EXIT_CODES } from '../../../src/cli/exit-code.ts';

describe('clampExitCode', () => {
  const cases: readonly [number, number, number | null, string][] = [
    [0, 0, null, 'success stays'], [1, 1, null, 'small codes stay'], [255, 255, null, 'the largest byte stays'],
    [256, 1, 256, 'a code whose low byte is 0 must not read as success'], [0x80070100, 1, 0x80070100, 'an HRESULT with low byte 0'],
    [0xc0000005, 5, 0xc0000005, 'an access violation keeps its low byte'], [-1073741510, 58, -1073741510, 'a negative code as Windows shows it'],
    [Number.NaN, 70, null, 'no number is our own bug'], [1.5, 70, null, 'a fraction is our own bug'],
  ];
  for (const [exitCode, code, original, why] of cases) {
    it(`${exitCode} → ${code}: ${why}`, () => assert.deepEqual(clampExitCode(exitCode), { code, original }));
  }
});

describe('EXIT_CODES', () => {
  it('are those of the README', () => {
    assert.deepEqual(EXIT_CODES, { ok: 0, found: 1, usage: 2, cluster: 3, bug: 70, interrupted: 130 });
  });
});
