import type { FlagSpec } from './argv.ts';
import type { CommandClass } from './base-command.ts';

/** A flag as help and the contract show it. */
export interface FlagInfo extends FlagSpec {
  readonly description: string;
  readonly hidden: boolean;
  readonly shownDefault?: string | undefined;
}

export interface ArgInfo {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly multiple: boolean;
}

/** Everything about a command that can be known without running it; plain JSON, so that a build can carry it. */
export interface CommandInfo {
  /** Words after `kubectl win`, joined by one space. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly examples: readonly string[];
  readonly aliases: readonly string[];
  readonly hidden: boolean;
  /** Usage line in place of the derived one, without the program's name. */
  readonly usage: string | null;
  readonly args: readonly ArgInfo[];
  /** Own flags, without the global ones. */
  readonly flags: Readonly<Record<string, FlagInfo>>;
}

/** Reads the metadata of a command class. */
export function describeCommand(id: string, command: CommandClass): CommandInfo {
  const description = command.description ?? command.summary ?? '';
  return {
    id,
    summary: command.summary ?? description.split('\n')[0] ?? '',
    description,
    examples: command.examples?.map((example) => (typeof example === 'string' ? example : `# ${example.description}\n${example.command}`)) ?? [],
    aliases: [...(command.aliases ?? []), ...(command.hiddenAliases ?? [])],
    hidden: command.hidden === true,
    usage: Array.isArray(command.usage) ? command.usage.join('\n') : command.usage ?? null,
    args: Object.entries(command.args ?? {}).map(([name, arg]) => ({
      name, description: arg.description ?? '', required: arg.required === true, multiple: arg.multiple === true,
    })),
    flags: describeFlags((command.flags ?? {}) as Readonly<Record<string, LooseFlag>>),
  };
}

type LooseFlag = FlagSpec & { readonly description?: string; readonly summary?: string; readonly hidden?: boolean; readonly shownDefault?: string };

/** Metadata of a set of oclif flags, in alphabetical order. */
export function describeFlags(flags: Readonly<Record<string, LooseFlag>>): Readonly<Record<string, FlagInfo>> {
  const names = Object.keys(flags).sort();
  return Object.fromEntries(names.map((name) => {
    const flag = flags[name] as LooseFlag;
    const info: FlagInfo = {
      type: flag.type,
      description: flag.description ?? flag.summary ?? '',
      hidden: flag.hidden === true,
      ...(flag.char === undefined ? {} : { char: flag.char }),
      ...(flag.multiple === true ? { multiple: true } : {}),
      ...(flag.options === undefined ? {} : { options: flag.options }),
      ...(flag.default === undefined || typeof flag.default === 'function' ? {} : { default: flag.default }),
      ...(flag.valueKind === undefined ? {} : { valueKind: flag.valueKind }),
      ...(flag.bareValue === undefined ? {} : { bareValue: flag.bareValue }),
      ...(flag.shownDefault === undefined ? {} : { shownDefault: flag.shownDefault }),
      ...(flag.min === undefined ? {} : { min: flag.min }),
      ...(flag.max === undefined ? {} : { max: flag.max }),
    };
    return [name, info];
  }));
}
