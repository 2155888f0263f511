#!/usr/bin/env node
// Entry for every platform and every Node from 12.17 on: syntax and imports stay at that level, so that an old Node
// can still say what is needed or hand over to the Node that the project's own install brought along.
import { spawn } from 'child_process';
import { existsSync, readdirSync, realpathSync, statSync } from 'fs';
import module from 'module';
import { homedir } from 'os';
import { dirname, join } from 'path';
import { fileURLToPath, pathToFileURL } from 'url';

const FLOOR = [22, 19];
// Exit code for a Node that is too old: wrong use, as for a wrong flag (README, exit codes).
const EXIT_USAGE = 2;
const EXIT_BUG = 70;

// A reader that goes away (`| head -1`) must not show as an uncaught error; the program itself reports what is one.
process.stdout.on('error', () => undefined);

const root = dirname(dirname(realpathSync(fileURLToPath(import.meta.url))));
// the launcher beside this file knows under which name it was called
const executable = process.env.KUBECTL_WIN_EXECUTABLE || process.argv[1];

if (isRecentEnough(process.versions.node)) start();
else handOver();

function isRecentEnough(version) {
  const parts = version.split('.').map(Number);
  return parts[0] > FLOOR[0] || (parts[0] === FLOOR[0] && parts[1] >= FLOOR[1]);
}

function start() {
  const bundle = join(root, 'dist', 'kubectl-win.js');
  let target = bundle;
  if (isCheckout() && !isBundleFresh()) target = join(root, 'src', 'tooling', 'run-sources.ts');
  else enableCompileCache();
  import(pathToFileURL(target).href)
    .then((program) => program.run(process.argv.slice(2), executable))
    .catch((error) => {
      process.exitCode = EXIT_BUG;
      process.stderr.write(`error: kubectl win cannot start: ${error && error.stack ? error.stack : error}\n`);
    });
}

// an installed package has no sources beside it
function isCheckout() {
  return existsSync(join(root, 'src', 'cli'));
}

/** A bundle is fresh when nothing that it was made of has changed after it. */
function isBundleFresh() {
  let stamp;
  try {
    stamp = statSync(join(root, 'dist', 'stamp')).mtimeMs;
  } catch {
    return false;
  }
  return !isNewer(join(root, 'package.json'), stamp) && !isNewer(join(root, 'commands'), stamp) && !isNewer(join(root, 'src'), stamp);
}

function isNewer(path, stamp) {
  const stat = statSync(path);
  if (stat.mtimeMs > stamp) return true;
  return stat.isDirectory() && readdirSync(path).some((name) => isNewer(join(path, name), stamp));
}

/** Keeps compiled code between runs, which saves about a tenth of the start; a folder that cannot be written is no error. */
function enableCompileCache() {
  if (typeof module.enableCompileCache !== 'function') return;
  try {
    const cache = process.env.XDG_CACHE_HOME || (process.platform === 'win32' && process.env.LOCALAPPDATA) || join(homedir(), '.cache');
    module.enableCompileCache(join(cache, 'kubectl-win', 'compile'));
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
