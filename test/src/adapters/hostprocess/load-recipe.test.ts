import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { loadRecipe } from '../../../../src/adapters/hostprocess/load-recipe.ts';
import { packageFile } from '../../../../src/adapters/package-file.ts';
import { findRecipe } from '../../../../src/domain/hostprocess/recipes/index.ts';

describe('the text of a recipe', () => {
  it('is the prologue and the script', async () => {
    const text = await loadRecipe(findRecipe('hns') ?? assert.fail());
    assert.match(text, /^param\(\[string\]\$ArgumentsJson = 'null'\)\n/);
    assert.match(text, /\n\n# hns: .*\n/);
  });

  it('of a version that is not there is an error, not an empty script', async () => {
    await assert.rejects(loadRecipe({ ...(findRecipe('hns') ?? assert.fail()), version: 99 }), /ENOENT.*hns\.v99\.ps1/);
  });
});

describe('a file that comes with the package', () => {
  it('is found from the bundle as from the sources', async () => {
    const root = await mkdtemp(join(tmpdir(), 'kubectl-win-package-'));
    try {
      await mkdir(join(root, 'dist'));
      await writeFile(join(root, 'package.json'), '{}');
      assert.equal(packageFile('a.txt', pathToFileURL(join(root, 'dist', 'kubectl-win.cjs')).href), join(root, 'a.txt'));
      assert.equal(packageFile('package.json'), join(import.meta.dirname, '../../../../package.json'));
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });

  it('is missed by name where there is no package', () => {
    assert.throws(() => packageFile('a.txt', 'file:///'), /^Error: a\.txt is not above/);
  });
});
