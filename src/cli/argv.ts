/**
 * Reads the words after `kubectl win` as pflag reads them and hands oclif's parser a form that it cannot
 * misread: flags first as pairs, then `--`, then the arguments. What oclif does otherwise: it refuses repeated
 * flags and flags before the command, takes `--x=false` for true, loses the place of `--`, sorts arguments anew.
 */
import { UsageError } from '../errors.ts';
import { parseDuration } from './duration.ts';
import { nearest } from './suggest.ts';

/** What must be known of a flag to read argv. Both oclif's flag objects and the built manifest have this shape. */
export interface FlagSpec {
  readonly type: 'boolean' | 'option';
  readonly char?: string | undefined;
  readonly multiple?: boolean | undefined;
  readonly options?: readonly string[] | undefined;
  readonly default?: unknown;
  readonly valueKind?: string | undefined;
  readonly bareValue?: string | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

export type FlagSpecs = Readonly<Record<string, FlagSpec>>;

/** The words that are not flags, in order, and what stands after the first `--`. */
export interface Words {
  readonly words: readonly string[];
  readonly afterDash: readonly string[] | null;
}

export interface ParsedArgv {
  /** Values per flag as typed, in order; booleans as `true` and `false`. */
  readonly flags: ReadonlyMap<string, readonly string[]>;
  /** Arguments before `--`, the command's own words taken off. */
  readonly words: readonly string[];
  /** Everything after the first `--`, in order; null when there is none. */
  readonly afterDash: readonly string[] | null;
  /** --help or -h was given (and not `--help=false`). */
  readonly help: boolean;
}

/** Stands before a value that oclif would take for a flag; cannot occur in a real argument. */
const GUARD = '\u0000';

const HELP: FlagSpec = { type: 'boolean', char: 'h' };
/** https://pkg.go.dev/strconv#ParseBool, read 2026-11-30 */
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'true', 'TRUE', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'false', 'FALSE', 'False'].map((text) => [text, false] as const),
]);

interface Names {
  readonly long: ReadonlyMap<string, FlagSpec>;
  readonly short: ReadonlyMap<string, string>;
}

function namesOf(specs: FlagSpecs): Names {
  const long = new Map<string, FlagSpec>([['help', HELP], ...Object.entries(specs)]);
  const short = new Map<string, string>();
  for (const [name, spec] of long) if (spec.char !== undefined) short.set(spec.char, name);
  return { long, short };
}

/** Flags that can stand without a value. */
function isBareAllowed(spec: FlagSpec): boolean {
  return spec.type === 'boolean' || spec.bareValue !== undefined;
}

/**
 * The words of argv that are no flags and no flags' values. Flags that are not known are taken to stand alone,
 * so that the command is found and can then name the flag that it does not know.
 */
export function findWords(argv: readonly string[], specs: FlagSpecs): Words {
  const { long, short } = namesOf(specs);
  const words: string[] = [];
  for (let index = 0; index < argv.length; index++) {
    const token = argv[index] as string;
    if (token === '--') return { words, afterDash: argv.slice(index + 1) };
    if (token.startsWith('--')) {
      if (token.includes('=')) continue;
      const spec = long.get(token.slice(2));
      if (spec !== undefined && !isBareAllowed(spec)) index++;
    } else if (token.startsWith('-') && token !== '-') {
      for (let at = 1; at < token.length; at++) {
        const name = short.get(token[at] as string);
        const spec = name === undefined ? undefined : long.get(name);
        if (spec === undefined || token[at + 1] === '=') break;
        if (isBareAllowed(spec)) continue;
        if (at === token.length - 1) index++;
        break;
      }
    } else {
      words.push(token);
    }
  }
  return { words, afterDash: null };
}

