import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PART_SUFFIX } from '../../../../../src/domain/hostprocess/copy/copy-path.ts';
import { COPY_SCRIPTS } from '../../../../../src/domain/hostprocess/copy/copy-script.ts';
import { updatesGolden } from '../../../../support/golden.ts';
import { calledCommands, parsePowerShell, syntaxErrors } from '../../../../support/powershell-grammar.ts';

describe('the scripts that copy on a node', () => {
  it('are those that the kubelet of the test cluster plays, by their hash; a changed one needs another version', () => {
    const file = join(import.meta.dirname, '../../../../../test/cluster/copy-scripts.sha256');
    const lines = COPY_SCRIPTS.map(({ name, version, text }) => `${createHash('sha256').update(text).digest('hex')}  ${name}.v${version}\n`).join('');
    if (updatesGolden) writeFileSync(file, lines);
    assert.equal(readFileSync(file, 'utf8'), lines, 'UPDATE_GOLDEN=1 writes test/cluster/copy-scripts.sha256');
  });

  for (const { name, text } of COPY_SCRIPTS) {
    describe(name, () => {
      it('is PowerShell, as far as its grammar goes', async () => assert.deepEqual(await syntaxErrors(text), []));

      it('has nothing that Windows PowerShell 5.1 does not know', () => {
        assert.match(text, /^[\n\x20-\x7e]*$/, 'a console reads other characters by its code page');
        assert.doesNotMatch(text, /\?\?|\?\.|\?\[|&&|\|\||\bclean\s*\{|-Parallel|-AsHashtable/, 'PowerShell 7');
      });

      it('calls no commands but these, and nothing that it was given', async () => {
        assert.deepEqual([...await calledCommands(text)].filter((command) => !['ConvertFrom-Json', 'Start-Sleep'].includes(command) && !/^\$(?:read|lines|say|hex|why|info|kind|at|plain|part|sum|one|put|open)$/.test(command)), []);
        assert.doesNotMatch(text, /Invoke-|iex\b|\[scriptblock\]|Add-Type|\bNet\./i);
      });

      it('sets every variable that it reads', async () => {
        const root = await parsePowerShell(text);
        const names = new Set(root.descendantsOfType('variable').map((node) => node.text));
        const isSet = (variable: string): boolean => text.includes(`${variable}=`) || text.includes(`${variable},`) || text.includes(`(${variable} in`) || text.includes(`,${variable})`) || text.includes(`param(${variable})`);
        assert.deepEqual([...names].filter((variable) => !['$_', '$null', '$true', '$false'].includes(variable) && !isSet(variable)), []);
      });

      it('writes to no stream of PowerShell: each statement at the top gives nothing', () => {
        for (const call of text.matchAll(/(?:^|[;{])(\$\w+\.(?:TransformBlock|TransformFinalBlock|Push)\(|\[IO\.Directory\]::CreateDirectory)/gm)) assert.match(call[1] ?? '', /Push/, `${call[0]} gives something`);
      });
    });
  }

  it('name parts as this side does', () => assert.ok(COPY_SCRIPTS.every(({ text }) => text.includes(PART_SUFFIX))));
});
