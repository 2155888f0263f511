import assert from 'node:assert/strict';
import type { ClusterReader } from '../../src/app/ports.ts';
import { goPlatform } from '../../commands/version.ts';
import { ClusterError } from '../../src/errors.ts';
import { runCommand } from '../support/run-command.ts';

function readerOf(serverVersion: ClusterReader['serverVersion']): ClusterReader {
  const unused = (): never => {
    throw new Error('version reads nothing else');
  };
  return { description: { source: 'cluster', context: 'c', location: 'https://127.0.0.1:1' }, namespace: null, resources: unused, completeness: unused, serverVersion, list: unused, get: unused, watch: unused, close: async () => {} };
}

const refused = new ClusterError('The connection to the server 127.0.0.1:1 was refused - did you specify the right host or port?', { reason: 'Unreachable' });

describe('kubectl win version', () => {
  it('names platforms as kubectl does', () => assert.deepEqual([goPlatform('linux', 'x64'), goPlatform('win32', 'arm64'), goPlatform('darwin', 'arm64')], ['linux/amd64', 'windows/arm64', 'darwin/arm64']));

  it('prints client and server', async () => {
    const result = await runCommand(['version'], { reader: readerOf(async () => ({ gitVersion: 'v1.37.2' })) });
    assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['Client Version: v0.1.0\nServer Version: v1.37.2\n', '', 0]);
  });

  it('lets no server control the terminal', async () => {
    const { stdout } = await runCommand(['version'], { reader: readerOf(async () => ({ gitVersion: 'v1.36.0\u001b[31m\u202e' })) });
    assert.match(stdout, /^Server Version: v1\.36\.0\^\[\[31m/m);
    assert.doesNotMatch(stdout, /[\u202e]/);
  });

  it('asks no cluster with --client', async () => {
    const result = await runCommand(['version', '--client'], { reader: readerOf(async () => assert.fail('asked')) });
    assert.deepEqual([result.stdout, result.stderr, result.exitCode, result.readerOptions.length], ['Client Version: v0.1.0\n', '', 0, 0]);
  });

  it('prints the client even where the server cannot be reached', async () => {
    const result = await runCommand(['version'], { reader: readerOf(async () => Promise.reject(refused)) });
    assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['Client Version: v0.1.0\n', `${refused.message}\n`, 3]);
  });

  it('prints JSON, with null for a server that does not tell', async () => {
    const { stdout, exitCode } = await runCommand(['version', '-ojson'], { reader: readerOf(async () => null) });
    assert.equal(exitCode, 0);
    assert.deepEqual(JSON.parse(stdout), {
      clientVersion: { major: '0', minor: '1', gitVersion: 'v0.1.0', nodeVersion: process.version, platform: goPlatform(process.platform, process.arch) },
      serverVersion: null,
    });
  });

  it('prints JSON without a server part where the server cannot be reached, and the error as text', async () => {
    const result = await runCommand(['version', '-o', 'json'], { reader: readerOf(async () => Promise.reject(refused)) });
    assert.deepEqual(Object.keys(JSON.parse(result.stdout) as object), ['clientVersion']);
    assert.deepEqual([result.stderr, result.exitCode], [`${refused.message}\n`, 3]);
  });

  it('prints YAML', async () => {
    const { stdout } = await runCommand(['version', '--output=yaml'], { reader: readerOf(async () => ({ gitVersion: 'v1.31.4-gke.1372000' })) });
    assert.match(stdout, /^clientVersion:\n/);
    assert.match(stdout, /^serverVersion:\n {2}gitVersion: v1\.31\.4-gke\.1372000\n {2}major: "1"\n {2}minor: "31"\n$|^serverVersion:\n {2}major: "1"\n {2}minor: "31"\n {2}gitVersion: v1\.31\.4-gke\.1372000\n$/m);
  });

  it('says <unknown> for a recording without a version', async () => {
    const { stdout } = await runCommand(['version', '--inventory', 'x.json'], { reader: readerOf(async () => null) });
    assert.equal(stdout, 'Client Version: v0.1.0\nServer Version: <unknown>\n');
  });

  it('warns of a server that is newer than what was tested', async () => {
    const warning = 'WARNING: version difference between the Kubernetes this program was tested with (1.37) and server (1.39) exceeds the supported minor version skew of +1\n';
    const versions: readonly [string, string][] = [['v1.39.0', warning], ['v1.38.0', ''], ['v1.20.0', ''], ['v0.0.0-master', '']];
    for (const [gitVersion, stderr] of versions) {
      assert.equal((await runCommand(['version'], { reader: readerOf(async () => ({ gitVersion })) })).stderr, stderr, gitVersion);
    }
  });

  it("refuses another format in kubectl's words", async () => {
    const result = await runCommand(['version', '-o', 'table']);
    assert.deepEqual([result.stdout, result.exitCode], ['', 2]);
    assert.ok(result.stderr.startsWith("error: --output must be 'yaml' or 'json'\n"));
  });
});
