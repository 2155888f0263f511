#!/usr/bin/env node
// Entry for every platform and every Node from 12.17 on: syntax and imports stay at that level, so that an old Node
// can still say what is needed or hand over to the Node that the project's own install brought along.
// CommonJS, as is the bundle: loading the same as ES modules takes 10 ms longer (measured 2026-11-30).
const { existsSync, mkdirSync, readFileSync, realpathSync, renameSync, statSync, unlinkSync, writeFileSync } = require('fs');
const { createRequire } = require('module');
const { homedir } = require('os');
const { dirname, join } = require('path');
const { pathToFileURL } = require('url');
const { Script } = require('vm');

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
  return runBundle(stamp);
}

/** What the build says of the bundle: words that commands begin with, its hash, what it was made of, and when; null when there is none. */
function readStamp() {
  const file = join(root, 'dist', 'stamp');
  try {
    const [words, hash, ...sources] = readFileSync(file, 'utf8').split('\n');
    return { words: words.split(' '), hash, sources, time: statSync(file).mtimeMs };
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
 * Runs the bundle with the compiled code that an earlier run of the same command has left, which takes 40 ms off a start
 * of 150. Node's own compile cache holds no function that was compiled when it was first called, and that is most of them.
 */
function runBundle(stamp) {
  const file = join(root, 'dist', 'kubectl-win.cjs');
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, 'latin1')}\n})`;
  const cache = cacheOf(stamp);
  const script = new Script(source, { filename: file, cachedData: readCache(cache) });
  const program = { exports: {} };
  script.runInThisContext()(program.exports, createRequire(file), program, file, dirname(file));
  if (script.cachedDataRejected !== false) process.on('exit', () => writeCache(cache, script));
  return program.exports;
}

/**
 * The file for this install and command, as commands run different parts; null where nobody has a home folder.
 * `label` says what the code was compiled from and by: V8 compares no more than the length of the source.
 */
function cacheOf(stamp) {
  const [first, ...rest] = process.argv.slice(2);
  const command = stamp.words.includes(first) ? first + (rest.some((text) => text.startsWith('--inventory')) ? '-inventory' : '') : 'help';
  try {
    const folder = process.env.XDG_CACHE_HOME || (process.platform === 'win32' && process.env.LOCALAPPDATA) || join(homedir(), '.cache');
    const file = join(folder, 'kubectl-win', 'code', `${root.replace(/[^\w.-]+/g, '_').slice(-100)}_${command}`);
    return { file, label: `${stamp.hash} ${process.version} ${process.arch}` };
  } catch {
    return null;
  }
}

function readCache(cache) {
  if (cache === null) return undefined;
  try {
    const bytes = readFileSync(cache.file);
    const end = bytes.length - cache.label.length;
    return bytes.toString('latin1', end) === cache.label ? bytes.subarray(0, end) : undefined;
  } catch {
    return undefined;
  }
}

/** A folder that cannot be written is no error: the next start is slower, nothing else. */
function writeCache(cache, script) {
  if (cache === null) return;
  const draft = `${cache.file}.${process.pid}`;
  try {
    mkdirSync(dirname(draft), { recursive: true, mode: 0o700 });
    // the label comes last, so it tells a whole file
    writeFileSync(draft, Buffer.concat([script.createCachedData(), Buffer.from(cache.label, 'latin1')]), { mode: 0o600 });
    renameSync(draft, cache.file);
  } catch {
    removeQuietly(draft);
  }
}

function removeQuietly(file) {
  try {
    unlinkSync(file);
  } catch {
    // not there, or not ours
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
