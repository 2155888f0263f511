/**
 * The process that owns what a test started: `node supervise.ts PREFIX`. It makes a state folder in the temporary
 * folder, starts and stops programs as lines of JSON on stdin say, and ends all of them and the folder as soon as that
 * pipe closes, so that a test that crashes or is killed leaves nothing behind. It runs in a session of its own, so
 * Ctrl-C in the terminal reaches the test only, which then closes the pipe.
 */
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, openSync, closeSync, rmSync, writeFileSync, renameSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Component, Report, Request } from './supervisor.ts';

const graceMilliseconds = 2000;
const prefix = process.argv[2] ?? 'kubectl-win-test-';
const folder = mkdtempSync(join(tmpdir(), prefix));
const running = new Map<string, ChildProcess>();
let ending = false;

function report(message: Report): void {
  process.stdout.write(JSON.stringify(message) + '\n');
}

/** Tells a later run which processes to end should even this one be killed. */
function record(): void {
  const file = join(folder, 'supervisor.json');
  const pids = [...running.values()].flatMap((child) => (child.pid === undefined ? [] : [child.pid]));
  writeFileSync(`${file}.tmp`, JSON.stringify({ pid: process.pid, pids }));
  renameSync(`${file}.tmp`, file);
}

function start(id: number, component: Component): void {
  const log = openSync(join(folder, `${component.name}.log`), 'a');
  const child = spawn(component.program, component.args, { cwd: folder, env: { ...process.env, ...component.env }, stdio: ['ignore', log, log] });
  closeSync(log);
  child.once('spawn', () => {
    running.set(component.name, child);
    record();
    report({ id, pid: child.pid ?? 0 });
  });
  child.once('error', (error) => {
    if (!running.has(component.name)) report({ id, error: `${component.program}: ${error.message}` });
  });
  child.once('exit', (code, signal) => {
    if (running.get(component.name) === child) running.delete(component.name);
    if (ending) return;
    record();
    report({ exited: component.name, code, signal });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => { child.once('exit', () => { resolve(); }); });
  child.kill('SIGTERM');
  const timer = setTimeout(() => { child.kill('SIGKILL'); }, graceMilliseconds);
  await ended;
  clearTimeout(timer);
}

async function endAll(): Promise<void> {
  if (ending) return;
  ending = true;
  await Promise.all([...running.values()].map(end));
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  report({ ended: true });
  // What the programs themselves have started and left belongs to this process group, of which this process is the
  // leader; the last signal therefore ends this process as well.
  process.kill(-process.pid, 'SIGKILL');
}

function obey(request: Request): void {
  if ('start' in request) start(request.id, request.start);
  else {
    const child = running.get(request.stop);
    const done = child === undefined ? Promise.resolve() : end(child);
    void done.then(() => { report({ id: request.id, pid: child?.pid ?? 0 }); });
  }
}

// Nobody reads any more once the test is gone.
process.stdout.on('error', () => undefined);
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => { void endAll(); });
record();
report({ folder });
createInterface({ input: process.stdin })
  .on('line', (line) => { if (!ending) obey(JSON.parse(line) as Request); })
  .on('close', () => { void endAll(); });
