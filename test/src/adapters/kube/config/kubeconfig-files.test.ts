import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { homeFolder } from '../../../../../src/adapters/kube/config/environment.ts';
import { kubeconfigPaths, loadKubeconfig } from '../../../../../src/adapters/kube/config/kubeconfig-files.ts';
import { ClusterError, InputError } from '../../../../../src/errors.ts';
import { workplace } from './workplace.ts';
import type { Workplace } from './workplace.ts';

describe('kubeconfig files', () => {
  let place: Workplace;
  beforeEach(() => {
    place = workplace();
  });
  afterEach(() => place.close());

  const context = (name: string): string => `contexts: [{name: ${name}, context: {cluster: c, user: u}}]\ncurrent-context: ${name}\n`;

  it('are ~/.kube/config when nothing else is said', async () => {
    const file = place.write('home/.kube/config', context('home'));
    const loaded = await loadKubeconfig(undefined, place.environment());
    assert.equal(loaded.config.currentContext, 'home');
    assert.deepEqual([loaded.files, loaded.missing], [[file], []]);
  });

  it('of KUBECONFIG are merged; missing, empty and repeated ones do not matter', async () => {
    place.write('home/.kube/config', context('home'));
    const one = place.write('one', '');
    const two = place.write('two', context('two'));
    const three = place.write('three', context('three'));
    const missing = join(place.folder, 'missing');
    const loaded = await loadKubeconfig(undefined, place.environment({ variables: { KUBECONFIG: [missing, one, two, '', three, two].join(':') } }));
    assert.equal(loaded.config.currentContext, 'two');
    assert.deepEqual([...loaded.config.contexts.keys()], ['two', 'three']);
    assert.deepEqual([loaded.files, loaded.missing], [[one, two, three], [missing]]);
  });

  it('of --kubeconfig stand alone', async () => {
    place.write('two', context('two'));
    place.write('explicit', context('explicit'));
    const loaded = await loadKubeconfig('explicit', place.environment({ variables: { KUBECONFIG: 'two' } }));
    assert.deepEqual([...loaded.config.contexts.keys()], ['explicit']);
  });

  it('of --kubeconfig must exist', async () => {
    await assert.rejects(loadKubeconfig('/nowhere/config', place.environment()), (error: unknown) => {
      assert.ok(error instanceof ClusterError);
      assert.equal(error.message, 'stat /nowhere/config: no such file or directory');
      assert.equal(error.reason, 'NoConfiguration');
      return true;
    });
  });

  it('none at all is an empty kubeconfig', async () => {
    const loaded = await loadKubeconfig(undefined, place.environment());
    assert.equal(loaded.config.contexts.size, 0);
    assert.deepEqual(loaded.missing, [join(place.folder, 'home/.kube/config')]);
  });

  it('that are folders are named', async () => {
    mkdirSync(join(place.folder, 'folder'));
    await assert.rejects(loadKubeconfig('folder', place.environment()), (error: unknown) => error instanceof InputError && error.message === 'folder: cannot be read: is a directory');
  });

  it('resolve relative paths against the folder they stand in', async () => {
    place.write('a/one', JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: 's', 'certificate-authority': 'pki/ca.crt' } }],
      users: [
        { name: 'files', user: { 'client-certificate': 'me.crt', 'client-key': '../me.key', tokenFile: 'token' } },
        { name: 'path', user: { exec: { command: '../bin/plugin' } } },
        { name: 'name', user: { exec: { command: 'plugin' } } },
        { name: 'absolute', user: { 'client-certificate': '/etc/me.crt', exec: { command: '/usr/bin/plugin' } } },
      ],
    }));
    const { config } = await loadKubeconfig(undefined, place.environment({ variables: { KUBECONFIG: 'a/one' } }));
    const folder = join(place.folder, 'a');
    assert.equal(config.clusters.get('c')?.caFile, join(folder, 'pki/ca.crt'));
    const { certFile, keyFile, tokenFile } = config.users.get('files') ?? {};
    assert.deepEqual([certFile, keyFile, tokenFile], [join(folder, 'me.crt'), join(place.folder, 'me.key'), join(folder, 'token')]);
    assert.equal(config.users.get('path')?.exec?.command, join(place.folder, 'bin/plugin'));
    assert.equal(config.users.get('name')?.exec?.command, 'plugin');
    assert.equal(config.users.get('absolute')?.certFile, '/etc/me.crt');
    assert.equal(config.users.get('absolute')?.exec?.command, '/usr/bin/plugin');
  });

  it('resolve against the folder of the link, not of what it leads to', async () => {
    const real = place.write('real/config', 'users: [{name: u, user: {tokenFile: token}}]');
    mkdirSync(join(place.folder, 'linked'));
    symlinkSync(real, join(place.folder, 'linked/config'));
    const { config } = await loadKubeconfig('linked/config', place.environment());
    assert.equal(config.users.get('u')?.tokenFile, join(place.folder, 'linked/token'));
  });

  it('may be UTF-16 with a byte order mark, as Windows PowerShell writes them', async () => {
    const text = context('wide');
    place.write('le', Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]));
    place.write('be', Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]));
    place.write('bom', Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]));
    for (const name of ['le', 'be', 'bom']) assert.equal((await loadKubeconfig(name, place.environment())).config.currentContext, 'wide', name);
  });

  it('end at 64 MiB, also where a device has no end', async function () {
    if (process.platform === 'win32') this.skip();
    truncateSync(place.write('large', 'a: b\n'), 65 * 1024 * 1024);
    for (const name of ['large', '/dev/zero']) {
      await assert.rejects(loadKubeconfig(name, place.environment()), { name: 'InputError', message: `${name}: is not a kubeconfig: it has more than 64 MiB` });
    }
  });

  it('are listed with semicolons and quotes on Windows', () => {
    const paths = kubeconfigPaths(place.environment({ platform: 'win32', variables: { KUBECONFIG: 'C:\\a\\config;"D:\\odd;name\\config";C:\\a\\config' } }));
    assert.deepEqual(paths, ['C:\\a\\config', 'D:\\odd;name\\config']);
  });
});

describe('homeFolder', () => {
  const variables = { HOME: 'H', HOMEDRIVE: 'C:', HOMEPATH: '\\me', USERPROFILE: 'P' };
  const table: readonly (readonly [title: string, existing: readonly string[], expected: string])[] = [
    ['the drive and path with a kubeconfig', [join('C:\\me', '.kube', 'config'), join('P', '.kube', 'config'), 'H'], 'C:\\me'],
    ['the profile when HOME does not exist', ['P', 'C:\\me'], 'P'],
    ['HOME when it exists and nothing has a kubeconfig', ['H', 'P'], 'H'],
    ['the first that is set when nothing exists', [], 'H'],
  ];
  for (const [title, existing, expected] of table) {
    it(`on Windows is ${title}`, () => {
      assert.equal(homeFolder(variables, 'win32', (path) => existing.includes(path)), expected);
    });
  }

  it('elsewhere is HOME', () => {
    assert.equal(homeFolder({ HOME: '/home/x', USERPROFILE: 'P' }, 'linux'), '/home/x');
  });
});
