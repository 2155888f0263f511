import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { fileTokenCredentials } from '../../../../../src/adapters/kube/auth/token-file.ts';
import { ClusterError } from '../../../../../src/errors.ts';
import { workplace } from '../config/workplace.ts';
import type { Workplace } from '../config/workplace.ts';

describe('fileTokenCredentials', () => {
  let place: Workplace;
  let now = 0;
  beforeEach(() => {
    place = workplace();
    now = 1_000_000;
  });
  afterEach(() => place.close());
  const open = (fallbackToken?: string) => fileTokenCredentials({ file: 'token', environment: place.environment({ now: () => now }), fallbackToken });

  it('believes a token for 50 seconds, then reads the file again', async () => {
    place.write('token', ' first \n');
    const source = await open();
    assert.deepEqual(await source.get(), { authorization: 'Bearer first' });
    place.write('token', 'second');
    now += 49_999;
    assert.deepEqual(await source.get(), { authorization: 'Bearer first' });
    now += 1;
    assert.deepEqual(await source.get(), { authorization: 'Bearer second' });
  });

  it('reads the file again after a 401, and says whether that can help', async () => {
    place.write('token', 'first');
    const source = await open();
    assert.equal(await source.refresh(), false);
    place.write('token', 'second');
    assert.equal(await source.refresh(), true);
    assert.deepEqual(await source.get(), { authorization: 'Bearer second' });
  });

  it('need not read it again when an old request is refused', async () => {
    place.write('token', 'first');
    const source = await open();
    const old = await source.get();
    place.write('token', 'second');
    assert.equal(await source.refresh(undefined, old), true);
    rmSync(place.write('token', 'third'));
    assert.equal(await source.refresh(undefined, old), true);
    assert.deepEqual(await source.get(), { authorization: 'Bearer second' });
  });

  it('stays with the last token while the file cannot be read', async () => {
    const file = place.write('token', 'first');
    const source = await open();
    rmSync(file);
    now += 60_000;
    assert.deepEqual(await source.get(), { authorization: 'Bearer first' });
    place.write('token', '');
    assert.deepEqual(await source.get(), { authorization: 'Bearer first' });
    place.write('token', 'third');
    assert.deepEqual(await source.get(), { authorization: 'Bearer third' });
  });

  it('beats the token beside it, which serves until there is a file', async () => {
    const source = await open('inline');
    assert.deepEqual(await source.get(), { authorization: 'Bearer inline' });
    place.write('token', 'file');
    assert.deepEqual(await source.get(), { authorization: 'Bearer file' });
  });

  for (const [title, content, message] of [['missing', null, /^failed to read token file "token": no such file or directory$/], ['empty', ' \n', /^read empty token from file "token"$/], ['of two lines', 'hunter2\nb', /holds a line break/]] as const) {
    it(`refuses a file that is ${title}`, async () => {
      if (content !== null) place.write('token', content);
      await assert.rejects(open(), (error: unknown) => {
        assert.ok(error instanceof ClusterError && error.reason === 'BadConfiguration');
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      });
    });
  }
});
