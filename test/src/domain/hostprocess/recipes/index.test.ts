import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadRecipe } from '../../../../../src/adapters/hostprocess/load-recipe.ts';
import { RECIPES, type RecipeId } from '../../../../../src/domain/hostprocess/recipes/index.ts';
import { readRecipeOutput } from '../../../../../src/domain/hostprocess/recipes/read-output.ts';
import { PROLOGUE_FILE, scriptFile } from '../../../../../src/domain/hostprocess/recipes/recipe.ts';
import { updatesGolden } from '../../../../support/golden.ts';
import { calledCommands, definedFunctions, syntaxErrors } from '../../../../support/powershell-grammar.ts';
import { runPwsh, skipWithoutPwsh } from '../../../../support/pwsh.ts';
import { assertMatchesRecipeSchema, recipeSchemaFiles } from '../../../../support/recipe-schema.ts';
import { emptyRecipeOutput, RECIPE_OUTPUTS } from '../../../../support/recipe-outputs.ts';

const ROOT = join(import.meta.dirname, '../../../../..');
const SCRIPTS = join(ROOT, 'src/domain/hostprocess/recipes');
const HASHES = join(import.meta.dirname, 'recipes.sha256');

/** All that scripts call, beside functions of their own: what reads, shapes and prints. Nothing here changes a node or opens a connection. */
const ALLOWED = new Set([
  'ConvertFrom-Json', 'ConvertTo-Json', 'ForEach-Object', 'Get-CimInstance', 'Get-Command', 'Get-HnsEndpoint', 'Get-HnsNetwork', 'Get-HnsPolicyList', 'Get-ItemProperty', 'Get-WinEvent',
  'Import-Module', 'New-Object', 'Remove-TypeData', 'Select-Object', 'Test-Path', 'Where-Object',
]);

