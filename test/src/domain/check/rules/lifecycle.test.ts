import assert from 'node:assert/strict';
import { itJudges, judgeCase, windowsNode, windowsPod, type RuleCase } from '../../../../support/rule-case.ts';

const hostProcess = { hostNetwork: true, securityContext: { windowsOptions: { hostProcess: true } } };
const command = (...words: readonly unknown[]): Readonly<Record<string, unknown>> => windowsPod({}, { command: words });
const first = 'spec.containers[0].command[0]';
const nano = 'mcr.microsoft.com/windows/nanoserver:ltsc2022';

const cases: readonly RuleCase[] = [
  { name: 'signals of Windows', rule: 'stop-signal-of-linux', object: windowsPod({ initContainers: [{ name: 's', restartPolicy: 'Always', lifecycle: { stopSignal: 'SIGKILL' } }] }, { lifecycle: { stopSignal: null } }), paths: [] },
  { name: 'any signal without os.name', rule: 'stop-signal-of-linux', object: windowsPod({ os: null }, { lifecycle: { stopSignal: 'SIGTERM' } }), paths: ['spec.containers[0].lifecycle.stopSignal'] },
  { name: 'lower case is none of Windows', rule: 'stop-signal-of-linux', object: windowsPod({}, { lifecycle: { stopSignal: 'sigterm' } }), paths: ['spec.containers[0].lifecycle.stopSignal'] },
  { name: 'the field is newer than 1.32', rule: 'stop-signal-of-linux', object: windowsPod({}, { lifecycle: { stopSignal: 'SIGINT' } }), kubernetesVersion: '1.32', paths: [] },

  ...[undefined, null, 0, 5, 30, '60'].map((seconds) => ({ name: `${String(seconds)} asks for nothing`, rule: 'grace-period-cut-short', object: windowsPod({ terminationGracePeriodSeconds: seconds }), paths: [] })),
  ...[10, 31, 600].map((seconds) => ({ name: `${seconds} is more than Windows grants`, rule: 'grace-period-cut-short', object: windowsPod({ terminationGracePeriodSeconds: seconds }), paths: ['spec.terminationGracePeriodSeconds'] })),

  ...['sh', '/bin/sh', 'bash', '/bin/bash', 'sleep', 'cat', 'wget', '/usr/bin/env', '/usr/local/bin/app', '/sbin/init', 'SH'].map((program) => ({ name: `${program} is of Linux`, rule: 'linux-command', object: command(program, '-c', 'x'), paths: [first] })),
  ...['/shop.exe', '/shop', '/gce-pd-csi-driver', 'sh.exe', '/usr/bin/app.exe', 'C:\\bin\\sh', 'curl', 'curl.exe', 'tar', 'ping', 'shop', './run', 'powershell', 'pwsh', '/entrypoint.cmd', ''].map((program) => ({ name: `${program} may be of Windows`, rule: 'linux-command', object: command(program, 'sleep'), paths: [] })),
  { name: 'words that are no text', rule: 'linux-command', object: command(null, 5, {}), paths: [] },
  { name: 'args alone go to a program that is not known', rule: 'linux-command', object: windowsPod({}, { args: ['sleep', '10'] }), paths: [] },
  { name: 'args after powershell are its own', rule: 'linux-command', object: windowsPod({}, { command: ['powershell'], args: ['sleep', '5000'] }), paths: [] },
  { name: 'args after cmd /c are programs', rule: 'linux-command', object: windowsPod({}, { command: ['cmd', '/c'], args: ['cat x'] }), paths: ['spec.containers[0].args[0]'] },
  { name: 'what cmd can do itself', rule: 'linux-command', object: command('cmd', '/c', 'exit'), paths: [] },
  {
    name: 'probes, hooks and containers of all kinds', rule: 'linux-command',
    object: windowsPod(
      { initContainers: [{ name: 'i', command: ['sh'] }], ephemeralContainers: [{ name: 'e', command: ['bash'] }] },
      { livenessProbe: { exec: { command: ['cat', '/ok'] } }, startupProbe: { exec: { command: ['powershell'] } }, lifecycle: { preStop: { exec: { command: ['sleep', '5'] } }, postStart: { exec: { command: ['/bin/true'] } } } },
    ),
    paths: ['spec.initContainers[0].command[0]', 'spec.containers[0].livenessProbe.exec.command[0]', 'spec.containers[0].lifecycle.postStart.exec.command[0]', 'spec.containers[0].lifecycle.preStop.exec.command[0]', 'spec.ephemeralContainers[0].command[0]'],
  },
  { name: 'busybox for Windows has a shell', rule: 'linux-command', object: windowsPod({}, { image: 'registry.k8s.io/e2e-test-images/busybox:1.37.0-1', command: ['sh'] }), paths: [] },
  { name: 'HostProcess containers have the programs of the host', rule: 'linux-command', object: windowsPod(hostProcess, { command: ['sh'] }), paths: [first] },
  { name: 'Linux pods have a shell', rule: 'linux-command', object: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'x' }, spec: { nodeSelector: { 'kubernetes.io/os': 'linux' }, containers: [{ name: 'x', command: ['sh'] }] } }, paths: [] },

  { name: 'a pod that calls itself Linux means Linux commands', rule: 'linux-command', object: windowsPod({ os: { name: 'linux' } }, { command: ['sh'] }), paths: [] },

  ...['powershell.exe -Command Get-Date', 'cmd /c dir', '"C:\\Program Files\\x\\y.exe" -a', 'C:\\Program Files\\x\\y.exe -a', 'shop --port 80', 'dotnet Shop.dll', ' sh -c ls '].map((line) => ({ name: `${line} is a line`, rule: 'command-line-in-one-word', object: command(line), paths: [first] })),
  ...['powershell.exe', 'C:\\Program Files\\x\\y.exe', 'C:\\Program Files\\dotnet\\dotnet', '"C:\\Program Files\\x\\y.exe"', 'my shop', '/bin/sh -c ls', '', ' '].map((line) => ({ name: `${line} is a name`, rule: 'command-line-in-one-word', object: command(line, '-a b'), paths: [] })),
  { name: 'lines of probes and hooks', rule: 'command-line-in-one-word', object: windowsPod({}, { livenessProbe: { exec: { command: ['curl http://localhost'] } }, lifecycle: { preStop: { exec: { command: ['cmd', '/c', 'net stop w3svc'] } } } }), paths: ['spec.containers[0].livenessProbe.exec.command[0]'] },
  { name: 'args alone go to a program that is not known', rule: 'command-line-in-one-word', object: windowsPod({}, { args: ['powershell -c x'] }), paths: [] },
  { name: 'cmd of the host takes the quotes off', rule: 'command-line-in-one-word', object: windowsPod(hostProcess, { command: ['powershell.exe -Command Get-Date'] }), paths: [] },

  ...[['timeout', '/t', '10'], ['timeout.exe', '10'], ['C:\\Windows\\System32\\timeout.exe', '/t', '5', '/nobreak']].map((words) => ({ name: words.join(' '), rule: 'timeout-without-console', object: command(...words), paths: [first] })),
  ...['timeout /t 10', 'timeout /nobreak /t 10 >nul', 'net stop w3svc & timeout 10', '"timeout /t 5"'].map((line) => ({ name: `cmd /c ${line}`, rule: 'timeout-without-console', object: command('cmd', '/c', line), paths: ['spec.containers[0].command[2]'] })),
  { name: 'powershell has no timeout of its own', rule: 'timeout-without-console', object: command('powershell', '-Command', 'Write-Host x; timeout /t 5'), paths: ['spec.containers[0].command[2]'] },
  ...['curl --connect-timeout 5 http://x', 'echo timeout 5', 'set timeout=5', 'shop timeout'].map((line) => ({ name: `cmd /c ${line} waits for nothing`, rule: 'timeout-without-console', object: command('cmd', '/c', line), paths: [] })),
  { name: 'arguments of other programs', rule: 'timeout-without-console', object: command('shop.exe', 'timeout', '5'), paths: [] },
  { name: 'a terminal is for the container alone, not for probes', rule: 'timeout-without-console', object: windowsPod({}, { tty: true, command: ['timeout', '5'], livenessProbe: { exec: { command: ['timeout', '5'] } } }), paths: ['spec.containers[0].livenessProbe.exec.command[0]'] },

  { name: 'Server Core has it', rule: 'powershell-in-nanoserver', object: windowsPod({}, { image: 'mcr.microsoft.com/windows/servercore:ltsc2022', command: ['powershell'] }), paths: [] },
  { name: 'an image of unknown base may have it', rule: 'powershell-in-nanoserver', object: windowsPod({}, { command: ['powershell'] }), paths: [] },
  { name: 'probes and what cmd starts', rule: 'powershell-in-nanoserver', object: windowsPod({}, { image: nano, command: ['cmd', '/c', 'powershell -c x'], readinessProbe: { exec: { command: ['PowerShell.exe', 'x'] } } }), paths: ['spec.containers[0].command[2]', 'spec.containers[0].readinessProbe.exec.command[0]'] },
  { name: 'HostProcess containers take that of the host', rule: 'powershell-in-nanoserver', object: windowsPod(hostProcess, { image: nano, command: ['powershell'] }), paths: [] },

  { name: 'a short period', rule: 'slow-exec-probe', object: windowsPod({}, { livenessProbe: { exec: { command: ['pwsh', '-c', 'x'] }, timeoutSeconds: 5, periodSeconds: 5 } }), paths: ['spec.containers[0].livenessProbe.periodSeconds'] },
  { name: 'other programs start at once', rule: 'slow-exec-probe', object: windowsPod({}, { livenessProbe: { exec: { command: ['cmd', '/c', 'exit'] } }, readinessProbe: { httpGet: { port: 80 } } }), paths: [] },
  { name: 'hooks are no probes', rule: 'slow-exec-probe', object: windowsPod({}, { lifecycle: { preStop: { exec: { command: ['powershell'] } } } }), paths: [] },

  { name: 'a minute is enough', rule: 'probe-before-first-start', object: windowsPod({}, { image: 'mcr.microsoft.com/dotnet/aspnet:9.0-nanoserver-ltsc2022', livenessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 30 } }), paths: [] },
  { name: 'of other images nothing is known', rule: 'probe-before-first-start', object: windowsPod({}, { livenessProbe: { httpGet: { port: 80 } } }), paths: [] },

  { name: 'containerd on all nodes', rule: 'termination-message-file', object: windowsPod({}, { terminationMessagePath: 'C:\\x' }), cluster: [windowsNode('w')], paths: [] },
  { name: 'docker on one', rule: 'termination-message-file', object: windowsPod({}, { terminationMessagePath: 'C:\\x' }), cluster: [windowsNode('w'), windowsNode('d', { runtime: 'docker://20.10.9' })], paths: ['spec.containers[0].terminationMessagePath'] },
  { name: 'the default', rule: 'termination-message-file', object: windowsPod({ ephemeralContainers: [{ name: 'e', terminationMessagePath: '/dev/termination-log' }] }, { terminationMessagePath: null }), paths: [] },

  { name: 'an empty target is none', rule: 'ephemeral-container-target', object: windowsPod({ ephemeralContainers: [{ name: 'e', targetContainerName: '' }, { name: 'f', targetContainerName: null }] }), paths: [] },
  { name: 'HostProcess containers see all processes', rule: 'ephemeral-container-target', object: windowsPod({ ...hostProcess, ephemeralContainers: [{ name: 'e', targetContainerName: 'web' }] }), paths: [] },
];

