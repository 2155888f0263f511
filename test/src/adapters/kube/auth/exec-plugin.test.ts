import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createAuthority } from '../../../../cluster/certificates.ts';
import { execPluginCredentials } from '../../../../../src/adapters/kube/auth/exec-plugin.ts';
import type { ConnectionEnvironment } from '../../../../../src/adapters/kube/config/environment.ts';
import type { ExecConfig, KubeconfigCluster } from '../../../../../src/adapters/kube/config/kubeconfig.ts';
import type { CredentialSource } from '../../../../../src/adapters/kube/connection.ts';
import { ClusterError } from '../../../../../src/errors.ts';
import { workplace } from '../config/workplace.ts';
import type { Workplace } from '../config/workplace.ts';

const V1 = 'client.authentication.k8s.io/v1';

/** An ExecCredential with this status. */
function answer(status: unknown, apiVersion = V1): string {
  return JSON.stringify({ kind: 'ExecCredential', apiVersion, status });
}

/** Waits for a file that a plugin writes; mocha's own deadline ends the wait. */
async function appeared(file: string): Promise<void> {
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 5));
}

/** Whether a process is gone within 5 s; one that is not is killed, so that no test leaves it behind. */
async function ended(pid: number): Promise<boolean> {
  try {
    for (let tries = 0; tries < 500; tries += 1) {
      process.kill(pid, 0);
      // Where nobody reaps orphans, as in a bare container, the dead one stays as a zombie.
      if (existsSync(`/proc/${pid}/stat`) && / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))) return true;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    process.kill(pid, 'SIGKILL');
    return false;
  } catch {
    return true;
  }
}

