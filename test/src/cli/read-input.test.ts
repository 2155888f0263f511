import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import type { CommandContext } from '../../../src/cli/context.ts';
import { readInputText, readStandardInput } from '../../../src/cli/read-input.ts';
import { InputError } from '../../../src/errors.ts';

const signal = new AbortController().signal;
const contextOf = (stdin: Readable, readTextFile: (path: string) => Promise<string> = async (path) => `text of ${path}`): CommandContext => ({ stdin, signal, ports: { readTextFile } }) as unknown as CommandContext;

describe('readInputText', () => {
  it('reads a file', async () => assert.equal(await readInputText('a.ps1', contextOf(Readable.from([]))), 'text of a.ps1'));

  it('reads standard input for -, characters that come in two pieces included', async () => {
    const bytes = Buffer.from('grüße\n');
    assert.equal(await readInputText('-', contextOf(Readable.from([bytes.subarray(0, 3), bytes.subarray(3)]))), 'grüße\n');
  });

  it('names what cannot be read', async () => {
    const failing = contextOf(Readable.from([]), () => Promise.reject(new Error('open a.ps1: no such file or directory')));
    await assert.rejects(readInputText('a.ps1', failing), (error) => error instanceof InputError && error.message === 'a.ps1: cannot be read: open a.ps1: no such file or directory');
    const broken = new Readable({ read() { this.destroy(new Error('EISDIR')); } });
    await assert.rejects(readInputText('-', contextOf(broken)), (error) => error instanceof InputError && error.message === 'stdin: cannot be read: EISDIR');
  });
});

describe('readStandardInput', () => {
  it('refuses more than it may hold', async () => {
    assert.equal((await readStandardInput(Readable.from(['abc']), signal, 3)).length, 3);
    await assert.rejects(readStandardInput(Readable.from(['abc', 'd']), signal, 3), /larger than 3 bytes/);
  });

  it('ends when it is told to stop', async () => {
    const controller = new AbortController();
    const reading = readStandardInput(new PassThrough(), controller.signal);
    controller.abort(new Error('stopped'));
    await assert.rejects(reading, /stopped/);
  });
});
