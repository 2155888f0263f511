import assert from 'node:assert/strict';
import { Cast, Transcript } from '../../../../src/output/exec/cast.ts';

const START = Date.parse('2026-11-30T12:00:00Z');
const at = (seconds: number): Date => new Date(START + seconds * 1000);

describe('Cast', () => {
  it('is an asciicast of version 2', () => {
    const cast = new Cast(START + 0.25);
    const lines = [cast.header({ width: 91, height: 33 }, 'win-1'), cast.output(START + 1500.75, Buffer.from('C:\\>\u001b[2J')), cast.resize(START + 2000.25, { width: 101, height: 40 }), cast.end(START + 3000)];
    assert.deepEqual(lines, ['{"version":2,"width":91,"height":33,"timestamp":1796040000,"title":"win-1","env":{"TERM":"xterm"}}\n', '[1.5005,"o","C:\\\\>\\u001b[2J"]\n', '[2,"r","101x40"]\n', '']);
  });

  it('keeps a character together that comes in two pieces', () => {
    const cast = new Cast(START);
    const bytes = Buffer.from('€');
    assert.deepEqual([cast.output(START, bytes.subarray(0, 2)), cast.output(START + 1000, bytes.subarray(2)), cast.output(START + 2000, bytes.subarray(0, 1)), cast.end(START + 3000)], ['', '[1,"o","€"]\n', '', '[3,"o","\ufffd"]\n']);
  });

  it('never goes back in time, whatever the clock does', () => assert.equal(new Cast(START).output(START - 5000, Buffer.from('a')), '[0,"o","a"]\n'));
});

describe('Transcript', () => {
  it('tells what came from where and when, and how it ended', () => {
    const transcript = new Transcript();
    const lines = [
      transcript.header({ toolVersion: '0.1.0', startedAt: at(0), run: 'a1b2c3', nodes: ['win-1'] }),
      transcript.output(at(1), 'win-1', 'stdout', Buffer.from('a\r\n')),
      transcript.output(at(2), 'win-1', 'stderr', Buffer.from('\u001b[31m')),
      transcript.end(at(3), 'win-1', { exitCode: 7, error: null }),
    ];
    assert.deepEqual(lines.map((line) => JSON.parse(line) as unknown), [
      { apiVersion: 'kubectl-win/v1alpha1', kind: 'Transcript', toolVersion: '0.1.0', startedAt: '2026-11-30T12:00:00.000Z', run: 'a1b2c3', nodes: ['win-1'] },
      { time: '2026-11-30T12:00:01.000Z', node: 'win-1', stream: 'stdout', text: 'a\r\n' },
      { time: '2026-11-30T12:00:02.000Z', node: 'win-1', stream: 'stderr', text: '\u001b[31m' },
      { time: '2026-11-30T12:00:03.000Z', node: 'win-1', exitCode: 7, error: null },
    ]);
    assert.ok(lines.every((line) => line.endsWith('\n') && !line.slice(0, -1).includes('\n') && !line.includes('\u001b')));
  });

  it('keeps characters together, for each stream of each node', () => {
    const transcript = new Transcript();
    const [euro, umlaut] = [Buffer.from('€'), Buffer.from('ü')];
    const lines = [
      transcript.output(at(1), 'win-1', 'stdout', euro.subarray(0, 1)), transcript.output(at(1), 'win-2', 'stdout', umlaut.subarray(0, 1)), transcript.output(at(1), 'win-1', 'stderr', umlaut.subarray(0, 1)),
      transcript.output(at(2), 'win-1', 'stdout', euro.subarray(1)), transcript.output(at(2), 'win-2', 'stdout', umlaut.subarray(1)), transcript.output(at(2), 'win-1', 'stderr', umlaut.subarray(1)),
    ];
    assert.deepEqual(lines.map((line) => (line === '' ? '' : (JSON.parse(line) as { readonly text: string }).text)), ['', '', '', '€', 'ü', 'ü']);
  });

  it('has what is not UTF-8 as it came, to the last byte', () => {
    const transcript = new Transcript();
    assert.deepEqual(JSON.parse(transcript.output(at(1), 'win-1', 'stdout', Uint8Array.of(0xb3, 0xc9, 0x0a))), { time: '2026-11-30T12:00:01.000Z', node: 'win-1', stream: 'stdout', base64: 's8kK' });
    assert.equal(transcript.output(at(2), 'win-1', 'stdout', Uint8Array.of(0xe2)), '');
    const [rest = ''] = transcript.end(at(3), 'win-1', { exitCode: null, error: { reason: 'ConnectionLost', message: 'cut' } }).split('\n');
    assert.deepEqual(JSON.parse(rest), { time: '2026-11-30T12:00:03.000Z', node: 'win-1', stream: 'stdout', base64: '4g==' });
  });
});
