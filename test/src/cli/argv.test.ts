import assert from 'node:assert/strict';
import { findWords, parseArgv, toOclifArgv, unguard, type FlagSpecs } from '../../../src/cli/argv.ts';
import { UsageError } from '../../../src/errors.ts';

const SPECS = {
  namespace: { type: 'option', char: 'n' },
  output: { type: 'option', char: 'o' },
  'all-namespaces': { type: 'boolean', char: 'A' },
  watch: { type: 'boolean', char: 'w' },
  headers: { type: 'boolean', default: true },
  'as-group': { type: 'option', multiple: true },
  'chunk-size': { type: 'option', valueKind: 'integer', min: 0 },
  'request-timeout': { type: 'option', valueKind: 'duration' },
  'dry-run': { type: 'option', bareValue: 'client' },
  'fail-on': { type: 'option', options: ['error', 'warning', 'info'] },
} as const satisfies FlagSpecs;

function parse(...argv: string[]): { flags: Record<string, readonly string[]>; words: readonly string[]; afterDash: readonly string[] | null; help: boolean } {
  const { flags, ...rest } = parseArgv(argv, SPECS, 0);
  return { flags: Object.fromEntries(flags), ...rest };
}

describe('parseArgv', () => {
  const accepted: readonly [string, readonly string[], Record<string, readonly string[]>, readonly string[]][] = [
    ['a value after a space', ['-o', 'json'], { output: ['json'] }, []],
    ['a value glued to the letter', ['-ojson'], { output: ['json'] }, []],
    ['a value after a letter and =', ['-o=json'], { output: ['json'] }, []],
    ['letters in a row, the last with a value', ['-Aojson'], { 'all-namespaces': ['true'], output: ['json'] }, []],
    ['letters in a row, the value apart', ['-Ao', 'json', 'x'], { 'all-namespaces': ['true'], output: ['json'] }, ['x']],
    ['a long flag with =', ['--output=json'], { output: ['json'] }, []],
    ['a value that holds =', ['--output=jsonpath={.a}=b'], { output: ['jsonpath={.a}=b'] }, []],
    ['an empty value', ['--namespace=', 'x'], { namespace: [''] }, ['x']],
    ['flags between arguments', ['a', '-n', 'x', 'b'], { namespace: ['x'] }, ['a', 'b']],
    ['a repeated flag: the last wins', ['-n', 'a', '-n', 'b'], { namespace: ['b'] }, []],
    ['a repeated switch: the last wins', ['--watch', '--watch=false'], { watch: ['false'] }, []],
    ['a switch with =true', ['-w=true', 'x'], { watch: ['true'] }, ['x']],
    ['Go spellings of truth', ['--watch=T', '-A=0'], { watch: ['true'], 'all-namespaces': ['false'] }, []],
    ['a switch does not eat the next word', ['--watch', 'false'], { watch: ['true'] }, ['false']],
    ['a flag that can be given several times is not greedy', ['--as-group', 'g1', 'pod1', '--as-group=g2'], { 'as-group': ['g1', 'g2'] }, ['pod1']],
    ['a flag with a bare value', ['--dry-run', 'pod1'], { 'dry-run': ['client'] }, ['pod1']],
    ['a flag with a bare value, given', ['--dry-run=server'], { 'dry-run': ['server'] }, []],
    ['a value that looks like a flag', ['-n', '-A'], { namespace: ['-A'] }, []],
    ['a single dash is an argument', ['-', '-n', '-'], { namespace: ['-'] }, ['-']],
    ['plain seconds', ['--request-timeout', '30'], { 'request-timeout': ['30'] }, []],
    ['a Go duration', ['--request-timeout=1m30s'], { 'request-timeout': ['1m30s'] }, []],
  ];
  for (const [name, argv, flags, words] of accepted) {
    it(`reads ${name}`, () => {
      const result = parse(...argv);
      assert.deepEqual(result.flags, flags);
      assert.deepEqual(result.words, words);
    });
  }

  it('keeps what follows -- apart, in order, flags and repeats included', () => {
    const result = parse('node1', '-n', 'x', '--', 'cmd', '-n', 'y', 'cmd', '--', '--help');
    assert.deepEqual(result.words, ['node1']);
    assert.deepEqual(result.afterDash, ['cmd', '-n', 'y', 'cmd', '--', '--help']);
    assert.deepEqual(result.flags, { namespace: ['x'] });
    assert.equal(result.help, false);
  });

  it('tells an absent -- from one with nothing behind it', () => {
    assert.equal(parse('a').afterDash, null);
    assert.deepEqual(parse('a', '--').afterDash, []);
  });

  it('takes the words of the command off', () => {
    assert.deepEqual(parseArgv(['-n', 'x', 'hostprocess', '-A', 'exec', 'node1'], SPECS, 2).words, ['node1']);
  });

  it('sees help anywhere before --, and --help=false', () => {
    assert.equal(parse('a', '-h').help, true);
    assert.equal(parse('--help', 'a').help, true);
    assert.equal(parse('-Ah').help, true);
    assert.equal(parse('--help=false').help, false);
  });

  // messages of kubectl v1.32 and v1.37 for the same input
  const refused: readonly [readonly string[], string, string?][] = [
    [['--foo'], 'unknown flag: --foo'],
    [['--foo=1'], 'unknown flag: --foo'],
    [['--no-watch'], 'unknown flag: --no-watch'],
    [['--wacth'], 'unknown flag: --wacth', 'Did you mean --watch?'],
    [['-Z'], "unknown shorthand flag: 'Z' in -Z"],
    [['-Axyz'], "unknown shorthand flag: 'x' in -xyz"],
    [['--namespace'], 'flag needs an argument: --namespace'],
    [['-n'], "flag needs an argument: 'n' in -n"],
    [['-An'], "flag needs an argument: 'n' in -n"],
    [['--watch=maybe'], 'invalid argument "maybe" for "-w, --watch" flag: strconv.ParseBool: parsing "maybe": invalid syntax'],
    [['--watch='], 'invalid argument "" for "-w, --watch" flag: strconv.ParseBool: parsing "": invalid syntax'],
    [['--chunk-size=abc'], 'invalid argument "abc" for "--chunk-size" flag: strconv.ParseInt: parsing "abc": invalid syntax'],
    [['--chunk-size=1.5'], 'invalid argument "1.5" for "--chunk-size" flag: strconv.ParseInt: parsing "1.5": invalid syntax'],
    [['--chunk-size=99999999999999999999'], 'invalid argument "99999999999999999999" for "--chunk-size" flag: strconv.ParseInt: parsing "99999999999999999999": value out of range'],
    [['--chunk-size=-1'], 'invalid argument "-1" for "--chunk-size" flag: must be at least 0'],
    [['--request-timeout=abc'], 'invalid argument "abc" for "--request-timeout" flag: must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)'],
    [['--fail-on=eror'], 'invalid argument "eror" for "--fail-on" flag: must be one of: error, warning, info (did you mean error?)'],
    [['---x'], 'bad flag syntax: ---x'],
    [['--=x'], 'bad flag syntax: --=x'],
  ];
  for (const [argv, message, suggestion] of refused) {
    it(`refuses ${argv.join(' ')} in pflag's words`, () => {
      assert.throws(() => parse(...argv), (error: unknown) => {
        assert(error instanceof UsageError);
        assert.equal(error.message, message);
        assert.deepEqual(error.suggestions, suggestion === undefined ? [] : [suggestion]);
        return true;
      });
    });
  }

  it('does not take names of Object.prototype for flags', () => {
    assert.throws(() => parse('--constructor'), /unknown flag: --constructor/);
    assert.throws(() => parse('--__proto__=1'), /unknown flag: --__proto__/);
  });
});

