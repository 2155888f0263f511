import assert from 'node:assert/strict';
import { loadRecipe } from '../../../../../src/adapters/hostprocess/load-recipe.ts';
import { RECIPES } from '../../../../../src/domain/hostprocess/recipes/index.ts';
import { LOG_BOOTSTRAP, planLogCommand, SCRIPT_VARIABLE, type LogCommand } from '../../../../../src/domain/hostprocess/command/log-command.ts';
import { planTransport } from '../../../../../src/domain/hostprocess/command/plan-transport.ts';
import type { CommandRequest } from '../../../../../src/domain/hostprocess/command/transport.ts';
import { syntaxErrors } from '../../../../support/powershell-grammar.ts';

const NONCE = '0123456789abcdef';
const request = (more: Partial<CommandRequest> = {}): CommandRequest => ({ shell: 'powershell', words: ['Get-Date'], script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop', nonce: NONCE, ...more });

function planned(more: Partial<CommandRequest> = {}): LogCommand {
  const command = planLogCommand(request(more));
  return 'refused' in command ? assert.fail(command.refused) : command;
}

const scriptOf = ({ env }: LogCommand): string => Buffer.from(env[SCRIPT_VARIABLE] ?? '', 'base64').toString('utf8');

describe('a command whose output is read from the log', () => {
  it('is started by a fixed script that reads it from a variable', async () => {
    const { argv, nonce } = planned();
    assert.equal(Buffer.from(argv.at(-1) ?? '', 'base64').toString('utf16le'), LOG_BOOTSTRAP);
    assert.deepEqual([argv.slice(0, -1), nonce], [['powershell.exe', '-NoLogo', '-NoProfile', '-NonInteractive', '-InputFormat', 'None', '-OutputFormat', 'Text', '-ExecutionPolicy', 'Bypass', '-EncodedCommand'], NONCE]);
    assert.deepEqual(await syntaxErrors(LOG_BOOTSTRAP), []);
    assert.match(LOG_BOOTSTRAP, /^[\x20-\x7e\n]+$/);
  });

  const same: readonly [string, Partial<CommandRequest>][] = [
    ['a line of code', {}], ['words with quotes', { words: ['tool.exe', '/c', 'echo "a b" %PATH% $(NAME) \u{1f600}'] }], ['a script', { words: ['-Verbose'], script: { name: 'a.ps1', text: "param($x)\n'it''s'" } }],
    ['a script of the program', { named: { name: 'hns', version: 1, text: "'x'", arguments: { a: 1 } } }], ['PowerShell 7', { shell: 'pwsh' }], ['a line for cmd', { shell: 'cmd', words: ['dir & ver'] }],
  ];
  for (const [name, more] of same) {
    it(`is the same that would go by stdin: ${name}`, () => {
      const framed = planTransport(request({ ...more, isPrivate: true }));
      const command = planned(more);
      assert.ok('preamble' in framed);
      assert.equal(scriptOf(command), Buffer.from(framed.preamble.subarray(4)).toString('utf8'));
      assert.equal(command.argv[0], framed.argv[0]);
    });
  }

  it('holds nothing that the kubelet would read as a variable', () => {
    for (const [, more] of same) assert.doesNotMatch([...planned(more).argv, ...Object.values(planned(more).env)].join(' '), /\$/);
    assert.deepEqual(planned({ shell: 'none', words: ['a.exe', '$(PATH)', '$$', 'x$'] }).argv, ['a.exe', '$$(PATH)', '$$$$', 'x$$']);
  });

  it('says who sees it', () => assert.ok(planned().notes.some((note) => /stands in the pod and its output in the log/.test(note))));
  it('has no signs where it is sent as it is', () => assert.deepEqual([planned({ shell: 'none', words: ['a.exe'] }).nonce, planned({ shell: 'none', words: ['a.exe'] }).env], [null, {}]));

  const refused: readonly [string, Partial<CommandRequest>, RegExp][] = [
    ['a terminal', { hasTerminal: true }, /^a log gives no terminal$/], ['--private', { isPrivate: true }, /--private forbids$/],
    ['what is too long', { words: ['x'.repeat(30_000)] }, /^the command is \d+ characters long as --via=logs sends it/], ['no command', { words: [] }, /^there is no command$/], ['no command at all', { shell: 'none', words: [] }, /^there is no command/],
  ];
  for (const [name, more, message] of refused) {
    it(`is refused with ${name}`, () => {
      const command = planLogCommand(request(more));
      assert.match('refused' in command ? command.refused : '', message);
    });
  }

  it('takes scripts of 15,000 characters', () => assert.ok(scriptOf(planned({ words: [], script: { name: 'a.ps1', text: 'x'.repeat(15_000) } })).includes('x'.repeat(15_000))));

  for (const recipe of RECIPES) {
    it(`takes the recipe ${recipe.id}`, async () => {
      const text = await loadRecipe(recipe);
      assert.ok(scriptOf(planned({ named: { name: recipe.id, version: recipe.version, text, arguments: {} } })).includes(`m='${recipe.id}.v${recipe.version}'`));
    });
  }
});
