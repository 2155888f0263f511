import assert from 'node:assert/strict';
import { runCommand } from '../support/run-command.ts';

describe('kubectl win options', () => {
  it("lists kubectl's global flags in kubectl's form", async () => {
    const { stdout, stderr, exitCode } = await runCommand(['options']);
    assert.equal(exitCode, 0);
    assert.equal(stderr, '');
    assert.ok(stdout.startsWith("The following options can be passed to any command:\n\n    --as='':\n\tUsername to impersonate for the operation."));
    const names = [...stdout.matchAll(/^ {4}(?:-\w, )?--([\w-]+)=/gm)].map((match) => match[1]);
    // the flags of `kubectl options` of v1.37.2
    assert.deepEqual(names, [
      'as', 'as-group', 'as-uid', 'as-user-extra', 'cache-dir', 'certificate-authority', 'client-certificate', 'client-key', 'cluster', 'context',
      'disable-compression', 'insecure-skip-tls-verify', 'kubeconfig', 'kuberc', 'log-flush-frequency', 'match-server-version', 'namespace', 'password', 'profile', 'profile-output', 'proxy-url',
      'request-timeout', 'server', 'tls-server-name', 'token', 'user', 'username', 'v', 'vmodule', 'warnings-as-errors',
    ]);
    assert.match(stdout, /^ {4}-n, --namespace='':\n\tIf present/m);
    assert.match(stdout, /^ {4}-v, --v=0:\n/m);
    assert.match(stdout, /^ {4}--request-timeout='0':\n/m);
    assert.match(stdout, /^ {4}--as-group=\[\]:\n/m);
  });
});