describe('findWords', () => {
  const cases: readonly [string, readonly string[], readonly string[]][] = [
    ['flags before the command', ['-n', 'x', 'nodes', 'a'], ['nodes', 'a']],
    ['a flag with = before the command', ['--namespace=x', 'nodes'], ['nodes']],
    ['letters in a row before the command', ['-An', 'x', 'nodes'], ['nodes']],
    ['a letter with its value glued on', ['-nx', 'nodes'], ['nodes']],
    ['a letter with = and its value', ['-n=x', 'nodes'], ['nodes']],
    ['a switch before the command', ['-A', 'nodes'], ['nodes']],
    ['a flag that nobody knows', ['--foo', 'nodes'], ['nodes']],
    ['what follows --', ['nodes', '--', 'a'], ['nodes']],
  ];
  for (const [name, argv, words] of cases) {
    it(`reads past ${name}`, () => assert.deepEqual(findWords(argv, SPECS).words, words));
  }
});

describe('toOclifArgv', () => {
  it('puts flags first as pairs and arguments behind --', () => {
    const parsed = parseArgv(['a', '-ojson', '--headers=false', '-w=false', '-A', '--as-group=g1', 'b', '--as-group', 'g2'], SPECS, 0);
    assert.deepEqual(toOclifArgv(parsed, SPECS), ['--output', 'json', '--no-headers', '--all-namespaces', '--as-group', 'g1', '--as-group', 'g2', '--', 'a', 'b']);
  });

  it('guards values that oclif would take for flags, and unguard gives them back', () => {
    const argv = toOclifArgv(parseArgv(['-n', '-A', '--as-group=--watch', '--as-group=-x1', '--as-group=--no-watch', '--as-group', '--watch=1'], SPECS, 0), SPECS);
    assert.deepEqual(argv, ['--namespace', '\u0000-A', '--as-group', '\u0000--watch', '--as-group', '\u0000-x1', '--as-group', '\u0000--no-watch', '--as-group', '\u0000--watch=1', '--']);
    assert.equal(unguard('\u0000-A'), '-A');
    assert.deepEqual(unguard(['\u0000--watch', 'x']), ['--watch', 'x']);
    assert.equal(unguard(3), 3);
  });
});
