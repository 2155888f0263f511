import assert from 'node:assert/strict';
import { joinedLength, LINE_LIMIT } from '../../../../../src/domain/hostprocess/command/encoded-command.ts';
import { planNamedScript, planTransport } from '../../../../../src/domain/hostprocess/command/plan-transport.ts';
import { CONSOLE_SETUP } from '../../../../../src/domain/hostprocess/command/scripts.ts';
import type { CommandRequest, Shell, Transport } from '../../../../../src/domain/hostprocess/command/transport.ts';
import { seededRandom, testSeed, type Random } from '../../../../support/random.ts';
import { execOnModel, shimLine, type Arrival, type ModelNode, type Refusal } from '../../../../support/windows-model/node.ts';
import { randomBytes, randomWord, randomWords } from '../../../../support/windows-model/random-words.ts';

const CASES = 20_000;
const NONCE = '0123456789abcdef';
const BASE: CommandRequest = { shell: 'powershell', words: [], script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop', nonce: NONCE };

/** Variables that would do harm. */
const ENVIRONMENT = { PATH: 'C:\\Windows;"', A: '& calc', x: '"', CD: 'C:\\hpc', '=C:': '& calc', CONTAINER_SANDBOX_MOUNT_POINT: 'C:\\hpc\\' };
const find: ModelNode['find'] = (name) => (/\.(?:cmd|bat)$|^npm$/.test(name) ? 'batch' : /^[A-Z][a-z]+-[A-Z]/.test(name) ? 'cmdlet' : name.startsWith('no-') ? null : 'program');
const NODES: readonly ModelNode[] = [{ hasBindFilters: true, environment: ENVIRONMENT, find }, { hasBindFilters: false, environment: ENVIRONMENT, find }];

function planned(request: Partial<CommandRequest>): Transport {
  const transport = planTransport({ ...BASE, ...request });
  assert.ok(!('refused' in transport), 'refused' in transport ? transport.refused : '');
  return transport;
}

function refusal(request: Partial<CommandRequest>): string {
  const transport = planTransport({ ...BASE, ...request });
  assert.ok('refused' in transport, 'it was not refused');
  assert.ok(transport.suggestions.length > 0, 'it does not say what to do');
  return transport.refused;
}

/** What comes of it on a node. */
function arrive(transport: Transport, stdin: Uint8Array = new Uint8Array(0), node = NODES[0] ?? assert.fail()): Arrival | Refusal {
  return execOnModel(transport.argv, Buffer.concat([transport.preamble, stdin]), node);
}

describe('planTransport', () => {
  for (const [what, request, kind] of [
    ['a command and its arguments', { words: ['Get-Service', 'kubelet'] }, 'encoded'],
    ['one word, as code', { words: ['Get-Service | Out-String'] }, 'encoded'],
    ['what is too long for a command line', { words: ['Get-Thing', 'x'.repeat(1_500)] }, 'framed'],
    ['a command that is private', { words: ['hostname'], isPrivate: true }, 'framed'],
    ['a script', { script: { name: 'a.ps1', text: 'exit 0' } }, 'framed'],
    ['a command with a terminal', { words: ['edit.exe', 'a b'], hasTerminal: true }, 'terminal'],
    ['a shell', { hasTerminal: true }, 'terminal'],
    ['words for no shell', { words: ['hostname'], shell: 'none' }, 'verbatim'],
    ['a line of cmd', { words: ['ver & dir'], shell: 'cmd' }, 'encoded'],
  ] as const satisfies readonly (readonly [string, Partial<CommandRequest>, Transport['kind']])[]) {
    it(`sends ${what} ${kind}`, () => {
      const transport = planned(request);
      assert.equal(transport.kind, kind);
      assert.equal(transport.opensStdin, kind === 'framed' || kind === 'terminal');
      assert.equal(transport.preamble.length > 0, kind === 'framed');
      assert.equal(transport.nonce, kind === 'framed' || kind === 'encoded' ? NONCE : null);
    });
  }

  it('runs a single word that is the path of a program, and takes any other for code', () => {
    for (const word of ['C:\\Program Files\\x\\tool.exe', '\\\\server\\share\\tool.cmd', 'C:/x/y.ps1']) assert.match(JSON.stringify(arrive(planned({ words: [word] }))), /"kind":"(?:program|batch)"/, word);
    for (const word of ['C:\\x.exe C:\\y.exe', 'hostname', 'tool.exe', '$x = "C:\\a.exe"', 'C:\\x.txt']) assert.match(JSON.stringify(arrive(planned({ words: [word] }))), /"kind":"code"/, word);
  });

  it('starts cmd as a shell with UTF-8, PowerShell with the text that sets it', () => {
    assert.deepEqual(planned({ hasTerminal: true, shell: 'cmd' }).argv, ['cmd.exe', '/d', '/k', 'chcp 65001 >nul']);
    const { argv } = planned({ hasTerminal: true, shell: 'pwsh' });
    assert.equal(argv[0], 'pwsh.exe');
    assert.ok(argv.includes('-NoExit'));
    assert.equal(Buffer.from(argv.at(-1) ?? '', 'base64').toString('utf16le'), CONSOLE_SETUP);
  });

  it('drops the byte order mark of a script, and keeps everything else', () => {
    const arrival = arrive(planned({ script: { name: 'a.ps1', text: '\ufeff# \ufeff\r\nexit 3\r\n' } }));
    assert.ok(typeof arrival !== 'string');
    assert.equal(arrival.text, '# \ufeff\r\nexit 3\r\n');
  });

  for (const [what, request, text] of [
    ['no command', {}, /there is no command/],
    ['an empty command', { words: ['', 'a'] }, /first word .* is empty/],
    ['NUL', { words: ['x.exe', 'a', 'b\0'] }, /word 3 .* NUL/],
    ['half a surrogate pair', { words: ['x.exe', '\ud800'] }, /word 2 .* surrogate/],
    ['such a script', { script: { name: 'a.ps1', text: '\udc00' } }, /a\.ps1 .* surrogate/],
    ['a script with a terminal', { script: { name: 'a.ps1', text: '' }, hasTerminal: true }, /with -t/],
    ['a private command with a terminal', { words: ['a'], isPrivate: true, hasTerminal: true }, /--private forbids/],
    ['a private command as it is', { words: ['a'], isPrivate: true, shell: 'none' }, /--private forbids/],
    ['a script as it is', { script: { name: 'a.ps1', text: '' }, shell: 'none' }, /--shell none starts none/],
    ['no words as they are', { shell: 'none', hasTerminal: true }, /no shell to open/],
    ['a script of cmd', { script: { name: 'a.cmd', text: '' } }, /only PowerShell scripts/],
    ['a script for cmd', { script: { name: 'a.ps1', text: '' }, shell: 'cmd' }, /only PowerShell scripts/],
    ['lines for cmd', { words: ['ver\ndir'], shell: 'cmd' }, /ends at a line break/],
    ['a line that cmd does not take', { words: ['x'.repeat(8_001)], shell: 'cmd' }, /8001 characters/],
    ['what a batch file cannot get', { words: ['npm.cmd', '100%'] }, /batch file/],
    ['a quotation mark for cmd', { words: ['cmd', '/c', 'type "C:\\Program Files\\x"'] }, /no argument can hold a quotation mark/],
    ['a quotation mark for a script host', { words: ['cscript.exe', 'x.vbs', '"a"'] }, /knows no way to write one/],
    ['what is another thing in PowerShell', { words: ['sc', 'query', 'kubelet'] }, /Set-Content .* not sc\.exe/],
    ['what is another thing in PowerShell 7', { words: ['where', 'x'], shell: 'pwsh' }, /Where-Object/],
    ['a command line that Windows does not take', { words: ['x.exe', 'a'.repeat(32_767)] }, /Windows takes 32766/],
    ['one as it is', { words: ['x', 'a'.repeat(32_767)], shell: 'none' }, /Windows takes 32766/],
    ['a long command with a terminal', { words: ['x.exe', 'a'.repeat(3_000)], hasTerminal: true }, /too long for -t/],
  ] as const satisfies readonly (readonly [string, Partial<CommandRequest>, RegExp])[]) {
    it(`refuses ${what}, and says what to do`, () => assert.match(refusal(request), text));
  }

  // -it was given where it is refused: standard input was no terminal
  it('says of a shell what it takes', () => {
    const transport = planTransport(BASE);
    assert.match('refused' in transport ? transport.suggestions.join('\n') : '', /-it, which takes a terminal/);
  });

  it('knows that PowerShell 7 has no alias for sc and curl', () => {
    for (const name of ['sc', 'curl']) assert.equal(planned({ words: [name, 'x'], shell: 'pwsh' }).kind, 'encoded');
  });

  it('says that cmd reads words that are sent as they are, and what nodes take them', () => {
    assert.match(planned({ words: ['x', 'a'], shell: 'none' }).notes.join(), /cmd \/c/);
    assert.match(planned({ words: ['x', 'a'.repeat(9_000)], shell: 'none' }).notes.join(), /before Windows Server 2022 alone/);
  });

  it('shows nothing of a private command or a script in the request', () => {
    const shown = planned({ words: ['a'], isPrivate: true }).argv;
    for (const request of [{ words: ['secret', 'word'], isPrivate: true }, { script: { name: 'b.ps1', text: 'secret' }, words: ['word'] }] as const) assert.deepEqual(planned(request).argv, shown);
  });

  const seed = testSeed();
  it(`hands on every command and its stdin as they are, or refuses them: ${CASES} cases, seed ${seed}`, function () {
    this.timeout(120_000);
    const random = seededRandom(seed);
    const counts = new Map<string, number>();
    for (let index = 0; index < CASES; index += 1) {
      const request = randomRequest(random);
      const stdin = random.chance(50) ? randomBytes(random, random.chance(1) ? 100_000 : 40) : new Uint8Array(0);
      const outcome = check(request, stdin, random.pick(NODES));
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    }
    const summary = [...counts].toSorted(([a], [b]) => a.localeCompare(b));
    process.stdout.write(`      ${summary.map(([outcome, count]) => `${outcome} ${count}`).join(', ')}\n`);
    for (const outcome of ['program', 'batch', 'call', 'code', 'script', 'cmd', 'as it is', 'NotFound', 'refused']) assert.ok((counts.get(outcome) ?? 0) >= 100, `${outcome}: ${counts.get(outcome) ?? 0}`);
  });
});

const COMMANDS = ['x.exe', 'C:\\Program Files\\a b\\x.exe', 'tool', 'npm', 'npm.cmd', 'C:\\a b\\y.bat', 'Get-Thing', 'Stop-Thing', 'no-such', 'é,x.exe'];

function randomRequest(random: Random): CommandRequest {
  const long = random.chance(1) ? ['x'.repeat(random.below(100_000)), randomWord(random).repeat(300)] : [];
  const words = [...randomWords(random, 5), ...long];
  const options = { isPrivate: random.chance(20), errorAction: random.pick(['stop', 'continue'] as const), nonce: random.below(2 ** 31).toString(16).padStart(16, '0') };
  const shell = random.pick<Shell>(['powershell', 'powershell', 'pwsh', 'cmd', 'none']);
  if (shell === 'none') return { ...BASE, ...options, isPrivate: false, shell, words: ['x.exe', ...words] };
  if (shell === 'cmd') return { ...BASE, ...options, shell, words: [random.pick(COMMANDS.filter((name) => find(name) !== 'cmdlet')), ...words, 'last'] };
  if (random.chance(15)) return { ...BASE, ...options, shell, words, script: { name: 'a.ps1', text: [...randomWords(random, 9), ...long].join('') } };
  if (random.chance(15)) return { ...BASE, ...options, shell, words: [`${randomWord(random)}${random.pick(['', ...long])}#`] };
  const hasTerminal = random.chance(10);
  return { ...BASE, ...options, isPrivate: options.isPrivate && !hasTerminal, hasTerminal, shell, words: [random.pick(COMMANDS), ...words, 'last'] };
}

/** What has become of a request, in a word, once it is certain that it is what was asked for. */
function check(request: CommandRequest, stdin: Uint8Array, node: ModelNode): string {
  const { words, shell, script, hasTerminal } = request;
  const [command = '', ...rest] = words;
  const label = JSON.stringify(request).slice(0, 1_000);
  const transport = planTransport(request);
  const isUnread = [...words, script?.text ?? ''].some((text) => text.includes('\ufffd'));
  assert.equal('refused' in transport && transport.refused.includes('no UTF-8'), isUnread, label);
  if (isUnread) return 'refused';
  if ('refused' in transport) {
    assert.match(transport.refused, /batch file|line break|too long|characters long/, label);
    const isLong = words.join('').length > 600;
    const isNoLine = shell === 'cmd' && words.some((word) => /[\r\n]/.test(word));
    const isForBatch = /\.(?:cmd|bat)$/.test(command) || shell === 'cmd';
    assert.ok(isLong || isNoLine || (isForBatch && rest.some((word) => /["%\r\n]|\\$/.test(word))), `${transport.refused}: ${label}`);
    return 'refused';
  }
  if (shell === 'none') return checkVerbatim(transport, rest, stdin, node, label);
  assert.equal(joinedLength(transport.argv), shimLine(transport.argv, { hasBindFilters: true }).length, label);
  assert.ok(joinedLength(transport.argv) <= LINE_LIMIT, label);
  const arrival = arrive(transport, stdin, node);
  if (typeof arrival === 'string') {
    if (arrival === 'NotFound') assert.equal(shell !== 'cmd' && find(command), null, label);
    else if (arrival === 'Refused') assert.ok(find(command) === 'batch' && rest.some((word) => /["%\r\n]|\\$/.test(word)), label);
    else assert.ok(words.join('').length > 4_000, `${arrival}: ${label}`);
    return arrival;
  }
  assert.deepEqual([...arrival.stdin], [...stdin], label);
  assert.equal(arrival.nonce, hasTerminal ? '' : request.nonce, label);
  assert.equal(arrival.errorAction, request.errorAction === 'stop' ? 'Stop' : 'Continue', label);
  if (script !== null) {
    assert.deepEqual([arrival.kind, arrival.text, spoken(arrival, words)], ['code', script.text.replace(/^\ufeff/, ''), words], label);
    return 'script';
  }
  if (words.length === 1) {
    assert.deepEqual([arrival.kind, arrival.text], ['code', command], label);
    return 'code';
  }
  assert.equal(arrival.text, command, label);
  assert.deepEqual(arrival.kind === 'call' ? spoken(arrival, rest) : arrival.words, rest, label);
  return shell === 'cmd' ? 'cmd' : arrival.kind;
}

function checkVerbatim(transport: Transport, words: readonly string[], stdin: Uint8Array, node: ModelNode, label: string): string {
  assert.ok(transport.notes.length > 0, label);
  // cmd reads these, which the note says; the shim puts its own folder for its variable
  if (words.some((word) => word.includes('CONTAINER_SANDBOX_MOUNT_POINT')) || (node.hasBindFilters && /[%^&|<>()"\r\n]/.test(words.join(''))) || joinedLength(transport.argv) > LINE_LIMIT) return 'read by cmd';
  const arrival = arrive(transport, stdin, node);
  assert.ok(typeof arrival !== 'string', label);
  assert.deepEqual([arrival.words, [...arrival.stdin]], [words, [...stdin]], label);
  return 'as it is';
}

/** Values and parameters of a call as they were typed. */
function spoken({ bound }: Arrival, words: readonly string[]): readonly string[] {
  return bound.map((one, at) => {
    if ('value' in one) return one.value;
    const name = `-${one.parameter}`;
    if (one.with === undefined) return one.takesNext ? `${name}:` : name;
    // $true, $False and $null: PowerShell's own, in any case
    return typeof one.with === 'string' ? `${name}:${one.with}` : words[at] ?? '';
  });
}

describe('planNamedScript', () => {
  it('sends a script of the program by stdin, with its arguments, and leaves the rest of stdin to it', () => {
    const transport = planNamedScript({ name: 'copy-send', version: 2, text: "param($a)\n'it''s'", arguments: { path: "C:\\it's" } }, NONCE);
    assert.deepEqual([transport.kind, transport.opensStdin, transport.nonce], ['framed', true, NONCE]);
    const arrival = arrive(transport, Buffer.from('abc'));
    assert.ok(typeof arrival !== 'string');
    assert.deepEqual([arrival.text, arrival.bound, Buffer.from(arrival.stdin).toString()], ["param($a)\n'it''s'", [{ value: '{"path":"C:\\\\it\'s"}' }], 'abc']);
  });
});
