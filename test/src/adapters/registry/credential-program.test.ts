import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { askHelper, helperProgram } from '../../../../src/adapters/registry/credential-program.ts';
import { processEnvironment } from '../../../../src/adapters/kube/config/environment.ts';
import { writeHelper } from './helper-script.ts';
import { withFolder } from './loopback-registry.ts';

const never = new AbortController().signal;

describe('helperProgram', () => {
  const cases: readonly (readonly [name: string, program: string | null])[] = [
    ['desktop.exe', 'docker-credential-desktop.exe'], ['ecr-login', 'docker-credential-ecr-login'], ['../evil', null], ['a/b', null], ['', null], ['-x', null], ['a b', null], [String.raw`a\b`, null], ['.hidden', null],
  ];
  for (const [name, program] of cases) it(`${JSON.stringify(name)}: ${program}`, () => assert.equal(helperProgram(name), program));
});

describe('askHelper', function () {
  if (process.platform === 'win32') return;

  const ask = (folder: string, timeoutMs = 10_000, signal: AbortSignal = never) =>
    askHelper('docker-credential-test', 'registry.example', { environment: processEnvironment({ variables: { PATH: `${folder}:/usr/bin:/bin`, MARK: join(folder, 'mark') } }), signal, timeoutMs });

  const cases: readonly (readonly [what: string, script: string, answer: unknown])[] = [
    ['credentials', `printf '{"ServerURL":"x","Username":"u","Secret":"p"}'`, { credentials: { kind: 'password', username: 'u', password: 'p' } }],
    ['an identity token', `printf '{"Username":"<token>","Secret":"t"}'`, { credentials: { kind: 'identity-token', token: 't' } }],
    ['none, in the words of a keychain', 'echo "credentials not found in native keychain"; exit 1', { credentials: null }],
    ['none, as empty names', `printf '{"Username":"","Secret":""}'`, { credentials: null }],
    ['a crash', 'echo "secret hunter2"; echo hunter2 >&2; exit 3', { problem: 'failed with exit code 3' }],
    ['its end by a signal', 'kill -9 $$', { problem: 'was ended by SIGKILL' }],
    ['no JSON', 'echo hello', { problem: 'wrote no JSON' }],
    ['other JSON', 'echo "{}"', { problem: 'wrote JSON without Username and Secret' }],
    ['too much', 'yes "xxxxxxxxxxxxxxxx"', { problem: 'wrote more than credentials have' }],
  ];
  for (const [what, script, answer] of cases) {
    it(`tells ${what}`, async () => {
      await withFolder(async (folder) => {
        await writeHelper(folder, 'test', script);
        assert.deepEqual(await ask(folder), answer);
      });
    });
  }

  it('gives the server on standard input, and get as the one argument', async () => {
    await withFolder(async (folder) => {
      await writeHelper(folder, 'test', `printf '%s|%s' "$*" "$(cat)" > "$MARK"; printf '{"Username":"u","Secret":"p"}'`);
      await ask(folder);
      assert.equal(await readFile(join(folder, 'mark'), 'utf8'), 'get|registry.example');
    });
  });

  it('ends one that hangs, also one that reads nothing and has a child', async () => {
    await withFolder(async (folder) => {
      await writeHelper(folder, 'test', 'sleep 5 & sleep 5');
      assert.deepEqual(await ask(folder, 50), { problem: 'did not answer within 0.05 s' });
    });
  });

  /** Waits until nothing writes to a file any more. */
  const isSilent = async (path: string): Promise<boolean> => {
    for (let tries = 0; tries < 40; tries += 1) {
      const before = await readFile(path, 'utf8');
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (before === (await readFile(path, 'utf8'))) return true;
    }
    return false;
  };
  const WITH_CHILD = '(while :; do echo x >> "$MARK"; sleep 0.02; done) & wait';

  it('ends the children of one that hangs as well', async () => {
    await withFolder(async (folder) => {
      await writeHelper(folder, 'test', WITH_CHILD);
      assert.ok('problem' in (await ask(folder, 300)));
      assert.ok(await isSilent(join(folder, 'mark')));
    });
  });

  it('ends them with the signal, too', async () => {
    await withFolder(async (folder) => {
      await writeHelper(folder, 'test', WITH_CHILD);
      const controller = new AbortController();
      const asking = ask(folder, 20_000, controller.signal);
      while (!existsSync(join(folder, 'mark'))) await new Promise(setImmediate);
      controller.abort(new Error('interrupted'));
      await assert.rejects(asking, /interrupted/);
      assert.ok(await isSilent(join(folder, 'mark')));
    });
  });

  it('takes the answer of one that left a child behind which holds its output', async () => {
    await withFolder(async (folder) => {
      await writeHelper(folder, 'test', `printf '{"Username":"u","Secret":"p"}'; sleep 5 & exit 0`);
      assert.deepEqual(await ask(folder), { credentials: { kind: 'password', username: 'u', password: 'p' } });
    });
  });

  it('may be asked many times at once without a warning', async () => {
    await withFolder(async (folder) => {
      await writeHelper(folder, 'test', `printf '{"Username":"u","Secret":"p"}'`);
      const before = process.listenerCount('exit');
      const asking = Array.from({ length: 20 }, () => ask(folder));
      await new Promise(setImmediate);
      assert.ok(process.listenerCount('exit') <= before + 1);
      for (const answer of await Promise.all(asking)) assert.ok('credentials' in answer);
      assert.equal(process.listenerCount('exit'), before);
    });
  });

  it('ends with the signal', async () => {
    await withFolder(async (folder) => {
      await writeHelper(folder, 'test', 'touch "$MARK"; sleep 5');
      const controller = new AbortController();
      const asking = ask(folder, 20_000, controller.signal);
      while (!existsSync(join(folder, 'mark'))) await new Promise(setImmediate);
      controller.abort(new Error('interrupted'));
      await assert.rejects(asking, /interrupted/);
    });
  });

  it('is not found outside of PATH, and not run without permission', async () => {
    await withFolder(async (folder) => {
      assert.deepEqual(await ask(folder), { problem: 'is not in PATH' });
      const path = join(folder, 'docker-credential-test');
      await writeFile(path, '#!/bin/sh\n');
      await chmod(path, 0o600);
      if (process.getuid?.() !== 0) assert.ok('problem' in (await ask(folder)));
      await writeFile(path, '#!/nonexistent/interpreter\n');
      await chmod(path, 0o700);
      const answer = await ask(folder);
      assert.ok('problem' in answer && /cannot be started/.test(answer.problem), JSON.stringify(answer));
    });
  });
});
