import assert from 'node:assert/strict';
import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { withValues, writeAuthProviderConfig } from '../../../../../src/adapters/kube/config/write-auth-provider.ts';
import { workplace } from './workplace.ts';
import type { Workplace } from './workplace.ts';

const BLOCK = 'users:\n- name: u\n  user:\n    auth-provider:\n      config:\n        id-token: old # mine\n        client-id: c\n';

describe('withValues', () => {
  const table: readonly (readonly [title: string, before: string, after: string])[] = [
    ['replaces a plain value and keeps the comment', BLOCK, BLOCK.replace('old', '"new"')],
    ['replaces a quoted value', BLOCK.replace('old', '\'old: x\''), BLOCK.replace('old', '"new"')],
    ['replaces a value in JSON', '{"users": [{"name": "u", "user": {"auth-provider": {"config": {"id-token": "old"}}}}]}', '{"users": [{"name": "u", "user": {"auth-provider": {"config": {"id-token": "new"}}}}]}'],
    ['adds a line to a block', BLOCK.replace('        id-token: old # mine\n', ''), BLOCK.replace('old # mine', '"new"')],
    ['keeps Windows line ends elsewhere', BLOCK.replaceAll('\n', '\r\n'), BLOCK.replaceAll('\n', '\r\n').replace('old', '"new"')],
    ['leaves other users alone', `${BLOCK}- name: v\n  user: {auth-provider: {config: {id-token: old}}}\n`, `${BLOCK.replace('old', '"new"')}- name: v\n  user: {auth-provider: {config: {id-token: old}}}\n`],
  ];
  for (const [title, before, after] of table) {
    it(title, async () => {
      assert.equal(await withValues(before, 'u', { 'id-token': 'new' }), after);
    });
  }

  it('writes the document anew where no line can be changed, and loses nothing', async () => {
    const { parse } = await import('yaml');
    const changed = await withValues('# top\nusers: [{name: u, user: {auth-provider: {config: {client-id: c}}}}]\n', 'u', { 'id-token': 'new' });
    assert.match(changed, /^# top\n/);
    assert.deepEqual(parse(changed), { users: [{ name: 'u', user: { 'auth-provider': { config: { 'client-id': 'c', 'id-token': 'new' } } } }] });
  });
});

describe('writeAuthProviderConfig', () => {
  let place: Workplace;
  beforeEach(() => {
    place = workplace();
  });
  afterEach(() => place.close());

  it('replaces what a link leads to, not the link', async () => {
    const real = place.write('real', BLOCK);
    const link = join(place.folder, 'link');
    symlinkSync(real, link);
    await writeAuthProviderConfig({ file: link, userName: 'u', values: { 'id-token': 'new' } });
    assert.equal(lstatSync(link).isSymbolicLink(), true);
    assert.equal(readFileSync(real, 'utf8'), BLOCK.replace('old', '"new"'));
  });

  it('waits for the lock of another program and gives up in the end', async () => {
    const file = place.write('config', BLOCK);
    place.write('config.lock', '');
    await assert.rejects(writeAuthProviderConfig({ file, userName: 'u', values: { 'id-token': 'new' } }), /config\.lock exists: another program is writing/);
    assert.equal(readFileSync(file, 'utf8'), BLOCK);
  });
});
