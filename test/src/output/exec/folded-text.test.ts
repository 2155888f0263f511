import assert from 'node:assert/strict';
import type { FoldableItem, KeptOutput } from '../../../../src/domain/hostprocess/fold.ts';
import { foldedText } from '../../../../src/output/exec/folded-text.ts';

const kept = (text: string): KeptOutput => ({ text, base64: null, isTruncated: false, sizeBytes: text.length, digest: text });
const item = (node: string, stdout: string, exitCode = 0): FoldableItem => ({ node, stdout: kept(stdout), stderr: kept(''), outcome: { exitCode, error: null } });

describe('foldedText', () => {
  it('shows each group once, the largest first, with a blank line between', () => {
    assert.deepEqual([...foldedText([item('win-3', 'old\n', 1), item('win-1', 'new\n'), item('win-2', 'new\n')])], ['==> win-1, win-2 (2 nodes) <==\nnew\n', '\n==> win-3 (exit code 1) <==\nold\n']);
  });

  it('is nothing without nodes', () => assert.deepEqual([...foldedText([])], []));
});