describe('execPluginCredentials', () => {
  let place: Workplace;
  beforeEach(() => {
    place = workplace();
  });
  afterEach(() => place.close());

  /** A plugin that counts its runs in a file and then does `body`; the n-th run can be told by $RUN. */
  function plugin(body: string, name = 'bin/plugin'): string {
    return place.write(name, `#!/bin/sh\necho run >> ${place.folder}/runs\nRUN=$(wc -l < ${place.folder}/runs | tr -d ' ')\n${body}\n`, 0o755);
  }
  function runs(): number {
    try {
      return readFileSync(join(place.folder, 'runs'), 'utf8').split('\n').length - 1;
    } catch {
      return 0;
    }
  }
  function source(
    exec: Partial<ExecConfig> & { readonly command: string },
    environment: Partial<ConnectionEnvironment> = {},
    cluster: Partial<KubeconfigCluster> = {},
    ca?: string,
  ): CredentialSource {
    return execPluginCredentials({
      userName: 'u',
      origin: '/the/config',
      exec: { apiVersion: V1, args: [], env: [], installHint: '', provideClusterInfo: false, interactiveMode: 'Never', ...exec },
      cluster: { name: 'c', server: 'https://h:6443', skipTLSVerify: false, disableCompression: false, origin: '/the/config', ...cluster },
      ca,
      environment: place.environment({ variables: { PATH: process.env['PATH'] }, ...environment }),
      kuberc: undefined,
    });
  }
  /** kubectl's own opening, which stands before every error of a plugin. */
  const OPENING = 'Unable to connect to the server: getting credentials: ';
  async function failure(credentials: CredentialSource): Promise<{ readonly message: string; readonly suggestions: readonly string[] }> {
    try {
      await credentials.get();
    } catch (error) {
      assert.ok(error instanceof ClusterError, `ClusterError expected, got ${String(error)}`);
      assert.equal(error.reason, 'CredentialPlugin');
      assert.equal(error.exitCode, 3);
      assert.doesNotMatch([error.message, ...error.suggestions].join(), /hunter2/, 'no secret in the text');
      return { message: withoutOpening(error.message), suggestions: error.suggestions };
    }
    assert.fail('no error');
  }
  function withoutOpening(message: string): string {
    assert.ok(message.startsWith(OPENING), message);
    return message.slice(OPENING.length);
  }

  it('runs the plugin once for all who wait, and not again while its credentials last', async () => {
    const credentials = source({ command: plugin(`sleep 0.1; echo '${answer({ token: 't' })}'`) });
    const all = await Promise.all(Array.from({ length: 5 }, () => credentials.get()));
    assert.deepEqual(all, Array.from({ length: 5 }, () => ({ authorization: 'Bearer t' })));
    assert.equal(await credentials.get(), all[0]);
    assert.equal(runs(), 1);
  });

  it('runs nothing before credentials are needed', () => {
    source({ command: plugin('exit 1') });
    assert.equal(runs(), 0);
  });

  it('runs it again when the credentials have expired, not before', async () => {
    let now = Date.parse('2026-11-30T12:00:00Z');
    const credentials = source({ command: plugin(`echo '${answer({ token: 'tRUN', expirationTimestamp: '2026-11-30T12:10:00Z' })}' | sed "s/RUN/$RUN/"`) }, { now: () => now });
    assert.deepEqual(await credentials.get(), { authorization: 'Bearer t1' });
    now += 10 * 60_000;
    assert.deepEqual(await credentials.get(), { authorization: 'Bearer t1' });
    now += 1;
    assert.deepEqual(await credentials.get(), { authorization: 'Bearer t2' });
  });

  it('runs it again after a 401, once for all who were refused', async () => {
    const credentials = source({ command: plugin(`echo '${answer({ token: 'tRUN' })}' | sed "s/RUN/$RUN/"`) });
    await credentials.get();
    const retried = await Promise.all(Array.from({ length: 3 }, async () => {
      assert.equal(await credentials.refresh(), true);
      return credentials.get();
    }));
    assert.deepEqual(retried, Array.from({ length: 3 }, () => ({ authorization: 'Bearer t2' })));
    assert.equal(runs(), 2);
  });

  it('keeps newer credentials when an old request is refused', async () => {
    const credentials = source({ command: plugin(`echo '${answer({ token: 'tRUN' })}' | sed "s/RUN/$RUN/"`) });
    const old = await credentials.get();
    await credentials.refresh(undefined, old);
    await credentials.get();
    assert.equal(await credentials.refresh(undefined, old), true);
    assert.deepEqual(await credentials.get(), { authorization: 'Bearer t2' });
    assert.equal(runs(), 2);
  });

  it('fails anew at each attempt instead of remembering a failure', async () => {
    const credentials = source({ command: plugin(`test $RUN -gt 1 && echo '${answer({ token: 't' })}'`) });
    await failure(credentials);
    assert.deepEqual(await credentials.get(), { authorization: 'Bearer t' });
  });

  describe('environment', () => {
    async function variables(exec: Partial<ExecConfig>, cluster: Partial<KubeconfigCluster> = {}, ca?: string, environment: Partial<ConnectionEnvironment> = {}): Promise<Map<string, string>> {
      const command = plugin(`env > ${place.folder}/env; echo "$@" > ${place.folder}/args; echo '${answer({ token: 't' }, exec.apiVersion ?? V1)}'`);
      await source({ command, ...exec }, environment, cluster, ca).get();
      return new Map(readFileSync(join(place.folder, 'env'), 'utf8').split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
    }

    it('is the process\'s with the plugin\'s own over it', async () => {
      const seen = await variables({ args: ['get-token', 'a b'], env: [{ name: 'ADDED', value: 'one' }, { name: 'BOTH', value: 'plugin' }] }, {}, undefined, { variables: { PATH: process.env['PATH'], BOTH: 'process', OWN: 'kept' } });
      assert.deepEqual([seen.get('ADDED'), seen.get('BOTH'), seen.get('OWN')], ['one', 'plugin', 'kept']);
      assert.equal(readFileSync(join(place.folder, 'args'), 'utf8'), 'get-token a b\n');
    });

    it('holds KUBERNETES_EXEC_INFO, without the cluster unless asked for', async () => {
      const seen = await variables({ apiVersion: 'client.authentication.k8s.io/v1beta1' }, { execConfig: { a: 1 } }, 'PEM');
      assert.deepEqual(JSON.parse(seen.get('KUBERNETES_EXEC_INFO') ?? ''), { kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1beta1', spec: { interactive: false } });
    });

    it('holds the cluster when asked for', async () => {
      const seen = await variables({ provideClusterInfo: true }, { tlsServerName: 'n', skipTLSVerify: true, proxyUrl: 'http://p', disableCompression: true, execConfig: { audience: 'east' } }, 'PEM');
      assert.deepEqual(JSON.parse(seen.get('KUBERNETES_EXEC_INFO') ?? ''), {
        kind: 'ExecCredential', apiVersion: V1,
        spec: {
          cluster: {
            server: 'https://h:6443', 'tls-server-name': 'n', 'insecure-skip-tls-verify': true, 'certificate-authority-data': Buffer.from('PEM').toString('base64'),
            'proxy-url': 'http://p', 'disable-compression': true, config: { audience: 'east' },
          },
          interactive: false,
        },
      });
    });
  });

  it('passes a certificate and key on, with or without a token', async () => {
    const { cert, key } = await (await createAuthority()).issue({ commonName: 'me' });
    const command = plugin(`cat ${place.write('credential', answer({ clientCertificateData: cert, clientKeyData: key, token: 't' }))}`);
    assert.deepEqual(await source({ command }).get(), { authorization: 'Bearer t', clientCertificate: { cert, key } });
  });

  it('finds a name in PATH, and says it is $0', async () => {
    plugin(`echo '${answer({ token: 't' })}'`, 'bin/kube-login');
    const credentials = source({ command: 'kube-login' }, { variables: { PATH: `/nowhere:${join(place.folder, 'bin')}:${process.env['PATH'] ?? ''}` } });
    assert.deepEqual(await credentials.get(), { authorization: 'Bearer t' });
  });

  it('takes YAML as client-go does', async () => {
    assert.deepEqual(await source({ command: plugin(`printf 'kind: ExecCredential\\napiVersion: ${V1}\\nstatus: {token: t}\\n'`) }).get(), { authorization: 'Bearer t' });
  });

  it('tells when it starts and ends, for a spinner to give way', async () => {
    const events: string[] = [];
    await failure(source({ command: plugin('exit 1') }, { onCredentialPlugin: (event) => {
      events.push(event);
    } }));
    assert.deepEqual(events, ['started', 'ended']);
  });

  describe('standard input', () => {
    const reading = (): string => plugin(`if read line; then echo '${answer({ token: 'read' })}'; else echo '${answer({ token: 'nothing' })}'; fi`);

    it('is empty for a plugin that is not interactive', async () => {
      assert.deepEqual(await source({ command: reading() }).get(), { authorization: 'Bearer nothing' });
      assert.deepEqual(await source({ command: reading(), interactiveMode: 'IfAvailable' }, { stdinIsTerminal: false }).get(), { authorization: 'Bearer nothing' });
      assert.deepEqual(await source({ command: reading(), interactiveMode: 'IfAvailable' }, { stdinIsTerminal: true, stdinUnavailable: 'used by -f -' }).get(), { authorization: 'Bearer nothing' });
    });

    it('must be a free terminal for interactiveMode Always', async () => {
      const noTerminal = await failure(source({ command: reading(), interactiveMode: 'Always' }));
      assert.equal(noTerminal.message, 'exec plugin cannot support interactive mode: standard input is not a terminal');
      const used = await failure(source({ command: reading(), interactiveMode: 'Always' }, { stdinIsTerminal: true, stdinUnavailable: 'used by -f -' }));
      assert.equal(used.message, 'exec plugin cannot support interactive mode: standard input is unavailable: used by -f -');
      assert.equal(runs(), 0);
    });

    for (const interactiveMode of ['IfAvailable', 'Always'] as const) {
      it(`is inherited by an interactive plugin (${interactiveMode})`, async () => {
        const { stdout } = await child({ command: reading(), interactiveMode }, { stdinIsTerminal: true }, 'typed\n');
        assert.equal(stdout, 'Bearer read');
      });
    }
  });

  /** Runs the plugin from a process of its own, whose streams the test sees. */
  async function child(exec: Partial<ExecConfig>, environment: Partial<ConnectionEnvironment>, input: string, onStderr: (text: string) => void = () => {}): Promise<{ readonly stdout: string; readonly stderr: string }> {
    const program = `
      import { execPluginCredentials } from ${JSON.stringify(new URL('../../../../../src/adapters/kube/auth/exec-plugin.ts', import.meta.url).href)};
      const source = execPluginCredentials({
        userName: 'u', origin: 'f', kuberc: undefined, ca: undefined,
        exec: { apiVersion: ${JSON.stringify(V1)}, args: [], env: [], installHint: '', provideClusterInfo: false, interactiveMode: 'Never', ...${JSON.stringify(exec)} },
        cluster: { name: 'c', server: 'https://h', skipTLSVerify: false, disableCompression: false, origin: 'f' },
        environment: { variables: process.env, platform: process.platform, workingFolder: '/', homeFolder: '/nowhere', serviceAccountFolder: '/nowhere', stdinIsTerminal: false, warn() {}, now: Date.now, ...${JSON.stringify(environment)} },
      });
      process.stdout.write((await source.get()).authorization);
    `;
    const file = place.write('program.mjs', program);
    const running = spawn(process.execPath, [file], { stdio: 'pipe' });
    let stdout = '';
    let stderr = '';
    running.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    running.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      onStderr(stderr);
    });
    running.stdin.end(input);
    const exitCode = await new Promise((resolve) => {
      running.on('close', resolve);
    });
    assert.equal(exitCode, 0, stderr);
    return { stdout, stderr };
  }

  it('lets standard error through while the plugin waits', async () => {
    const go = join(place.folder, 'go');
    const command = plugin(`echo 'open https://login.example and enter ABCD' >&2; while ! test -e ${go}; do sleep 0.02; done; echo '${answer({ token: 't' })}'`);
    let seenBeforeEnd = false;
    const { stdout } = await child({ command }, {}, '', (stderr) => {
      if (!stderr.includes('enter ABCD') || seenBeforeEnd) return;
      seenBeforeEnd = true;
      place.write('go', '');
    });
    assert.equal(seenBeforeEnd, true);
    assert.equal(stdout, 'Bearer t');
  });

  describe('given up by its callers', () => {
    it('is ended when the last one goes, and leaves the others waiting until then', async () => {
      const ready = join(place.folder, 'ready');
      const ended = join(place.folder, 'ended');
      const credentials = source({ command: plugin(`trap 'echo > ${ended}; exit 1' TERM; echo > ${ready}; while :; do sleep 0.02; done`) });
      const first = new AbortController();
      const second = new AbortController();
      const promises = [credentials.get(first.signal), credentials.get(second.signal)] as const;
      await appeared(ready);
      first.abort(new Error('first gone'));
      await assert.rejects(promises[0], /first gone/);
      assert.equal(existsSync(ended), false);
      second.abort(new Error('second gone'));
      await assert.rejects(promises[1], /second gone/);
      await appeared(ended);
    });

    // A terminal's keys reach only its own session, so there a plugin stays in it: the test runs in one without a terminal.
    it('takes along what it has started itself, where no terminal is lost by that', async () => {
      const ready = join(place.folder, 'ready');
      const command = place.write('bin/parent', `#!/bin/bash\n(trap '' TERM; exec sleep 313) &\necho $! > ${ready}.new\nmv ${ready}.new ${ready}\nwait\n`, 0o755);
      const program = place.write('give-up.mjs', `
        import { existsSync } from 'node:fs';
        import { execPluginCredentials } from ${JSON.stringify(new URL('../../../../../src/adapters/kube/auth/exec-plugin.ts', import.meta.url).href)};
        const source = execPluginCredentials({
          userName: 'u', origin: 'f', kuberc: undefined, ca: undefined,
          exec: { apiVersion: ${JSON.stringify(V1)}, args: [], env: [], installHint: '', provideClusterInfo: false, interactiveMode: 'IfAvailable', command: ${JSON.stringify(command)} },
          cluster: { name: 'c', server: 'https://h', skipTLSVerify: false, disableCompression: false, origin: 'f' },
          environment: { variables: process.env, platform: process.platform, workingFolder: '/', homeFolder: '/nowhere', serviceAccountFolder: '/nowhere', stdinIsTerminal: false, warn() {}, now: Date.now },
        });
        const controller = new AbortController();
        const waiting = source.get(controller.signal);
        waiting.catch(() => undefined);
        while (!existsSync(${JSON.stringify(ready)})) await new Promise((resolve) => setTimeout(resolve, 5));
        controller.abort(new Error('enough'));
        process.stdout.write(await waiting.then(() => 'credentials', (error) => error.message));
      `);
      const running = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'], detached: true });
      let stdout = '';
      running.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString();
      });
      await new Promise((resolve) => {
        running.on('close', resolve);
      });
      assert.equal(stdout, 'enough');
      const grandchild = Number(readFileSync(ready, 'utf8'));
      assert.ok(grandchild > 1);
      assert.equal(await ended(grandchild), true);
    });

    it('does not start for a signal that is aborted already', async () => {
      await assert.rejects(source({ command: plugin('exit 0') }).get(AbortSignal.abort(new Error('too late'))), /too late/);
      assert.equal(runs(), 0);
    });
  });

  describe('errors', () => {
    const table: readonly (readonly [title: string, body: string, message: RegExp])[] = [
      ['an exit code', 'echo hunter2; exit 7', /^exec: executable .*\/bin\/plugin failed with exit code 7$/],
      ['a signal', 'kill -9 $$', /^exec: executable .* was ended by SIGKILL$/],
      ['text that is no credential', 'echo hunter2', /^decoding stdout: .*plugin wrote no ExecCredential to standard output$/],
      ['nothing', 'true', /^decoding stdout: .* wrote no ExecCredential/],
      ['another kind', `echo '{"kind":"Pod","apiVersion":"v1"}'`, /returned kind "Pod", not ExecCredential$/],
      ['another version', `echo '${answer({ token: 'hunter2' }, 'client.authentication.k8s.io/v1beta1')}'`, /^exec plugin is configured to use API version client\.authentication\.k8s\.io\/v1, plugin returned version client\.authentication\.k8s\.io\/v1beta1$/],
      ['no status', `echo '${answer(undefined)}'`, /^exec plugin didn't return a status field$/],
      ['an empty status', `echo '${answer({})}'`, /^exec plugin didn't return a token or cert\/key pair$/],
      ['a certificate without a key', `echo '${answer({ clientCertificateData: 'hunter2' })}'`, /^exec plugin returned only certificate or key, not both$/],
      ['a certificate that is none', `echo '${answer({ clientCertificateData: 'hunter2', clientKeyData: 'hunter2' })}'`, /^failed parsing client key\/certificate: tls: failed to find any PEM data in certificate input$/],
      ['a time that is none', `echo '${answer({ token: 'hunter2', expirationTimestamp: 'soon' })}'`, /expirationTimestamp is no RFC 3339 time$/],
      ['endless output', 'yes hunter2', /wrote more than 1048576 bytes to standard output$/],
    ];
    for (const [title, body, message] of table) {
      it(`name ${title}`, async () => {
        const error = await failure(source({ command: plugin(body), args: ['--client-secret=hunter2'], env: [{ name: 'S', value: 'hunter2' }] }));
        assert.match(error.message, message);
        assert.match(error.suggestions.join('\n'), /plugin|ExecCredential/);
      });
    }

    it('of a program that is not there carry the install hint, harmless to the terminal', async () => {
      const error = await failure(source({ command: 'no-such-plugin', installHint: 'brew install \u001b[31mplugin\nor ask the platform team' }));
      assert.equal(error.message, 'exec: executable no-such-plugin not found');
      assert.deepEqual(error.suggestions.slice(1, 3), ['brew install U+001B[31mplugin', 'or ask the platform team']);
      assert.match(error.suggestions[0] ?? '', /user "u" in \/the\/config/);
    });

    it('of a path that is not there, and of a file that may not run', async () => {
      assert.match((await failure(source({ command: '/nowhere/plugin' }))).message, /^exec: fork\/exec \/nowhere\/plugin: no such file or directory$/);
      assert.match((await failure(source({ command: place.write('data', 'x', 0o600) }))).message, /^exec: fork\/exec .*data: permission denied$/);
    });
  });

  describe('policy of kuberc', () => {
    async function withPolicy(fields: string, command = 'kube-login', variables: Record<string, string> = {}): Promise<string> {
      plugin(`echo '${answer({ token: 't' })}'`, 'bin/kube-login');
      place.write('home/.kube/kuberc', `apiVersion: kubectl.config.k8s.io/v1beta1\nkind: Preference\n${fields}\n`);
      const PATH = `${join(place.folder, 'bin')}:${process.env['PATH'] ?? ''}`;
      try {
        return (await source({ command }, { variables: { PATH, ...variables } }).get()).authorization ?? '';
      } catch (error) {
        assert.ok(error instanceof ClusterError);
        return withoutOpening(error.message);
      }
    }
    const path = (): string => join(place.folder, 'bin/kube-login');

    it('AllowAll, none and off let every plugin run', async () => {
      assert.equal(await withPolicy('credentialPluginPolicy: AllowAll'), 'Bearer t');
      assert.equal(await withPolicy(''), 'Bearer t');
      assert.equal(await withPolicy('credentialPluginPolicy: DenyAll', 'kube-login', { KUBERC: 'off' }), 'Bearer t');
      assert.equal(await withPolicy('credentialPluginPolicy: DenyAll', 'kube-login', { KUBECTL_KUBERC: 'False' }), 'Bearer t');
    });

    it('DenyAll lets none run', async () => {
      assert.equal(await withPolicy('credentialPluginPolicy: DenyAll'), 'plugin "kube-login" not allowed: policy set to "DenyAll"');
      assert.equal(runs(), 0);
    });

    it('Allowlist takes names and paths, whichever way the kubeconfig writes the command', async () => {
      for (const [entry, command] of [['kube-login', 'kube-login'], [path(), 'kube-login'], ['kube-login', path()], [path(), path()]] as const) {
        assert.equal(await withPolicy(`credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: ${entry}}]`, command), 'Bearer t', `${entry} for ${command}`);
      }
    });

    it('Allowlist refuses the others, also of the same name elsewhere', async () => {
      assert.equal(await withPolicy('credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: aws}]'), `plugin path ${JSON.stringify(path())} is not permitted by the credential plugin allowlist`);
      assert.equal(await withPolicy('credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: /usr/bin/kube-login}]'), `plugin path ${JSON.stringify(path())} is not permitted by the credential plugin allowlist`);
      assert.equal(runs(), 0);
    });

    const broken: readonly (readonly [fields: string, message: RegExp])[] = [
      ['credentialPluginPolicy: Allowlist', /but allowlist is unspecified$/],
      ['credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: []', /but allowlist is empty; use "DenyAll" policy instead$/],
      ['credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{name: aws}]', /empty allowlist entry #1$/],
      ['credentialPluginPolicy: Allowlist\ncredentialPluginAllowlist: [{command: /usr//bin/aws}]', /non-normalized file path: "\/usr\/\/bin\/aws" vs "\/usr\/bin\/aws"$/],
      ['credentialPluginAllowlist: [{command: aws}]', /plugin policy is "" but allowlist is non-nil$/],
      ['credentialPluginPolicy: allowall', /unknown plugin policy: "allowall"$/],
    ];
    for (const [fields, message] of broken) {
      it(`${JSON.stringify(fields)} forbids every plugin`, async () => {
        assert.match(await withPolicy(fields), message);
        assert.equal(runs(), 0);
      });
    }
  });
});
