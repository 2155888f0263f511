import assert from 'node:assert/strict';
import { beginTranscript, type TranscriptFacts } from '../../../../src/cli/hostprocess/transcript.ts';
import type { CommandContext, PrivateFile } from '../../../../src/cli/context.ts';
import { ended } from '../../../support/exec-items.ts';

interface Written {
  readonly context: CommandContext;
  readonly paths: string[];
  readonly text: () => string;
  readonly isClosed: () => boolean;
}

/** Whose writes come to an end after the next one has begun, unless they are waited for. */
function memoryFile(failure: Error | null = null): Written {
  const paths: string[] = [];
  let text = '';
  let isClosed = false;
  const createPrivateFile = async (path: string): Promise<PrivateFile> => {
    paths.push(path);
    return {
      write: async (content) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (failure !== null && text !== '') throw failure;
        text += content.toString();
      },
      close: async () => {
        isClosed = true;
      },
      discard: async () => assert.fail('it is kept'),
    };
  };
  const context = { ports: { createPrivateFile }, clock: { now: () => new Date('2026-11-30T12:00:00Z') }, version: '0.1.0' } as unknown as CommandContext;
  return { context, paths, text: () => text, isClosed: () => isClosed };
}

const FACTS: TranscriptFacts = { run: 'a1b2c3', nodes: ['win-1', 'win-2'], size: null };
const linesOf = (text: string): readonly unknown[] => text.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown);

describe('beginTranscript', () => {
  it('writes lines of JSON in the order in which output comes', async () => {
    const file = memoryFile();
    const transcript = await beginTranscript('t.jsonl', FACTS, file.context);
    await Promise.all([transcript.output('win-1', 'stdout', Buffer.from('a')), transcript.output('win-2', 'stderr', Buffer.from('b')), transcript.end('win-1', ended(7))]);
    await transcript.close();
    assert.deepEqual([file.paths, file.isClosed()], [['t.jsonl'], true]);
    const time = '2026-11-30T12:00:00.000Z';
    assert.deepEqual(linesOf(file.text()), [
      { apiVersion: 'kubectl-win/v1alpha1', kind: 'Transcript', toolVersion: '0.1.0', startedAt: time, run: 'a1b2c3', nodes: ['win-1', 'win-2'] },
      { time, node: 'win-1', stream: 'stdout', text: 'a' }, { time, node: 'win-2', stream: 'stderr', text: 'b' }, { time, node: 'win-1', exitCode: 7, error: null },
    ]);
  });

  it('writes an asciicast of a terminal', async () => {
    const file = memoryFile();
    const transcript = await beginTranscript('t.cast', { run: 'a1b2c3', nodes: ['win-1'], size: { width: 80, height: 24 } }, file.context);
    await transcript.output('win-1', 'stdout', Buffer.from('C:\\>'));
    await transcript.resize({ width: 100, height: 30 });
    await transcript.end('win-1', ended(0));
    const [header, ...events] = linesOf(file.text()) as readonly [Record<string, unknown>];
    assert.deepEqual([header['version'], header['width'], header['title']], [2, 80, 'win-1 (kubectl win hostprocess exec, run a1b2c3)']);
    assert.deepEqual(events, [[0, 'o', 'C:\\>'], [0, 'r', '100x30']]);
  });

  it('fails with what cannot be written', async () => {
    const file = memoryFile(new Error('disk full'));
    const transcript = await beginTranscript('t.jsonl', FACTS, file.context);
    await assert.rejects(transcript.output('win-1', 'stdout', Buffer.from('a')), /disk full/);
  });
});
