import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { COMMANDS_PAGE, renderCommandsPage } from '../../../src/tooling/docs.ts';

describe('docs/commands.md', () => {
  it('is what npm run docs writes', async () => {
    assert.equal(await readFile(COMMANDS_PAGE, 'utf8'), await renderCommandsPage());
  });
});
