import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { RECIPES } from '../../../../src/domain/hostprocess/recipes/index.ts';
import { renderRecipesMarkdown } from '../../../../src/output/views/recipes-markdown.ts';

describe('the page of recipes', () => {
  it('links files that are there', () => {
    const targets = [...[...renderRecipesMarkdown(RECIPES)].join('').matchAll(/\]\(([^)#]+)\)/g)].map(([, target = '']) => target);
    assert.equal(targets.length, 1 + 2 * RECIPES.length);
    assert.deepEqual(targets.filter((target) => !existsSync(join(import.meta.dirname, '../../../../docs', target))), []);
  });

  it('lists parameters with their limits, and none where there are none', () => {
    const [recipe] = RECIPES;
    const page = [...renderRecipesMarkdown([{ ...recipe, parameters: [{ name: 'depth', default: 2, minimum: 1, maximum: 9, summary: 'how deep, in <folders>' }] }])].join('');
    assert.match(page, /^- `--param depth=2`: how deep, in &lt;folders&gt; \(1 to 9\)$/m);
    assert.doesNotMatch([...renderRecipesMarkdown([recipe])].join(''), /^- `--param/m);
  });
});