/** Splits argv by the flags of one command. Throws UsageError in pflag's words. */
export function parseArgv(argv: readonly string[], specs: FlagSpecs, commandWords: number): ParsedArgv {
  const { long, short } = namesOf(specs);
  const flags = new Map<string, string[]>();
  const words: string[] = [];
  let afterDash: readonly string[] | null = null;
  let help = false;

  const add = (name: string, spec: FlagSpec, value: string, shown: string): void => {
    const checked = checkValue(spec, value, shown);
    if (name === 'help') help = checked === 'true';
    const known = flags.get(name);
    if (known !== undefined && spec.multiple === true) known.push(checked);
    else flags.set(name, [checked]);
  };
  const shownName = (name: string, spec: FlagSpec): string => (spec.char === undefined ? `--${name}` : `-${spec.char}, --${name}`);

  for (let index = 0; index < argv.length; index++) {
    const token = argv[index] as string;
    if (token === '--') {
      afterDash = argv.slice(index + 1);
      break;
    }
    if (token.startsWith('--')) {
      const equals = token.indexOf('=');
      const name = equals === -1 ? token.slice(2) : token.slice(2, equals);
      if (name === '' || name.startsWith('-')) throw new UsageError(`bad flag syntax: ${token}`);
      const spec = long.get(name);
      if (spec === undefined) throw unknownFlag(name, long);
      if (equals !== -1) add(name, spec, token.slice(equals + 1), shownName(name, spec));
      else if (isBareAllowed(spec)) add(name, spec, spec.bareValue ?? 'true', shownName(name, spec));
      else {
        const value = argv[++index];
        if (value === undefined) throw new UsageError(`flag needs an argument: --${name}`);
        add(name, spec, value, shownName(name, spec));
      }
    } else if (token.startsWith('-') && token !== '-') {
      for (let at = 1; at < token.length; at++) {
        const char = token[at] as string;
        const name = short.get(char);
        const spec = name === undefined ? undefined : long.get(name);
        const rest = token.slice(at);
        if (name === undefined || spec === undefined) throw unknownShorthand(char, rest);
        if (token[at + 1] === '=') {
          add(name, spec, token.slice(at + 2), shownName(name, spec));
          break;
        }
        if (isBareAllowed(spec)) {
          add(name, spec, spec.bareValue ?? 'true', shownName(name, spec));
          continue;
        }
        const value = at + 1 < token.length ? token.slice(at + 1) : argv[++index];
        if (value === undefined) throw new UsageError(`flag needs an argument: '${char}' in -${rest}`);
        add(name, spec, value, shownName(name, spec));
        break;
      }
    } else {
      words.push(token);
    }
  }
  return { flags, words: words.slice(commandWords), afterDash, help };
}

/** The same invocation in a form that oclif's parser reads rightly. */
export function toOclifArgv(parsed: ParsedArgv, specs: FlagSpecs): string[] {
  const argv: string[] = [];
  for (const [name, values] of parsed.flags) {
    const spec = specs[name];
    if (spec === undefined) continue;
    for (const value of values) {
      if (spec.type === 'boolean') {
        if (value === 'true') argv.push(`--${name}`);
        else if (spec.default === true) argv.push(`--no-${name}`);
      } else {
        // pflag takes whatever comes next as the value; numbers are no flags, and their parser does not know the guard
        argv.push(`--${name}`, value.startsWith('-') && spec.valueKind !== 'integer' ? GUARD + value : value);
      }
    }
  }
  return [...argv, '--', ...parsed.words];
}

/** Takes the guard of `toOclifArgv` off again. */
export function unguard(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith(GUARD) ? value.slice(GUARD.length) : value;
  return Array.isArray(value) ? value.map(unguard) : value;
}

/** The error for a flag value in pflag's words. `shown` is the flag as pflag prints it: `-w, --watch`. */
function invalidArgument(value: string, shown: string, reason: string): UsageError {
  return new UsageError(`invalid argument ${JSON.stringify(value)} for ${JSON.stringify(shown)} flag: ${reason}`);
}

function checkValue(spec: FlagSpec, value: string, shown: string): string {
  const quoted = JSON.stringify(value);
  if (spec.type === 'boolean') {
    const truth = BOOLEANS.get(value);
    if (truth === undefined) throw invalidArgument(value, shown, `strconv.ParseBool: parsing ${quoted}: invalid syntax`);
    return String(truth);
  }
  if (spec.valueKind === 'integer') {
    // base 10 only: Go's base 0 would read 010 as 8, which nobody means here
    if (!/^[+-]?\d+$/.test(value)) throw invalidArgument(value, shown, `strconv.ParseInt: parsing ${quoted}: invalid syntax`);
    const number = Number(value);
    if (!Number.isSafeInteger(number)) throw invalidArgument(value, shown, `strconv.ParseInt: parsing ${quoted}: value out of range`);
    if (spec.min !== undefined && number < spec.min) throw invalidArgument(value, shown, `must be at least ${spec.min}`);
    if (spec.max !== undefined && number > spec.max) throw invalidArgument(value, shown, `must be at most ${spec.max}`);
  }
  if (spec.valueKind === 'duration' && parseDuration(value) === null) {
    throw invalidArgument(value, shown, 'must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)');
  }
  if (spec.options !== undefined && !spec.options.includes(value)) {
    const guess = nearest(value, spec.options);
    throw invalidArgument(value, shown, `must be one of: ${spec.options.join(', ')}${guess === null ? '' : ` (did you mean ${guess}?)`}`);
  }
  return value;
}

function unknownFlag(name: string, known: ReadonlyMap<string, FlagSpec>): UsageError {
  const guess = nearest(name, [...known.keys()]);
  return new UsageError(`unknown flag: --${name}`, guess === null ? {} : { suggestions: [`Did you mean --${guess}?`] });
}

function unknownShorthand(char: string, rest: string): UsageError {
  return new UsageError(`unknown shorthand flag: '${char}' in -${rest}`);
}
