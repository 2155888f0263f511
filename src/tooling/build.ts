/** `npm run build`: bundles the program into one file in dist/, of which each run evaluates only the parts that its command uses. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { allInfos } from '../cli/command-table.ts';
import { findCommandFiles, packageVersion, PROJECT_ROOT, sourceCommandTable } from './source-commands.ts';

/** Packages that @oclif/core looks for at run time and that a bundle must not hold: TypeScript loaders of its development mode. */
const DEVELOPMENT_ONLY = ['typescript', 'ts-node', 'tsx', 'pnpapi'];

/** Bundles the sources into `folder` (default dist/); the old bundle stays until the new one is complete. */
export async function buildBundle(folder: string = join(PROJECT_ROOT, 'dist')): Promise<void> {
  const table = await sourceCommandTable();
  const files = await findCommandFiles();
  const infos = Object.fromEntries((await allInfos(table)).map((info) => [info.id, info]));
  const entry = [
    `import { start } from './src/cli/start.ts';`,
    `import infos from 'prepared:infos';`,
    `const loaders = {${[...files].map(([id, file]) => `${JSON.stringify(id)}: () => import(${JSON.stringify(file)})`).join(',')}};`,
    `const table = {`,
    `  ids: ${JSON.stringify([...files.keys()])},`,
    `  load: async (id) => (await loaders[id]()).default,`,
    `  info: async (id) => infos().commands[id],`,
    `  globalFlags: async () => infos().globalFlags,`,
    `};`,
    `export const run = (argv, executable) => start(argv, executable, table, ${JSON.stringify(await packageVersion())});`,
  ].join('\n');
  // a text that is parsed on demand costs less at start than an object literal
  const prepared = `let value; export default () => (value ??= JSON.parse(${JSON.stringify(JSON.stringify({ commands: infos, globalFlags: await table.globalFlags() }))}));`;
  const staging = `${folder}.new`;
  await rm(staging, { recursive: true, force: true });
  await build({
    stdin: { contents: entry, resolveDir: PROJECT_ROOT, sourcefile: 'kubectl-win.ts', loader: 'js' },
    outdir: staging,
    entryNames: 'kubectl-win',
    bundle: true,
    // one file, evaluated part by part as import() asks: 45 chunks took `nodes` 30 ms longer to link (measured 2026-11-30)
    splitting: false,
    format: 'esm',
    platform: 'node',
    target: 'node22.19',
    minify: true,
    keepNames: true,
    legalComments: 'linked',
    external: DEVELOPMENT_ONLY,
    logLevel: 'warning',
    banner: { js: `const require=process.getBuiltinModule('node:module').createRequire(import.meta.url);` },
    plugins: [preparedModule(prepared), lazyRequires, plainBuiltins],
  });
  // its time of change tells bin/kubectl-win.js whether the bundle is as new as the sources
  await writeFile(join(staging, 'stamp'), `${await packageVersion()}\n`);
  await rm(folder, { recursive: true, force: true });
  await rename(staging, folder);
}

function preparedModule(contents: string): Plugin {
  return {
    name: 'prepared',
    setup(setup) {
      setup.onResolve({ filter: /^prepared:infos$/ }, (args) => ({ path: args.path, namespace: 'prepared' }));
      setup.onLoad({ filter: /.*/, namespace: 'prepared' }, () => ({ contents, loader: 'js' }));
    },
  };
}

/**
 * Makes the modules of @oclif/core load each other when they are used and not when they are loaded: a command uses
 * the parser and the base class only, but each pulls in help, plugin search and their packages, which took 30 ms of a
 * start of 98 ms (Node 26, two cores, 2026-11-30). TypeScript names such imports `name_1`, which occur nowhere else.
 */
const lazyRequires: Plugin = {
  name: 'lazy-requires',
  setup(setup) {
    setup.onLoad({ filter: /[\\/]@oclif[\\/]core[\\/]lib[\\/].*\.js$/ }, async (args) => {
      let text = await readFile(args.path, 'utf8');
      const imports = [...text.matchAll(/^const (\w+_\d+) = ((?:__importDefault\()?require\("[^"]+"\)\)?);$/gm)];
      for (const [line, name = '', expression = ''] of imports) {
        text = text.replace(line, '').replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `(${name}())`);
        text += `\nfunction ${name}() { return ${name}.loaded ??= ${expression}; }`;
      }
      return { contents: text, loader: 'js' };
    });
  },
};

/**
 * Takes Node's own modules by process.getBuiltinModule in place of `import`: an import reads every export of the module,
 * and reading those of node:http loads all of undici for `http.WebSocket`, a third of the start of a command that uses
 * a cluster (Node 26.12, lib/http.js, lazyUndici; measured 2026-11-30).
 */
const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  setup(setup) {
    setup.onResolve({ filter: /^node:/ }, (args) => (args.kind === 'require-call' ? { path: args.path, external: true } : { path: args.path, namespace: 'builtin' }));
    setup.onLoad({ filter: /.*/, namespace: 'builtin' }, (args) => ({ contents: `module.exports = process.getBuiltinModule(${JSON.stringify(args.path)});`, loader: 'js' }));
  },
};

if (import.meta.main) await buildBundle();
