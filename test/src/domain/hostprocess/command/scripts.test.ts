import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOOTSTRAP, RUNNER } from '../../../../../src/domain/hostprocess/command/scripts.ts';
import { updatesGolden } from '../../../../support/golden.ts';

describe('the scripts that run a command on a node', () => {
  it('are those that the kubelet of the test cluster knows by their hash', () => {
    const file = join(import.meta.dirname, '../../../../../test/cluster/scripts.sha256');
    const lines = Object.entries({ BOOTSTRAP, RUNNER }).map(([name, text]) => `${createHash('sha256').update(text).digest('hex')}  ${name}\n`).join('');
    if (updatesGolden) writeFileSync(file, lines);
    assert.equal(readFileSync(file, 'utf8'), lines, 'UPDATE_GOLDEN=1 writes test/cluster/scripts.sha256');
  });
});
