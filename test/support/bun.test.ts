import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findBun } from './bun.ts';

describe('findBun', function () {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-win-bun-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function program(name: string, text: string, executable = 'bun'): string {
    const file = join(folder, name, 'bin', executable);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    chmodSync(file, 0o755);
    return file;
  }

  it('takes the first platform package whose program runs', function () {
    if (process.platform === 'win32') return this.skip();
    program('@oven/bun-linux-x64', '#!/nowhere/ld-linux\n');
    program('@oven/other', '#!/bin/sh\nexit 0\n');
    const runs = program('@oven/bun-linux-x64-musl', '#!/bin/sh\nexit 0\n');
    assert.equal(findBun(folder), runs);
  });

  it('takes the one that the install script of bun has moved out of the platform package', function () {
    if (process.platform === 'win32') return this.skip();
    mkdirSync(join(folder, '@oven/bun-linux-x64/bin'), { recursive: true });
    const moved = program('bun', '#!/bin/sh\nexit 0\n', 'bun.exe');
    assert.equal(findBun(folder), moved);
  });

  it('is null where no package is installed, or none fits', () => {
    assert.equal(findBun(join(folder, 'missing')), null);
    program('@oven/bun-linux-x64', '#!/bin/sh\nexit 1\n');
    assert.equal(findBun(folder), null);
  });
});
