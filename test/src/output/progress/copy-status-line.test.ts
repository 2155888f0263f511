import assert from 'node:assert/strict';
import { CopyStatusLine } from '../../../../src/output/progress/copy-status-line.ts';

const at = (seconds: number): Date => new Date(Date.parse('2026-11-30T12:00:00Z') + seconds * 1000);
const MEBI = 2 ** 20;

describe('CopyStatusLine', () => {
  it('shows how far it is, and how fast what is sent goes', () => {
    const line = new CopyStatusLine();
    assert.equal(line.text(at(0), 80), null);
    line.take({ files: 2, sizeBytes: 100 * MEBI, sentBytes: 0, doneBytes: 40 * MEBI, doneFiles: 1 }, at(0));
    assert.equal(line.text(at(5), 80), '40.0Mi of 100.0Mi; 1 of 2 files');
    line.take({ files: 2, sizeBytes: 100 * MEBI, sentBytes: MEBI, doneBytes: 41 * MEBI, doneFiles: 1 }, at(10));
    line.take({ files: 2, sizeBytes: 100 * MEBI, sentBytes: 11 * MEBI, doneBytes: 51 * MEBI, doneFiles: 1 }, at(15));
    assert.equal(line.text(at(15), 80), '51.0Mi of 100.0Mi; 1 of 2 files; 2.0Mi/s', 'what was there before does not count');
    assert.equal(line.text(at(15), 20)?.length, 20);
  });
});
