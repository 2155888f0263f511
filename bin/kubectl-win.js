#!/usr/bin/env node
// Entry for every platform and every Node from 12.17 on: syntax and imports stay at that level, so that an old Node
// can still say what is needed or hand over to the Node that the project's own install brought along.
// CommonJS, as is the bundle: loading the same as ES modules takes 10 ms longer (measured 2026-11-30).
const { existsSync, readFileSync, realpathSync, statSync } = require('fs');
const nodeModule = require('module');
const { homedir } = require('os');
const { dirname, join } = require('path');
const { pathToFileURL } = require('url');

const FLOOR = [22, 19];
// Exit code for a Node that is too old: wrong use, as for a wrong flag (README, exit codes).
const EXIT_USAGE = 2;
const EXIT_BUG = 70;

// A reader that goes away (`| head -1`) must not show as an uncaught error; the program itself reports what is one.
process.stdout.on('error', () => undefined);

const root = dirname(dirname(realpathSync(__filename)));
// the launcher beside this file knows under which name it was called
const executable = process.env.KUBECTL_WIN_EXECUTABLE || process.argv[1];

if (isRecentEnough(process.versions.node)) start();
else handOver();

function isRecentEnough(version) {
  const parts = version.split('.').map(Number);
  return parts[0] > FLOOR[0] || (parts[0] === FLOOR[0] && parts[1] >= FLOOR[1]);
}

function start() {
  load()
    .then((program) => program.run(process.argv.slice(2), executable))
    .catch((error) => {
      process.exitCode = EXIT_BUG;
      process.stderr.write(`error: kubectl win cannot start: ${error && error.stack ? error.stack : error}\n`);
    });
}

async function load() {
  const stamp = readStamp();
  if (existsSync(join(root, 'src', 'cli')) && !isFresh(stamp)) return import(pathToFileURL(join(root, 'src', 'tooling', 'run-sources.ts')).href);
  enableCompileCache(stamp.words);
  return require('../dist/kubectl-win.cjs');
}

/** What the build says of the bundle: words that commands begin with, what the bundle was made of, and when; null when there is none. */
function readStamp() {
  const file = join(root, 'dist', 'stamp');
  try {
    const [words, ...sources] = readFileSync(file, 'utf8').split('\n');
    return { words: words.split(' '), sources, time: statSync(file).mtimeMs };
  } catch {
    return null;
  }
}

/** A bundle in a checkout is fresh when nothing that it was made of has changed after it. */
function isFresh(stamp) {
  if (stamp === null) return false;
  try {
    return stamp.sources.every((path) => statSync(`${root}/${path}`).mtimeMs <= stamp.time);
  } catch {
    return false; // deleted
  }
}

/**
 * Keeps compiled code between runs, which takes 25 ms off a start of 150; a folder that cannot be written is no error.
 * The cache holds what the first run had to compile, so commands that run different parts have one each.
 */
function enableCompileCache(words) {
  if (typeof nodeModule.enableCompileCache !== 'function') return;
  const [first, ...rest] = process.argv.slice(2);
  const part = words.includes(first) ? first + (rest.some((text) => text.startsWith('--inventory')) ? '-inventory' : '') : 'help';
  try {
    const cache = process.env.XDG_CACHE_HOME || (process.platform === 'win32' && process.env.LOCALAPPDATA) || join(homedir(), '.cache');
    nodeModule.enableCompileCache(join(cache, 'kubectl-win', 'compile', part));
  } catch {
    // slower, nothing else
  }
}

/** Goes on in the Node of the project's own install. */
function handOver() {
  const node = findOwnNode();
  if (node === null) {
    process.stderr.write(
      `error: kubectl win needs Node.js ${FLOOR.join('.')} or newer and was started by ${process.versions.node} (${process.execPath})\n` +
        `Install a newer Node.js, or run npm ci in ${root}, which brings one along\n`,
    );
    process.exitCode = EXIT_USAGE;
    return;
  }
  const { spawn } = require('child_process');
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit', env: Object.assign({}, process.env, { KUBECTL_WIN_EXECUTABLE: executable }) });
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const forward = (signal) => child.kill(signal);
  signals.forEach((signal) => process.on(signal, forward));
  child.on('error', (error) => {
    process.stderr.write(`error: cannot start ${node}: ${error.message}\n`);
    process.exitCode = EXIT_USAGE;
  });
  child.on('exit', (code, signal) => {
    signals.forEach((name) => process.removeListener(name, forward));
    if (signal !== null) process.kill(process.pid, signal);
    else process.exitCode = code;
  });
}

function findOwnNode() {
  const windows = process.platform === 'win32';
  const platform = windows ? 'win' : process.platform;
  const names = [`node-${platform}-${process.arch}`, `node-bin-${platform}-${process.arch}`];
  // beside the sources after npm ci; one level up when npm has put this package's dependencies next to it
  for (const folder of [join(root, 'node_modules'), dirname(root)]) {
    for (const name of names) {
      const file = join(folder, name, 'bin', windows ? 'node.exe' : 'node');
      if (existsSync(file) && realpathSync(file) !== realpathSync(process.execPath)) return file;
    }
  }
  return null;
}
