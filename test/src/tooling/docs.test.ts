import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { CHECKS_PAGE, COMMANDS_PAGE, RECIPES_PAGE, renderChecksPage, renderCommandsPage, renderRecipesPage } from '../../../src/tooling/docs.ts';

describe('docs/commands.md', () => {
  it('is what npm run docs writes', async () => {
    assert.equal(await readFile(COMMANDS_PAGE, 'utf8'), await renderCommandsPage());
  });
});

describe('docs/checks.md', () => {
  it('is what npm run docs writes', async () => {
    assert.equal(await readFile(CHECKS_PAGE, 'utf8'), renderChecksPage());
  });
});

describe('docs/recipes.md', () => {
  it('is what npm run docs writes', async () => {
    assert.equal(await readFile(RECIPES_PAGE, 'utf8'), renderRecipesPage());
  });
});
