import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { loadWebSocketPackage } from '../../../../../src/adapters/kube/streams/web-socket-package.ts';

describe('loadWebSocketPackage', () => {
  it('gives the package itself, on Bun too', async () => {
    const { WebSocket, WebSocketServer, ...others } = await loadWebSocketPackage();
    assert.equal(typeof WebSocket, 'function');
    assert.equal(typeof WebSocketServer, 'function');
    assert.ok('PerMessageDeflate' in others);
  });

  it('loads nothing before it is called', async () => {
    const channel = fileURLToPath(import.meta.resolve('../../../../../src/adapters/kube/streams/exec-channel.ts'));
    const program = `
      import { createRequire } from 'node:module';
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((file) => /node_modules.ws./.test(file));
      await import(${JSON.stringify(channel)});
      const before = loaded();
      await (await import(${JSON.stringify(channel.replace('exec-channel', 'web-socket-package'))})).loadWebSocketPackage();
      console.log(before, loaded());
    `;
    const flags = process.versions['bun'] === undefined ? ['--input-type=module'] : [];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', program]);
    assert.equal(stdout, 'false true\n');
  });
});
