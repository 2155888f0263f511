import assert from 'node:assert/strict';
import { cmdLineOf } from '../../../../../src/domain/hostprocess/command/cmd-line.ts';
import { seededRandom, testSeed } from '../../../../support/random.ts';
import { commandLineToArgv, cRuntimeArgv } from '../../../../support/windows-model/arguments.ts';
import { batchArguments, runCmd } from '../../../../support/windows-model/cmd.ts';
import { randomWords } from '../../../../support/windows-model/random-words.ts';

const CASES = 20_000;

/** Variables that would do harm, and some that cmd has by itself. */
const ENVIRONMENT = { PATH: 'C:\\Windows;"', A: '& calc', x: '"', CD: 'C:\\hpc', CONTAINER_SANDBOX_MOUNT_POINT: 'C:\\hpc\\' };

describe('cmdLineOf', () => {
  for (const [words, line] of [
    [['echo', 'a&b', '100%'], 'echo ^"a^&b^" ^"100^%^"'],
    [['dir', '/b', 'C:\\'], 'dir /b C:\\'],
    [['C:\\Program Files\\x.exe', 'say "hi"'], '"C:\\Program Files\\x.exe" ^"say \\^"hi\\^"^"'],
    [['x.exe', '%PATH:a=b%'], 'x.exe ^"^%^PATH:a=b^%^"'],
    [['npm.cmd', 'a^b', 'c'], 'npm.cmd "a^b" c'],
    [['npm.cmd'], 'npm.cmd'],
    [['a&b.exe'], '"a&b.exe"'],
    [['@echo', 'x'], '"@echo" x'],
    [['npm', 'C:\\', '--a=b'], 'npm C:\\ ^"--a=b^"'],
    [['msiexec', '/i', 'A=1'], 'msiexec /i A=1'],
    [['msiexec', '/i', 'A=a b'], 'msiexec /i A=^"a b^"'],
    [['find', '/c', 'a&"b', 'x.log'], 'find /c ^"a^&^"^"b^" x.log'],
    [['set', 'A=a b'], 'set ^"A=a b^"'],
  ] as const) {
    it(`writes ${words.join(' ')} as ${line}`, () => assert.equal(cmdLineOf(words), line));
  }

  for (const [words, refused] of [
    [['echo', 'a\nb'], /line break/], [['echo', 'a\rb'], /line break/], [['100%.exe', 'a'], /called "100%\.exe"/], [['a"b', 'a'], /called/], [['', 'a'], /called ""/],
    [['npm', 'a"b'], /may be a batch file/], [['npm', 'C:\\a b\\'], /may be a batch file/], [['npm.cmd', '%PATH%'], /is a batch file/], [['x.BAT. ', 'a"b'], /is a batch file/], [['for', '%i', 'in'], /part of cmd's language/], [['IF', 'a'], /part of cmd's language/], [['call', 'x.bat'], /language/],
    [['cscript', 'x.vbs', '"'], /knows no way to write one/],
    [['C:\\Windows\\System32\\cmd.exe', '/c', 'echo "a&calc"'], /no argument can hold a quotation mark/],
  ] as const) {
    it(`refuses ${JSON.stringify(words)}, and says what to do`, () => {
      const line = cmdLineOf(words);
      assert.ok(typeof line !== 'string');
      assert.match(line.refused, refused);
      assert.ok(line.suggestions.length > 0);
    });
  }

  const seed = testSeed();
  it(`gives programs and batch files their words back, and cmd nothing else to run: ${CASES} cases, seed ${seed}`, function () {
    this.timeout(60_000);
    const random = seededRandom(seed);
    const commands = ['x.exe', 'C:\\Program Files\\x.com', 'a&b ^c.exe', 'echo', 'npm', 'npm.cmd', 'C:\\a b\\y.bat', 'tool', 'a(b).exe', 'é,x.exe', 'C:/x/y.exe'];
    const counts = new Map<string, number>();
    for (let index = 0; index < CASES; index += 1) {
      const command = random.pick(commands);
      const words = randomWords(random, 4);
      const line = cmdLineOf([command, ...words]);
      const isBatch = /\.(?:cmd|bat)$/.test(command);
      const kind = typeof line === 'string' ? (isBatch ? 'batch files' : 'programs') : 'refused';
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (typeof line !== 'string') continue;
      const { starts, operators } = runCmd(` /d /v:off /s /c "${line}"`, ENVIRONMENT);
      assert.deepEqual(operators, [], line);
      assert.equal(starts.length, 1, line);
      const [start] = starts;
      assert.equal(start?.name, command, line);
      if (isBatch) assert.deepEqual(batchArguments(start.tail), words, line);
      else {
        assert.deepEqual(commandLineToArgv(start.line).slice(1), words, line);
        assert.deepEqual(cRuntimeArgv(start.line).slice(1), words, line);
      }
    }
    for (const kind of ['programs', 'batch files', 'refused']) assert.ok((counts.get(kind) ?? 0) > CASES / 100, `${kind}: ${counts.get(kind) ?? 0}`);
    process.stdout.write(`      ${[...counts].map(([kind, count]) => `${count} ${kind}`).join(', ')}\n`);
  });
});
