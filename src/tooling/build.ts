/** `npm run build`: bundles the program into dist/, of which each run reads and evaluates only the parts that its command uses. */
import { createHash } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type BuildOptions, type Plugin } from 'esbuild';
import type { CommandInfo } from '../cli/command-info.ts';
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
  const packages = new Map<string, string>();
  const options: BuildOptions = {
    bundle: true,
    // one file for all of the program: 45 chunks took `nodes` 30 ms longer to link (measured 2026-11-30)
    splitting: false,
    // CommonJS: an import of a built-in module reads all its exports, and reading those of node:http loads all of undici
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    platform: 'node',
    target: 'node22.19',
    // names stay, for errors and stacks: short ones make nothing faster, and keepNames runs a call per function
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'linked',
    supported: { 'dynamic-import': false },
    external: DEVELOPMENT_ONLY,
    logLevel: 'warning',
  };
  const { metafile } = await build({
    ...options,
    stdin: { contents: entry, resolveDir: PROJECT_ROOT, sourcefile: 'kubectl-win.ts', loader: 'js' },
    outdir: staging,
    entryNames: 'kubectl-win',
    define: { 'import.meta.url': '__bundleUrl', 'import.meta.dirname': '__dirname' },
    banner: { js: `const __bundleUrl=require('node:url').pathToFileURL(__filename).href;` },
    metafile: true,
    absWorkingDir: PROJECT_ROOT,
    plugins: [preparedModule(prepared), separatePackages(packages), lazyRequires, lazyBuiltins],
  });
  await build({ ...options, entryPoints: Object.fromEntries(packages), outdir: join(staging, 'packages') });
  const sources = Object.keys(metafile.inputs).filter((path) => /^(src|commands)\//.test(path));
  await writeFile(join(staging, 'stamp'), await stampText(Object.values(infos), join(staging, 'kubectl-win.cjs'), sources));
  await rm(folder, { recursive: true, force: true });
  await rename(staging, folder);
}

/**
 * For bin/kubectl-win.js: on the first line the words that commands begin with, on the second the hash of the bundle, on
 * each other line a file or folder that the bundle is older than when it was changed after the stamp.
 */
async function stampText(infos: readonly CommandInfo[], bundle: string, sources: readonly string[]): Promise<string> {
  const words = new Set(infos.flatMap(({ id, aliases }) => [id, ...aliases]).map((id) => id.split(' ')[0] ?? ''));
  const hash = createHash('sha256').update(await readFile(bundle)).digest('hex');
  return [[...words].toSorted().join(' '), hash, 'package.json', 'commands', 'src/tooling/build.ts', ...sources.toSorted()].join('\n');
}

/** Packages of some size that few runs use. */
const SEPARATE_PACKAGES = ['cli-spinners', 'cli-table3', 'ejs', 'minimatch', 'socks', 'tinyglobby', 'wrap-ansi', 'ws', 'yaml'];

/** Leaves them out of the bundle, to be read when they are used, and notes in `found` which file each one is. */
function separatePackages(found: Map<string, string>): Plugin {
  return {
    name: 'separate-packages',
    setup(setup) {
      setup.onResolve({ filter: new RegExp(`^(${SEPARATE_PACKAGES.join('|')})$`) }, async (args) => {
        if (args.pluginData === found) return undefined; // asked for below
        const { path, errors } = await setup.resolve(args.path, { importer: args.importer, kind: args.kind, resolveDir: args.resolveDir, pluginData: found });
        if (errors.length > 0) return { errors };
        if ((found.get(args.path) ?? path) !== path) return undefined; // another version of it stays with its user
        found.set(args.path, path);
        return { path: `./packages/${args.path}.cjs`, external: true };
      });
    },
  };
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

/** Built-in modules of which the sources use functions alone, and which most runs do not need. */
const LAZY_BUILTINS = ['node:child_process', 'node:fs/promises', 'node:timers/promises', 'node:zlib'];

/** Loads those modules when one of their functions is called: node:zlib alone takes 4 ms. Packages keep their own way. */
const lazyBuiltins: Plugin = {
  name: 'lazy-builtins',
  setup(setup) {
    const filter = new RegExp(`^(${LAZY_BUILTINS.join('|')})$`);
    setup.onResolve({ filter }, ({ path, kind, importer }) => (kind === 'import-statement' && !importer.includes('node_modules') ? { path, namespace: 'lazy-builtin' } : undefined));
    setup.onLoad({ filter: /.*/, namespace: 'lazy-builtin' }, ({ path }) => {
      const functions = Object.entries(process.getBuiltinModule(path) ?? {}).filter(([, value]) => typeof value === 'function' && !/^[A-Z]/.test(value.name));
      return { contents: functions.map(([name]) => `export const ${name} = (...args) => require(${JSON.stringify(path)}).${name}(...args);`).join('\n'), loader: 'js' };
    });
  },
};

if (import.meta.main) await buildBundle();
