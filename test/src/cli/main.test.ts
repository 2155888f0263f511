import assert from 'node:assert/strict';
import { BaseCommand, type CommandClass } from '../../../src/cli/base-command.ts';
import { booleanFlag, globalFlags, integerFlag, inventoryFlags, outputFlag, stringFlag, stringsFlag } from '../../../src/cli/flags.ts';
import { ClusterError, UsageError } from '../../../src/errors.ts';
import { runCommand, type RunResult } from '../../support/run-command.ts';

/** A command that prints what it was given. */
class Echo extends BaseCommand<typeof Echo> {
  static override summary = 'Print what was given';
  static override description = 'Print what was given.';
  static override aliases = ['ec'];
  static override examples = ['# Print a\nkubectl win echo a'];
  static override args = { word: Object.assign({}, wordArg()) };
  static override flags = {
    output: outputFlag(['json']), selector: stringFlag({ char: 'l', description: 'A selector.' }), watch: booleanFlag({ char: 'w', description: 'Watch.' }),
    headers: booleanFlag({ default: true, description: 'Headers.' }), label: stringsFlag({ char: 'L', separator: ',', description: 'Labels.' }),
    size: integerFlag({ default: 500, min: 0, description: 'Size.' }), ...inventoryFlags,
  };

  async run(): Promise<number> {
    const { output, selector, watch, headers, label, size, namespace } = this.flags;
    this.stdout.write(JSON.stringify({ output, selector, watch, headers, label, size, namespace, words: this.words, afterDash: this.afterDash }));
    return 0;
  }
}

function wordArg(): { name: string; description: string; multiple: boolean; parse: (input: string) => Promise<string>; input: string[]; required: false } {
  return { name: 'word', description: 'Words.', multiple: true, parse: async (input) => input, input: [], required: false };
}

/** A command whose arguments behind `--` are another program's. */
class Exec extends BaseCommand<typeof Exec> {
  static override summary = 'Run';
  static override description = 'Run.';
  static override separatesDash = true;
  static override args = { node: { ...wordArg(), multiple: false } };

  async run(): Promise<number> {
    this.stdout.write(JSON.stringify({ words: this.words, afterDash: this.afterDash }));
    return 0xc0000005;
  }
}

/** A command whose first word is one too. */
class EchoLoud extends Echo {
  static override summary = 'Print loudly';
  static override flags = { ...Echo.flags, volume: integerFlag({ default: 1, description: 'Volume.' }) };
}

class Fail extends BaseCommand<typeof Fail> {
  static override summary = 'Fail';
  static override description = 'Fail.';
  async run(): Promise<void> {
    if (this.flags.context === 'usage') throw new UsageError('wrong');
    if (this.flags.context === 'cluster') throw new ClusterError('Error from server (Forbidden): no', { reason: 'Forbidden' });
    throw new TypeError('broken');
  }
}

const commands: Readonly<Record<string, CommandClass>> = { echo: Echo, 'hostprocess exec': Exec, fail: Fail };
const run = (...argv: string[]): Promise<RunResult> => runCommand(argv, { commands, stdin: 'piped text\n' });
const echoed = async (...argv: string[]): Promise<Record<string, unknown>> => {
  const { stdout, stderr } = await run(...argv);
  assert.equal(stderr, '');
  return JSON.parse(stdout) as Record<string, unknown>;
};

const DEFAULTS = { watch: false, headers: true, label: [], size: 500, words: [], afterDash: null };