/** What PowerShell 5.1 does not know, and what evaluates text, writes or connects by way of .NET. */
const FORBIDDEN = [
  /\?\?/, /\?\./, /\?\[/, /&&|\|\|/, /\bclean\s*\{/, / -Parallel\b/i, /\biex\b/i, /Invoke-Expression|Invoke-Command|ScriptBlock\]::Create|Add-Type/i, /-ComputerName\b|-CimSession\b/i,
  /Net\.(?:WebClient|Http|Sockets|Dns)|WebRequest|Start-BitsTransfer/i, /\[IO\.File\]::(?:Write|Append|Delete|Move|Copy|Create)/i, /\.(?:Search|Download|Install)\(/, />(?!=)\s*[$'"\w]/,
];

describe('recipes', () => {
  it('have one name each, and stand in the order in which help lists them', () => {
    assert.equal(new Set(RECIPES.map(({ id }) => id)).size, RECIPES.length);
    for (const { id, summary } of RECIPES) {
      assert.match(id, /^[a-z]+(-[a-z]+)*$/);
      assert.match(summary, /^[A-Z].*[^.]$/);
    }
  });

  it('are all the scripts, and have all the schemas, that there are', () => {
    assert.deepEqual(readdirSync(SCRIPTS).filter((file) => file.endsWith('.ps1')).toSorted(), [PROLOGUE_FILE, ...RECIPES.map(scriptFile)].toSorted());
    assert.deepEqual(recipeSchemaFiles(), RECIPES.map(({ id }) => `${id}.schema.json`).toSorted());
  });

  it('come with the package', () => {
    const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly files: readonly string[] };
    assert.ok(files.includes('/src/domain/hostprocess/recipes/*.ps1') && files.includes('/docs/schemas'));
  });

  it('run the text that their version has always had: one that is changed needs a new version', async () => {
    const known = new Map(readFileSync(HASHES, 'utf8').split('\n').filter((line) => line !== '').map((line) => [line.slice(66), line.slice(0, 64)] as const));
    for (const recipe of RECIPES) {
      const name = scriptFile(recipe);
      const hash = createHash('sha256').update(await loadRecipe(recipe)).digest('hex');
      if (updatesGolden && !known.has(name)) known.set(name, hash);
      assert.equal(known.get(name), hash, `${name} (with ${PROLOGUE_FILE}) is another text than was committed under this version; UPDATE_GOLDEN=1 adds a new version to ${HASHES}`);
    }
    if (updatesGolden) writeFileSync(HASHES, [...known].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, hash]) => `${hash}  ${name}\n`).join(''));
  });

  for (const recipe of RECIPES) {
    const { id } = recipe;

    describe(id, () => {
      it('is PowerShell', async () => assert.deepEqual(await syntaxErrors(await loadRecipe(recipe)), []));

      it('is ASCII in short lines: 5.1 reads a file without a mark in the code page of the machine', async () => {
        const text = await loadRecipe(recipe);
        assert.match(text, /^[\x20-\x7e\n]+$/);
        assert.deepEqual(text.split('\n').filter((line) => line.length > 300), []);
      });

      it('reads, and does nothing else', async () => {
        const text = await loadRecipe(recipe);
        const own = await definedFunctions(text);
        assert.deepEqual([...(await calledCommands(text))].filter((name) => !ALLOWED.has(name) && !own.has(name)), []);
        const code = text.replaceAll(/^\s*#.*$/gm, '').replaceAll(/'[^'\n]*'/g, "''");
        assert.deepEqual(FORBIDDEN.filter((pattern) => pattern.test(code)).map(String), []);
      });

      it('prints the document that is named after it, as its last act', async () => {
        assert.ok((await loadRecipe(recipe)).endsWith(`\nWrite-Document -Recipe '${id}' -SchemaVersion ${recipe.schemaVersion}\n`));
      });

      it('reads the parameters that are listed, with their defaults', async () => {
        const read = [...(await loadRecipe(recipe)).matchAll(/Get-Option '(\w+)' (\d+)/g)].map(([, name, value]) => `${name}=${value}`);
        assert.deepEqual(read.toSorted(), recipe.parameters.map((parameter) => `${parameter.name}=${parameter.default}`).toSorted());
      });

      it('has a schema that fits what it prints, and what it prints where nothing can be read', () => {
        assertMatchesRecipeSchema(id, RECIPE_OUTPUTS[id]);
        assertMatchesRecipeSchema(id, emptyRecipeOutput(id));
        assert.throws(() => assertMatchesRecipeSchema(id, { ...RECIPE_OUTPUTS[id], surprise: 1 }), assert.AssertionError);
        assert.throws(() => assertMatchesRecipeSchema(id, { ...RECIPE_OUTPUTS[id], problems: null }), assert.AssertionError);
      });

      it('names each part of its document in script, schema and sample alike', async () => {
        const parts = [...(await loadRecipe(recipe)).matchAll(/^Add-(?:Part|List) '(\w+)'/gm)].map(([, name = '']) => name);
        const { recipe: _r, schemaVersion: _s, takenAt: _t, computerName: _c, problems: _p, ...sample } = RECIPE_OUTPUTS[id];
        assert.deepEqual(parts, Object.keys(sample));
      });
    });
  }

  describe('under PowerShell 7', function () {
    this.timeout(120_000);
    let program: string;
    let folder: string;
    before(function () {
      program = skipWithoutPwsh(this);
      folder = mkdtempSync(join(tmpdir(), 'kubectl-win-recipes-'));
    });
    after(() => { if (folder !== undefined) rmSync(folder, { recursive: true, force: true }); });

    for (const recipe of RECIPES) {
      // On a machine without Windows no part can be read, and the document says so.
      it(`${recipe.id} prints a document of its schema`, async () => {
        const file = join(folder, scriptFile(recipe));
        writeFileSync(file, await loadRecipe(recipe));
        const { code, stdout, stderr } = await runPwsh(program, ['-NoLogo', '-NoProfile', '-NonInteractive', '-File', file, '{"lines":5}']);
        assert.equal(code, 0, stderr);
        const output = readRecipeOutput(recipe, stdout);
        assert.ok('data' in output, 'problem' in output ? output.problem : '');
        assertMatchesRecipeSchema(recipe.id as RecipeId, output.data);
      });
    }
  });
});
