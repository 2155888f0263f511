/** Rules of the house that no compiler checks: rooms, directions, mirrors, what a command must bring. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, posix, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { globalFlags } from '../src/cli/flags.ts';
import { allInfos } from '../src/cli/command-table.ts';
import { findCommandFiles, PROJECT_ROOT, sourceCommandTable } from '../src/tooling/source-commands.ts';

const run = promisify(execFile);

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(join(PROJECT_ROOT, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(PROJECT_ROOT, join(entry.parentPath, entry.name)).replaceAll(sep, '/')).sort();
}

/** Types and tables alone: nothing that a test of its own could call. */
function isWithoutBehaviour(text: string): boolean {
  return !/\bfunction\b|=>|\bclass\b/.test(stripTypeScriptTypes(text).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, ''));
}

/** Sources that some test imports itself. */
async function sourcesUnderTest(): Promise<ReadonlySet<string>> {
  const imported = new Set<string>();
  for (const file of await filesBelow('test')) {
    if (!file.endsWith('.test.ts')) continue;
    const text = await readFile(join(PROJECT_ROOT, file), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) imported.add(posix.join(posix.dirname(file), specifier));
  }
  return imported;
}

describe('the house', () => {
  it('has no top-level folder but those that are agreed', async () => {
    const { stdout } = await run('git', ['ls-files', '-z'], { cwd: PROJECT_ROOT, maxBuffer: 2 ** 26 });
    const folders = new Set(stdout.split('\0').filter((file) => file.includes('/')).map((file) => file.split('/')[0]));
    const agreed = new Set(['.ci', '.github', 'bin', 'commands', 'docs', 'src', 'test']);
    assert.deepEqual([...folders].filter((folder) => !agreed.has(folder ?? '')), []);
  });

  it('has only the agreed rooms in src', async () => {
    const entries = await readdir(join(PROJECT_ROOT, 'src'), { withFileTypes: true });
    assert.deepEqual(entries.map((entry) => entry.name).sort(), ['adapters', 'app', 'cli', 'domain', 'errors.ts', 'output', 'sample', 'tooling'].filter((name) => name !== 'sample' || existsSync(join(PROJECT_ROOT, 'src', 'sample'))));
  });

  it('names files in kebab case and after what they hold', async () => {
    const files = [...(await filesBelow('src')), ...(await filesBelow('commands'))].filter((file) => file.endsWith('.ts'));
    assert.ok(files.length > 50);
    assert.deepEqual(files.filter((file) => !/^[a-z0-9/-]+\.ts$/.test(file) || /(utils?|helpers?|manager|common)\.ts$/.test(file)), []);
  });

  it('has a test for every source that does something: its mirror, one that imports it, or that of a module beside or above it which is built on it', async () => {
    const sources = [...(await filesBelow('src')), ...(await filesBelow('commands'))].filter((file) => file.endsWith('.ts'));
    const tests = new Set(await filesBelow('test'));
    const underTest = await sourcesUnderTest();
    const covered = new Set(sources.filter((source) => {
      const base = `test/${source.slice(0, -'.ts'.length)}`;
      return tests.has(`${base}.test.ts`) || tests.has(`${base}.cluster.test.ts`) || underTest.has(source) || UNTESTED.has(source);
    }));
    for (const source of covered) {
      // sources that are added here are visited too
      const text = await readFile(join(PROJECT_ROOT, source), 'utf8');
      for (const [, beside = ''] of text.matchAll(/(?:from|import\() ?'\.\/((?:[^'/]+\/)?[^'/]+)'/g)) covered.add(posix.join(posix.dirname(source), beside));
    }
    const missing: string[] = [];
    for (const source of sources) {
      if (!covered.has(source) && !isWithoutBehaviour(await readFile(join(PROJECT_ROOT, source), 'utf8'))) missing.push(`test/${source.slice(0, -'.ts'.length)}.test.ts`);
    }
    assert.deepEqual(missing, []);
  });

  it('has no mirror without its source', async () => {
    const tests = (await filesBelow('test')).filter((file) => /^test\/(src|commands)\/.*\.test\.ts$/.test(file));
    const orphans = tests.filter((file) => !WIDER_SUITES.has(file)).filter((file) => {
      const source = join(PROJECT_ROOT, file.slice('test/'.length).replace(/(\.cluster|\.bun)?\.test\.ts$/, ''));
      return !existsSync(`${source}.ts`) && !existsSync(source);
    });
    assert.deepEqual(orphans, []);
    assert.deepEqual([...WIDER_SUITES].filter((file) => !tests.includes(file)), []);
  });

  it('holds nothing in a source that does not belong into a repository', async () => {
    const offences: string[] = [];
    for (const folder of ['src', 'commands', 'bin', 'docs']) {
      for (const file of await filesBelow(folder)) {
        if (!/\.(ts|js|md|json|yaml)$/.test(file)) continue;
        const text = await readFile(join(PROJECT_ROOT, file), 'utf8');
        if (/\b(TODO|FIXME|XXX)\b|debugger;/.test(text)) offences.push(file);
      }
    }
    assert.deepEqual(offences, []);
  });

  it('loads adapters in wiring.ts by import() alone', async () => {
    const text = await readFile(join(PROJECT_ROOT, 'src', 'cli', 'wiring.ts'), 'utf8');
    assert.doesNotMatch(text, /from '\.\.\/adapters\//);
    assert.match(text, /import\('\.\.\/adapters\//);
  });
});

/** Sources whose test stands elsewhere: run as a whole process, or by the tests of what they are made of. */
const UNTESTED = new Set([
  'src/cli/start.ts', // test/e2e
  'src/cli/check/check-flags.ts', // test/commands/check.test.ts, test/contract
  'src/cli/check/print-check.ts', // test/commands/check.test.ts
  'src/cli/check/fix-files.ts', // test/commands/check.test.ts
  'src/cli/images/print-images.ts', // test/commands/images.test.ts
  'src/cli/prepull/print-prepull.ts', // test/commands/prepull.test.ts
  'src/cli/hostprocess/recipe-flags.ts', // test/commands/hostprocess/run.test.ts, test/contract
  'src/cli/hostprocess/print-recipe.ts', // test/commands/hostprocess/run.test.ts
  'src/cli/hostprocess/run-surroundings.ts', // test/commands/hostprocess/exec.test.ts, test/commands/hostprocess/run.test.ts
  'src/cli/hostprocess/print-exec.ts', // test/commands/hostprocess/exec.test.ts
  'src/cli/hostprocess/print-copy.ts', // test/commands/hostprocess/cp.test.ts
  'src/cli/hostprocess/print-sweep.ts', // test/commands/hostprocess/sweep.test.ts
  'src/cli/prepull/print-runs.ts', // test/commands/prepull/status.test.ts, test/commands/prepull/cleanup.test.ts
  'src/cli/nodes/nodes-flags.ts', // test/commands/nodes.test.ts, test/contract
  'src/cli/nodes/ask-nodes.ts', // test/commands/nodes.test.ts
  'src/cli/nodes/print-nodes.ts', // test/commands/nodes.test.ts
  'src/cli/nodes/watch-nodes.ts', // test/commands/nodes.test.ts
  'src/tooling/run-sources.ts', // test/e2e
  'src/tooling/build.ts', // test/e2e
  'src/tooling/contract.ts', // test/contract
  'src/tooling/source-commands.ts', // test/contract
]);

/** Suites that look at more than one source, beside what they are about. */
const WIDER_SUITES = new Set([
  'test/commands/check-cases.test.ts', // the shared manifests, through the whole command
  'test/src/domain/check/api-server-pod-security.cluster.test.ts', // the API server as oracle for all rules on Pod Security
  'test/src/domain/check/api-server.cluster.test.ts', // the API server as oracle for all rules on rejected fields
  'test/src/domain/check/catalogue.test.ts', // every number of the catalogue has a rule
  'test/src/domain/check/mutations.test.ts', // changed samples, through all rules
  'test/src/domain/check/mutations.test.ts', // changed samples of all rules, judged and printed
  'test/src/domain/check/reports.test.ts', // public reports, each found by a rule
]);

describe('import directions', function () {
  this.timeout(30_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-house-'));
    await copyFile(join(PROJECT_ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  // file, line of code, whether lint must refuse it
  const cases: readonly [string, string, boolean][] = [
    ['src/errors.ts', `import { a } from './domain/a.ts'; export const b = a;`, true],
    ['src/domain/node/a.ts', `import { a } from '../windows/releases.ts'; export const b = a;`, false],
    ['src/domain/node/b.ts', `import type { V1Node } from '@kubernetes/client-node'; export type B = V1Node;`, false],
    ['src/domain/node/c.ts', `import { KubeConfig } from '@kubernetes/client-node'; export const b = KubeConfig;`, true],
    ['src/domain/node/d.ts', `import { AppError } from '../../errors.ts'; export const b = AppError;`, true],
    ['src/domain/node/e.ts', `import { join } from 'node:path'; export const b = join;`, true],
    ['src/domain/node/f.ts', `import type { Clock } from '../../app/ports.ts'; export type B = Clock;`, true],
    ['src/domain/node/g.ts', `export const b = async (): Promise<unknown> => import('../../adapters/kube/cluster.ts');`, true],
    ['src/domain/kubernetes/a.ts', `import type { Finding } from '../check/finding.ts'; export type B = Finding;`, true],
    ['src/domain/kubernetes/schema/b.ts', `import type { Finding } from '../../check/finding.ts'; export type B = Finding;`, true],
    ['src/domain/kubernetes/schema/c.ts', `import { a } from '../quantity.ts'; import { b } from '../../severity.ts'; export const c = [a, b];`, false],
    ['src/app/a.ts', `import { AppError } from '../errors.ts'; import { b } from '../domain/b.ts'; export const c = [AppError, b];`, false],
    ['src/app/b.ts', `import { b } from '../adapters/kube/b.ts'; export const c = b;`, true],
    ['src/app/c.ts', `import { setTimeout } from 'node:timers/promises'; export const c = setTimeout;`, true],
    ['src/output/a.ts', `import type { B } from '../app/list-nodes.ts'; export type C = B;`, false],
    ['src/output/b.ts', `import { b } from '../app/list-nodes.ts'; export const c = b;`, true],
    ['src/output/c.ts', `import { readFile } from 'node:fs/promises'; export const c = readFile;`, true],
    ['src/output/d.ts', `export const c = async (): Promise<unknown> => import('../adapters/kube/b.ts');`, true],
    ['src/adapters/kube/a.ts', `import type { Clock } from '../../app/ports.ts'; import fs from 'node:fs'; export const c: Clock | null = fs === null ? null : null;`, false],
    ['src/adapters/kube/b.ts', `import { b } from '../../app/list-nodes.ts'; export const c = b;`, true],
    ['src/adapters/kube/c.ts', `import { b } from '../../output/print.ts'; export const c = b;`, true],
    ['src/cli/a.ts', `import { b } from '../app/b.ts'; import { c } from '../output/c.ts'; export const d = [b, c];`, false],
    ['src/cli/b.ts', `export const c = async (): Promise<unknown> => import('../adapters/kube/b.ts');`, true],
    ['src/cli/wiring.ts', `export const c = async (): Promise<unknown> => import('../adapters/kube/b.ts');`, false],
    ['src/cli/c.ts', `import { b } from '../../commands/nodes.ts'; export const c = b;`, true],
    ['commands/a.ts', `import { b } from '../src/app/b.ts'; import type { C } from '../src/domain/c.ts'; export const d: C = b;`, false],
    ['commands/b.ts', `import { b } from '../src/domain/b.ts'; export const c = b;`, true],
    ['commands/hostprocess/c.ts', `import { b } from '../../src/adapters/kube/b.ts'; export const c = b;`, true],
  ];

  it('are reported when they are broken, and only then', async () => {
    for (const [file, code] of cases) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), `${code}\n`);
    }
    const oxlint = join(PROJECT_ROOT, 'node_modules', 'oxlint', 'bin', 'oxlint');
    const { stdout } = await run(process.execPath, [oxlint, '--format=json'], { cwd: folder, maxBuffer: 2 ** 26 }).catch((error: { stdout: string }) => error);
    const report = JSON.parse(stdout) as { diagnostics: readonly { code: string; filename: string }[] };
    const refused = new Set(report.diagnostics.filter((diagnostic) => diagnostic.code.includes('no-restricted-imports')).map((diagnostic) => diagnostic.filename.replaceAll('\\', '/')));
    assert.deepEqual(cases.map(([file]) => [file, refused.has(file)]), cases.map(([file, , isRefused]) => [file, isRefused]));
  });
});

describe('every command', () => {
  it('has a file in commands/ that gives an id, a sentence, and examples that name it', async () => {
    const infos = await allInfos(await sourceCommandTable());
    assert.ok(infos.length >= 3);
    for (const info of infos) {
      assert.match(info.summary, /^[A-Z].*[^.]$/, `${info.id}: the summary is a line without a full stop`);
      assert.ok(info.description.trim().endsWith('.'), `${info.id}: the description is made of sentences`);
      assert.ok(info.examples.length > 0, `${info.id} has no example`);
      for (const example of info.examples) {
        assert.match(example, /^# .+\n/, `${info.id}: an example begins with a comment`);
        assert.ok(example.includes(`kubectl win ${info.id}`), `${info.id}: an example calls the command`);
      }
    }
  });

  it('describes every flag, and takes no name or letter of a global one', async () => {
    for (const info of await allInfos(await sourceCommandTable())) {
      for (const [name, flag] of Object.entries(info.flags)) {
        assert.ok(flag.description.length > 10, `${info.id} --${name} has no description`);
        assert.ok(!Object.hasOwn(globalFlags, name), `${info.id} --${name} is a global flag`);
        const taken = Object.values(globalFlags).map((global) => global.char as string | undefined).filter((char) => char !== undefined);
        assert.ok(flag.char === undefined || (flag.char !== 'h' && !taken.includes(flag.char)), `${info.id} -${flag.char} is taken`);
      }
    }
  });

  it('gives a flag of the same name the same kind, so that flags before the command can be read', async () => {
    const kinds = new Map<string, string>();
    for (const info of await allInfos(await sourceCommandTable())) {
      for (const [name, flag] of Object.entries(info.flags)) {
        const kind = `${flag.type} ${flag.char ?? ''} ${flag.bareValue !== undefined}`;
        assert.equal(kinds.get(name) ?? kind, kind, `--${name} of ${info.id}`);
        kinds.set(name, kind);
      }
    }
  });

  it('has a test, and a golden output in table and JSON where it prints objects', async () => {
    const tests = new Set(await filesBelow('test'));
    for (const id of (await findCommandFiles()).keys()) {
      const path = id.replaceAll(' ', '/');
      assert.ok(tests.has(`test/commands/${path}.test.ts`) || tests.has(`test/commands/${path}.cluster.test.ts`), `test/commands/${path}.test.ts is missing`);
      if (id === 'options' || id === 'version') continue;
      const golden = [...tests].filter((file) => file.startsWith(`test/golden/${path}/`));
      assert.ok(golden.some((file) => file.endsWith('.json')) && golden.some((file) => /\.(table|wide|txt)$/.test(file)), `test/golden/${path}/ needs a scenario in table and JSON`);
    }
  });
});

/** `a newer kubectl win knows more` is a sentence, no command. */
const SENTENCE_VERBS = new Set(['knows', 'reads']);

describe('texts for users', () => {
  it('name no command that does not exist', async () => {
    const ids = new Set((await allInfos(await sourceCommandTable())).flatMap(({ id, aliases }) => [id, id.split(' ')[0] ?? id, ...aliases]));
    const unknown: string[] = [];
    for (const folder of ['src/app', 'src/domain', 'src/adapters', 'src/output', 'commands', 'README.md']) {
      const files = folder.endsWith('.md') ? [folder] : (await filesBelow(folder)).filter((file) => file.endsWith('.ts'));
      for (const file of files) {
        const text = (await readFile(join(PROJECT_ROOT, file), 'utf8')).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
        for (const [, word = ''] of text.matchAll(/kubectl win ([a-z][a-z-]+)/g)) if (!ids.has(word) && !SENTENCE_VERBS.has(word)) unknown.push(`${file}: kubectl win ${word}`);
      }
    }
    assert.deepEqual(unknown, []);
  });
});
