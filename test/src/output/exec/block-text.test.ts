import assert from 'node:assert/strict';
import type { ExecGroup, KeptOutput } from '../../../../src/domain/hostprocess/fold.ts';
import { blockText } from '../../../../src/output/exec/block-text.ts';

const kept = (text: string, more: Partial<KeptOutput> = {}): KeptOutput => ({ text, base64: null, isTruncated: false, sizeBytes: text.length, digest: '', ...more });
const group = (more: Partial<ExecGroup> = {}): ExecGroup => ({ nodes: ['win-1'], outcome: { exitCode: 0, error: null }, stdout: kept(''), stderr: kept(''), ...more });

describe('blockText', () => {
  const cases: readonly [string, ExecGroup, string][] = [
    ['the output of a node', group({ stdout: kept('a\r\n\r\nb\r\n') }), '==> win-1 <==\na\n\nb\n'],
    ['a last line without an end', group({ stdout: kept('a') }), '==> win-1 <==\na\n'],
    ['nothing', group(), '==> win-1 <==\n'],
    ['an exit code', group({ outcome: { exitCode: 3221225477, error: null } }), '==> win-1 (exit code 3221225477) <==\n'],
    ['both streams', group({ stdout: kept('out\n'), stderr: kept('err\n') }), '==> win-1 <==\nout\n==> stderr <==\nerr\n'],
    ['an error', group({ outcome: { exitCode: null, error: { reason: 'StartTimeout', message: 'not running after\n5 minutes\u001b[2J' } }, stdout: null, stderr: null }), '==> win-1 (StartTimeout: not running after\\n5 minutes^[[2J) <==\n'],
    ['an exit code and an error', group({ outcome: { exitCode: 1, error: { reason: 'CommandNotFound', message: 'no foo' } } }), '==> win-1 (exit code 1, CommandNotFound: no foo) <==\n'],
    ['what was not begun', group({ outcome: null, stdout: null, stderr: null }), '==> win-1 (not begun) <==\n'],
    ['several nodes', group({ nodes: ['win-1', 'win-2'], stdout: kept('a\n') }), '==> win-1, win-2 (2 nodes) <==\na\n'],
    ['many', group({ nodes: Array.from({ length: 197 }, (_, index) => `win-${index}`), outcome: { exitCode: 1, error: null } }), '==> win-0, win-1, win-2, win-3, win-4, win-5, win-6, win-7, win-8, win-9 and 187 more (197 nodes, exit code 1) <==\n'],
    ['what was cut', group({ stdout: kept('abc', { isTruncated: true, sizeBytes: 9000 }) }), '==> win-1 <==\nabc\n==> stdout: cut, 9000 bytes came; --max-output keeps more <==\n'],
    ['what is no text', group({ stderr: kept('', { text: null, base64: '/w==', sizeBytes: 1 }) }), '==> win-1 <==\n==> stderr: 1 byte, not UTF-8; -o json has them in Base64 <==\n'],
  ];
  for (const [title, of, text] of cases) it(`shows ${title}`, () => assert.equal(blockText(of), text));

  it('lets output neither steer a terminal nor pass for the heading of another node', () => {
    assert.equal(blockText(group({ stdout: kept('\u001b[2J\u001b[H\n==> win-2 <==\nall is well\r==> win-3 <==\n') })), '==> win-1 <==\n^[[2J^[[H\n ==> win-2 <==\nall is well\\r==> win-3 <==\n');
  });
});
