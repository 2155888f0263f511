import { AppError, InterruptedError, UnfinishedError, UsageError } from '../errors.ts';
import { findWords, parseArgv, type FlagSpecs, type ParsedArgv } from './argv.ts';
import { allInfos, idsBelow, resolveCommand, type CommandTable, type Resolution } from './command-table.ts';
import { PipeClosed, type CommandContext } from './context.ts';
import { reportError } from './error-report.ts';
import { clampExitCode, EXIT_CODES } from './exit-code.ts';
import { renderCommandHelp, renderGroupHelp } from './help.ts';
import { nearest } from './suggest.ts';

/** The program with its commands: reads argv, runs, prints what went wrong, and gives the exit code for the process. */
export async function main(argv: readonly string[], table: CommandTable, context: CommandContext): Promise<number> {
  let commandPath = context.programName;
  let parsed: ParsedArgv | null = null;
  try {
    const globalSpecs = await table.globalFlags();
    const { words } = findWords(argv, await specsBeforeCommand(argv, table, globalSpecs));
    const isHelpCommand = words[0] === 'help';
    const resolution = await resolveCommand(isHelpCommand ? words.slice(1) : words, table);
    if (resolution.kind === 'unknown') throw await unknownCommand(resolution, table, context.programName);
    if (resolution.kind === 'group') {
      if (resolution.id !== '') commandPath += ` ${resolution.id}`;
      parseArgv(argv, globalSpecs, 0);
      context.stdout.write(renderGroupHelp(context.programName, resolution.id, await allInfos(table)));
      return EXIT_CODES.ok;
    }
    commandPath += ` ${resolution.id}`;
    const info = await table.info(resolution.id);
    parsed = parseArgv(argv, { ...globalSpecs, ...info.flags }, resolution.length);
    if (isHelpCommand || parsed.help) {
      const below = await Promise.all(idsBelow(resolution.id, table).map((id) => table.info(id)));
      context.stdout.write(renderCommandHelp(context.programName, info, below));
      return EXIT_CODES.ok;
    }
    const [{ runCommandClass }, command] = await Promise.all([import('./run-command-class.ts'), table.load(resolution.id)]);
    const { code, original } = clampExitCode(await runCommandClass(command, resolution.id, parsed, context));
    if (original !== null) context.stderr.write(`exit code ${original} does not fit into 8 bits: exiting with ${code}\n`);
    return code;
  } catch (error) {
    // whatever fails because it was told to stop is no error of its own
    if (context.signal.aborted && (!(error instanceof AppError) || error instanceof InterruptedError)) {
      // a reader that has left (`| head -1`) has what it wanted, and wants no word
      if (context.signal.reason instanceof PipeClosed && !(error instanceof UnfinishedError)) return EXIT_CODES.ok;
      reportError(error instanceof InterruptedError ? error : new InterruptedError('interrupted', { cause: error }), context, { commandPath, verbosity: 0 });
      return EXIT_CODES.interrupted;
    }
    return reportError(error, context, { commandPath, verbosity: Number(parsed?.flags.get('v')?.at(-1) ?? 0) });
  }
}

/** Flags to read past while looking for the command; those of all commands only when a flag comes first, or may stand before the second word of a command. */
async function specsBeforeCommand(argv: readonly string[], table: CommandTable, globalSpecs: FlagSpecs): Promise<FlagSpecs> {
  const first = argv[0] ?? '';
  if (!first.startsWith('-')) {
    const below = idsBelow(first, table);
    if (below.length === 0) return globalSpecs;
    const infos = await Promise.all([...below, ...table.ids.filter((id) => id === first)].map((id) => table.info(id)));
    return Object.assign({}, ...infos.map((info) => info.flags), globalSpecs) as FlagSpecs;
  }
  return Object.assign({}, ...(await allInfos(table)).map((info) => info.flags), globalSpecs) as FlagSpecs;
}

async function unknownCommand(
  resolution: Extract<Resolution, { kind: 'unknown' }>, table: CommandTable, programName: string,
): Promise<UsageError> {
  const prefix = resolution.group === '' ? '' : `${resolution.group} `;
  const infos = (await allInfos(table)).filter((info) => !info.hidden);
  const words = new Set(infos.flatMap((info) => [info.id, ...info.aliases]).filter((id) => id.startsWith(prefix)).map((id) => id.slice(prefix.length).split(' ')[0] ?? ''));
  const guess = nearest(resolution.word, [...words, ...(prefix === '' ? ['help'] : [])]);
  return new UsageError(
    `unknown command ${JSON.stringify(resolution.word)} for "${[programName, resolution.group].filter((part) => part !== '').join(' ')}"`,
    guess === null ? {} : { suggestions: ['', 'Did you mean this?', `\t${guess}`, ''] },
  );
}
