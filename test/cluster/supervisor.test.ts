import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { isAlive } from './build.ts';
import { eventually } from './start.ts';
import { startSupervisor, sweepLeftovers } from './supervisor.ts';

const gone = (pids: readonly number[]): Promise<true> => eventually(`processes ${pids.join(', ')} gone`, 8, async () => (pids.some(isAlive) ? undefined : true));

// A program that starts another one, as the kubelet stand-in does, tells both ids and waits.
const family = `
  const { spawn } = require('node:child_process');
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  console.log(process.pid + ' ' + child.pid);
  setInterval(() => {}, 1000);`;

interface Started {
  readonly test: ReturnType<typeof spawn>;
  readonly folder: string;
  readonly supervisor: number;
  readonly pids: readonly number[];
}

/** Another process in the role of the test that has started things. */
async function startElsewhere(): Promise<Started> {
  const script = `
    import { startSupervisor } from ${JSON.stringify(join(import.meta.dirname, 'supervisor.ts'))};
    import { readFile } from 'node:fs/promises';
    const supervisor = await startSupervisor();
    await supervisor.start({ name: 'family', program: process.execPath, args: ['-e', ${JSON.stringify(family)}] });
    let log = '';
    while (!log.includes('\\n')) log = await readFile(supervisor.folder + '/family.log', 'utf8');
    console.log(JSON.stringify({ folder: supervisor.folder, supervisor: supervisor.pid, pids: log.trim().split(' ').map(Number) }));
    setInterval(() => {}, 1000);`;
  const test = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface({ input: test.stdout })) return { test, ...JSON.parse(line) as Omit<Started, 'test'> };
  throw new Error('the other process ended without a word');
}

describe('supervisor', () => {
  it('runs a program in its state folder and removes the folder at the end', async () => {
    const supervisor = await startSupervisor();
    const pid = await supervisor.start({ name: 'shell', program: process.execPath, args: ['-e', 'console.log(process.cwd(), process.env.WORD); setInterval(() => {}, 1000)'], env: { WORD: 'hello' } });
    const log = await eventually('a line in the log', 5, async () => readFileSync(join(supervisor.folder, 'shell.log'), 'utf8') || undefined);
    assert.equal(log, `${supervisor.folder} hello\n`);
    assert.equal(isAlive(pid), true);
    await supervisor.stopAll();
    assert.equal(isAlive(pid), false);
    assert.equal(isAlive(supervisor.pid), false);
    assert.equal(existsSync(supervisor.folder), false);
    await assert.rejects(supervisor.start({ name: 'late', program: process.execPath, args: [] }), /has ended/);
  });

  it('tells why a program ended, and what could not be started', async () => {
    const supervisor = await startSupervisor();
    try {
      await supervisor.start({ name: 'failing', program: process.execPath, args: ['-e', 'console.error("no such port"); process.exit(3)'] });
      assert.equal(await eventually('the end of the program', 5, async () => supervisor.failure('failing') ?? undefined), 'failing ended with 3:\nno such port');
      await assert.rejects(supervisor.start({ name: 'missing', program: '/nonexistent/program', args: [] }), /\/nonexistent\/program: .*ENOENT/);
    } finally {
      await supervisor.stopAll();
    }
  });

  it('ends everything when the test is killed', async () => {
    const { test, folder, supervisor, pids } = await startElsewhere();
    assert.equal(pids.length, 2);
    assert.deepEqual(pids.map(isAlive), [true, true]);
    test.kill('SIGKILL');
    await gone([...pids, supervisor]);
    assert.equal(existsSync(folder), false);
  });

  it('sweeps up at the next start when the supervisor was killed too', async () => {
    const { test, folder, supervisor, pids } = await startElsewhere();
    process.kill(supervisor, 'SIGKILL');
    test.kill('SIGKILL');
    await gone([supervisor]);
    assert.equal(isAlive(pids[0] ?? 0), true);
    sweepLeftovers();
    assert.equal(existsSync(folder), false);
    await gone(pids.slice(0, 1));
    // The sweep knows the programs, not what they have started: this one is the test's to end.
    process.kill(pids[1] ?? 0, 'SIGKILL');
  });
});