// each trap of oclif's parser, as kubectl reads it
describe('main', () => {
  const read: readonly [string, readonly string[], Record<string, unknown>][] = [
    ['no flag at all, and never the piped text', ['echo'], {}],
    ['flags before the command', ['-n', 'x', 'echo', 'a'], { namespace: 'x', words: ['a'] }],
    ['flags of the command before it', ['-l', 'a=b', '-w', 'echo', 'a'], { selector: 'a=b', watch: true, words: ['a'] }],
    ['flags behind arguments', ['echo', 'a', '-ojson', 'b', '-w'], { output: 'json', watch: true, words: ['a', 'b'] }],
    ['repeated flags', ['echo', '-n', 'a', '-n', 'b'], { namespace: 'b' }],
    ['--x=false', ['echo', '--watch=false', '--headers=false', 'a'], { headers: false, words: ['a'] }],
    ['a list flag that is not greedy', ['echo', '-L', 'a,b', 'word', '-Lc'], { label: ['a', 'b', 'c'], words: ['word'] }],
    ['a value that looks like a flag', ['echo', '-l', '-w', '--size=0'], { selector: '-w', size: 0 }],
    ['an empty value', ['echo', '--selector=', 'a'], { selector: '', words: ['a'] }],
    ['-- as the end of the flags', ['echo', 'b', '--', '-w', 'a', 'a'], { words: ['b', '-w', 'a', 'a'] }],
    ['arguments that repeat, in their order', ['echo', 'b', 'a', 'b'], { words: ['b', 'a', 'b'] }],
    ['an alias', ['ec', 'a'], { words: ['a'] }],
    ['a negative-looking argument', ['echo', '--', '-1'], { words: ['-1'] }],
  ];
  for (const [name, argv, expected] of read) {
    it(`reads ${name}`, async () => assert.deepEqual(await echoed(...argv), { ...DEFAULTS, ...expected }));
  }

  it('hands what follows -- to a command that asks for it, untouched', async () => {
    const { stdout } = await run('hostprocess', 'exec', 'node1', '-n', 'x', '--', 'cmd', '/c', '-n', 'ver', 'cmd');
    assert.deepEqual(JSON.parse(stdout), { words: ['node1'], afterDash: ['cmd', '/c', '-n', 'ver', 'cmd'] });
  });

  it('tells NODE from COMMAND when there is no NODE', async () => {
    const { stdout } = await run('hostprocess', 'exec', '--', 'cmd');
    assert.deepEqual(JSON.parse(stdout), { words: [], afterDash: ['cmd'] });
  });

  it('finds the words of a command with flags between them', async () => {
    const { stdout } = await run('hostprocess', '-n', 'x', 'exec', 'node1');
    assert.deepEqual(JSON.parse(stdout), { words: ['node1'], afterDash: null });
  });

  it('clamps a Windows exit code and says what it was', async () => {
    const { exitCode, stderr } = await run('hostprocess', 'exec', 'node1');
    assert.deepEqual([exitCode, stderr], [5, 'exit code 3221225477 does not fit into 8 bits: exiting with 5\n']);
  });

  const refused: readonly [readonly string[], string][] = [
    [['ecoh'], 'error: unknown command "ecoh" for "kubectl win"\n\nDid you mean this?\n\techo\n\nSee \'kubectl win --help\' for usage.\n'],
    [['zzzzzz'], 'error: unknown command "zzzzzz" for "kubectl win"\nSee \'kubectl win --help\' for usage.\n'],
    [['hostprocess', 'exce'], 'error: unknown command "exce" for "kubectl win hostprocess"\n\nDid you mean this?\n\texec\n\nSee \'kubectl win --help\' for usage.\n'],
    [['hostprocess:exec'], 'error: unknown command "hostprocess:exec" for "kubectl win"\n\nDid you mean this?\n\thostprocess\n\nSee \'kubectl win --help\' for usage.\n'],
    [['--foo'], "error: unknown flag: --foo\nSee 'kubectl win --help' for usage.\n"],
    [['echo', '--wacth'], "error: unknown flag: --wacth\nDid you mean --watch?\nSee 'kubectl win echo --help' for usage.\n"],
    [['--wacth', 'echo'], "error: unknown flag: --wacth\nDid you mean --watch?\nSee 'kubectl win echo --help' for usage.\n"],
    [['echo', '-Z'], "error: unknown shorthand flag: 'Z' in -Z\nSee 'kubectl win echo --help' for usage.\n"],
    [['echo', '-n'], "error: flag needs an argument: 'n' in -n\nSee 'kubectl win echo --help' for usage.\n"],
    [['echo', '--size=x'], 'error: invalid argument "x" for "--size" flag: strconv.ParseInt: parsing "x": invalid syntax\nSee \'kubectl win echo --help\' for usage.\n'],
    [['echo', '-v', 'x'], 'error: invalid argument "x" for "-v, --v" flag: strconv.ParseInt: parsing "x": invalid syntax\nSee \'kubectl win echo --help\' for usage.\n'],
    [['hostprocess', 'exec', 'a', 'b', 'c'], "error: extra arguments: [b c]\nSee 'kubectl win hostprocess exec --help' for usage.\n"],
    [['help', 'zzzzzz'], 'error: unknown command "zzzzzz" for "kubectl win"\nSee \'kubectl win --help\' for usage.\n'],
  ];
  for (const [argv, stderr] of refused) {
    it(`refuses ${argv.join(' ')}`, async () => {
      const result = await run(...argv);
      assert.deepEqual([result.stdout, result.stderr, result.exitCode], ['', stderr, 2]);
    });
  }

  it('maps errors to exit codes', async () => {
    assert.deepEqual(await run('fail', '--context', 'usage').then(({ exitCode, stderr }) => [exitCode, stderr]), [2, "error: wrong\nSee 'kubectl win fail --help' for usage.\n"]);
    assert.deepEqual(await run('fail', '--context', 'cluster').then(({ exitCode, stderr }) => [exitCode, stderr]), [3, 'Error from server (Forbidden): no\n']);
    const bug = await run('fail');
    assert.equal(bug.exitCode, 70);
    assert.match(bug.stderr, /^error: internal error: broken\nThis is a defect/);
    assert.match((await run('fail', '-v6')).stderr, /\n\s+at /);
  });

  it('says on stderr from -v=1 on that a flag has no effect', async () => {
    assert.equal((await run('echo', '--vmodule=a=1')).stderr, '');
    assert.equal((await run('echo', '--vmodule=a=1', '-v=1')).stderr, '--vmodule is accepted and has no effect: it selects files of Go programs\n');
  });

  describe('of commands that begin with another one', () => {
    const nested: Readonly<Record<string, CommandClass>> = { echo: Echo, 'echo loud': EchoLoud, 'echo loud twice': EchoLoud };
    const words = async (...argv: string[]): Promise<unknown> => (JSON.parse((await runCommand(argv, { commands: nested })).stdout) as { words: unknown }).words;

    it('takes the one with the most words', async () => {
      assert.deepEqual([await words('echo', 'a'), await words('echo', 'loud', 'a'), await words('echo', 'loud', 'twice', 'a'), await words('echo', 'lou'), await words('echo', 'loud')], [['a'], ['a'], ['a'], ['lou'], []]);
    });

    it('reads past the flags of both', async () => {
      assert.deepEqual([await words('echo', '-o', 'json', 'loud', 'a'), await words('echo', '--volume', '3', 'loud', 'a'), await words('-l', 'loud', 'echo', 'a')], [['a'], ['a'], ['a']]);
    });

    it('takes such a word behind -- for an argument', async () => assert.deepEqual(await words('echo', '--', 'loud'), ['loud']));

    it('lists them in the help of the first', async () => {
      const { stdout } = await runCommand(['help', 'echo'], { commands: nested });
      assert.match(stdout, /\n\nAvailable Commands:\n {2}loud {9}Print loudly\n {2}loud twice {3}Print loudly\n\nOptions:\n/);
      assert.match(stdout, /\n\nUse "kubectl win echo <command> --help" for more information about a given command\.\nUse "kubectl win options"/);
      assert.match((await runCommand(['echo', 'loud', '-h'], { commands: nested })).stdout, /--volume=1:/);
      assert.match((await runCommand([], { commands: nested })).stdout, /\n {2}echo {3}Print what was given\n/);
    });
  });

  describe('help', () => {
    it('is what no words at all print', async () => {
      const { stdout, exitCode, stderr } = await run();
      assert.deepEqual([exitCode, stderr], [0, '']);
      assert.match(stdout, /\nAvailable Commands:\n {2}echo {10}Print what was given\n {2}fail {10}Fail\n {2}hostprocess {3}Reach Windows nodes themselves, through HostProcess pods that are removed again: exec\n/);
      assert.match(stdout, /\nUsage:\n {2}kubectl win \[flags\] \[options\]\n\nUse "kubectl win <command> --help" for more information about a given command\.\nUse "kubectl win options" for a list of global command-line options \(applies to all commands\)\.\n$/);
      assert.equal((await run('--help')).stdout, stdout);
      assert.equal((await run('-h')).stdout, stdout);
      assert.equal((await run('help')).stdout, stdout);
    });

    it('of a command is the same from every spelling', async () => {
      const { stdout, exitCode, stderr } = await run('echo', '--help');
      assert.deepEqual([exitCode, stderr], [0, '']);
      assert.equal(stdout.split('\n')[0], 'Print what was given.');
      assert.match(stdout, /\nAliases:\necho, ec\n\nExamples:\n {2}# Print a\n {2}kubectl win echo a\n\nOptions:\n/);
      assert.match(stdout, /\n {4}-w, --watch=false:\n\tWatch\.\n/);
      assert.match(stdout, /\n {4}--headers=true:\n\tHeaders\.\n/);
      assert.match(stdout, /\n {4}-L, --label=\[\]:\n\tLabels\.\n/);
      assert.match(stdout, /\n {4}--size=500:\n\tSize\.\n/);
      assert.match(stdout, /\n {4}-l, --selector='':\n\tA selector\.\n/);
      assert.match(stdout, /\nUsage:\n {2}kubectl win echo \[WORD\.\.\.\] \[flags\] \[options\]\n\nUse "kubectl win options"/);
      for (const name of Object.keys(globalFlags)) assert.ok(!stdout.includes(` --${name}=`), `--${name} is global`);
      for (const argv of [['echo', '-h'], ['-h', 'echo'], ['help', 'echo'], ['echo', 'a', '-wh', 'b'], ['ec', '--help']]) {
        assert.equal((await run(...argv)).stdout, stdout, argv.join(' '));
      }
    });

    it('is not what --help behind -- or as a value asks for', async () => {
      assert.deepEqual((await echoed('echo', '--', '--help'))['words'], ['--help']);
      assert.equal((await echoed('echo', '-l', '--help'))['selector'], '--help');
    });

    it('of a group lists its commands', async () => {
      const { stdout, exitCode } = await run('hostprocess');
      assert.equal(exitCode, 0);
      assert.match(stdout, /^Reach Windows nodes themselves, through HostProcess pods that are removed again\.\n\nAvailable Commands:\n {2}exec {3}Run\n/);
    });

    it('names the program as it was called', async () => {
      assert.match((await runCommand(['echo', '-h'], { commands, programName: 'kubectl winops' })).stdout, /\n {2}kubectl winops echo \[WORD\.\.\.\]/);
    });
  });
});