describe('the rules on the lifecycle of containers', () => {
  itJudges(cases);

  it('warns of a long grace period, and only mentions a short one', async () => {
    const severityOf = async (seconds: number): Promise<string | undefined> => (await judgeCase({ rule: 'grace-period-cut-short', object: windowsPod({ terminationGracePeriodSeconds: seconds }) })).findings[0]?.severity;
    assert.equal(await severityOf(120), 'warning');
    assert.equal(await severityOf(10), 'info');
  });

  const fixes: readonly { readonly name: string; readonly container: Readonly<Record<string, unknown>>; readonly words: readonly string[] | null }[] = [
    { name: 'sleep', container: { command: ['sleep', '10'] }, words: ['powershell', '-Command', 'Start-Sleep -Seconds 10'] },
    { name: 'sleep for ever', container: { command: ['/bin/sleep', 'infinity'] }, words: ['powershell', '-Command', 'Start-Sleep -Seconds 2147483'] },
    { name: 'sleep in Nano Server, without powershell', container: { image: nano, command: ['sleep', '10'] }, words: null },
    { name: 'sleep with a unit, which is not known', container: { command: ['sleep', '1h'] }, words: null },
    { name: 'cat', container: { command: ['cat', '/app/ready'] }, words: ['cmd', '/c', 'type', '\\app\\ready'] },
    { name: 'cat of what cmd would take for its own', container: { command: ['cat', 'a&b'] }, words: null },
    { name: 'a shell script, which nobody can translate', container: { command: ['sh', '-c', 'sleep 10'] }, words: null },
  ];
  for (const { name, container, words } of fixes) {
    it(`${words === null ? 'has no other command for' : 'has another command for'} ${name}`, async () => {
      const { findings } = await judgeCase({ rule: 'linux-command', object: windowsPod({}, container) });
      assert.deepEqual(findings.map(({ fix }) => fix?.edits ?? null), [words === null ? null : [{ op: 'set', path: ['spec', 'containers', 0, 'command'], value: words }]]);
    });
  }

  it('sends nobody to PowerShell in Nano Server', async () => {
    const messageOf = async (image: string, ...words: readonly string[]): Promise<string> => (await judgeCase({ rule: 'linux-command', object: windowsPod({}, { image, command: words }) })).findings[0]?.message ?? '';
    assert.match(await messageOf('x/app:1', 'sleep', '10'), /; powershell Start-Sleep does the same$/);
    assert.match(await messageOf(nano, 'sleep', '10'), /cannot find the file specified"$/);
    assert.match(await messageOf(nano, 'sh', '-c', 'x'), /; cmd does the same$/);
    assert.match(await messageOf(nano, 'ls'), /; cmd \/c dir does the same$/);
  });

  it('takes args away with the command that they belonged to', async () => {
    const { findings } = await judgeCase({ rule: 'linux-command', object: windowsPod({}, { command: ['sleep'], args: ['10'] }) });
    assert.deepEqual(findings[0]?.fix?.edits, [{ op: 'set', path: ['spec', 'containers', 0, 'command'], value: ['powershell', '-Command', 'Start-Sleep -Seconds 10'] }, { op: 'remove', path: ['spec', 'containers', 0, 'args'] }]);
  });

  it('cuts a line into words where it is plain how', async () => {
    const wordsOf = async (...words: readonly string[]): Promise<unknown> => (await judgeCase({ rule: 'command-line-in-one-word', object: command(...words) })).findings[0]?.fix?.edits[0];
    const path = ['spec', 'containers', 0, 'command'];
    assert.deepEqual(await wordsOf('powershell.exe -Command Get-Date', '-x'), { op: 'set', path, value: ['powershell.exe', '-Command', 'Get-Date', '-x'] });
    assert.deepEqual(await wordsOf('C:\\Program Files\\x\\y.exe -a "b c"'), { op: 'set', path, value: ['C:\\Program Files\\x\\y.exe', '-a', 'b c'] });
    for (const line of ['powershell.exe -Command "Write-Host \\"x\\""', 'cmd /c dir  x', 'y.exe -a="b c"']) assert.equal(await wordsOf(line), undefined, line);
  });

  it('lets the hook itself wait, where Kubernetes can', async () => {
    const fixOf = async (rule: string, words: readonly string[], spec: Readonly<Record<string, unknown>> = {}, kubernetesVersion = '1.36', hook = 'preStop'): Promise<unknown> => (await judgeCase({ rule, object: windowsPod(spec, { lifecycle: { [hook]: { exec: { command: words } } } }), kubernetesVersion })).findings[0]?.fix?.edits;
    const at = ['spec', 'containers', 0, 'lifecycle', 'preStop'];
    const sleep = [{ op: 'set', path: [...at, 'sleep'], value: { seconds: 10 } }, { op: 'remove', path: [...at, 'exec'] }];
    for (const words of [['sleep', '10'], ['/bin/sh', '-c', 'sleep 10'], ['sh', '-c', 'sleep 10s'], ['cmd', '/c', 'sleep 10']]) assert.deepEqual(await fixOf('linux-command', words), sleep, words.join(' '));
    for (const words of [['timeout', '/t', '10'], ['cmd', '/c', 'timeout /t 10 /nobreak > nul']]) assert.deepEqual(await fixOf('timeout-without-console', words), sleep, words.join(' '));
    assert.deepEqual(await fixOf('linux-command', ['sleep', '10'], {}, '1.36', 'postStart'), sleep.map(({ path, ...edit }) => ({ ...edit, path: path.map((key) => (key === 'preStop' ? 'postStart' : key)) })));
    const program = [{ op: 'set', path: [...at, 'exec', 'command'], value: ['powershell', '-Command', 'Start-Sleep -Seconds 10'] }];
    assert.deepEqual(await fixOf('linux-command', ['sleep', '10'], {}, '1.29'), program);
    // the API server takes no sleep that is longer than the grace period
    assert.deepEqual(await fixOf('linux-command', ['sleep', '10'], { terminationGracePeriodSeconds: 5 }), program);
    assert.equal(await fixOf('linux-command', ['sh', '-c', 'sleep 10; ls']), undefined);
  });

  it('waits with ping in Nano Server', async () => {
    const fixOf = async (image: string): Promise<string | undefined> => (await judgeCase({ rule: 'timeout-without-console', object: windowsPod({}, { image, command: ['timeout', '10'] }) })).findings[0]?.fix?.title;
    assert.equal(await fixOf(nano), 'use cmd /c ping -n 11 127.0.0.1 >nul');
    assert.equal(await fixOf('x/app:1'), 'use powershell -Command Start-Sleep -Seconds 10');
  });

  it('takes Server Core of the same release for the plain image', async () => {
    const { findings } = await judgeCase({ rule: 'powershell-in-nanoserver', object: windowsPod({}, { image: nano, command: ['powershell', '-c', 'x'] }) });
    assert.deepEqual(findings[0]?.fix?.edits, [{ op: 'set', path: ['spec', 'containers', 0, 'image'], value: 'mcr.microsoft.com/windows/servercore:ltsc2022' }]);
  });

  it('starts pwsh where the image has it', async () => {
    const { findings } = await judgeCase({ rule: 'powershell-in-nanoserver', object: windowsPod({}, { image: 'mcr.microsoft.com/dotnet/sdk:9.0-nanoserver-ltsc2022', command: ['powershell', '-c', 'x'] }) });
    assert.deepEqual(findings[0]?.fix?.edits, [{ op: 'set', path: ['spec', 'containers', 0, 'command', 0], value: 'pwsh' }]);
  });
});
