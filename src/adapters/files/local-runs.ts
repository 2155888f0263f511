/**
 * What this machine remembers of runs of `hostprocess exec`: a file for each, ~/.kube/kubectl-win/runs/RUN.json, there from before the first
 * object is created until the run has ended well. A program writes the files of its own runs alone, each time as a whole, so that others can
 * read them at any moment.
 */
import { lstat, readdir, rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import type { LocalRun, LocalRuns } from '../../app/ports.ts';
import { arrayAt, isRecord, numberAt, stringAt, valueAt } from '../../domain/kubernetes/object.ts';
import { InputError } from '../../errors.ts';
import { readPrivateFile, replacePrivateFile, requirePrivateFolder } from './private-file.ts';

export interface LocalRunsOptions {
  /** Called with what is worth saying and stops nothing: records that cannot be read. */
  readonly onNotice: (text: string) => void;
  /** Of this program, for tests. */
  readonly program?: Program;
  readonly now?: () => Date;
}

/** Which process a run belongs to. */
interface Program {
  readonly pid: number;
  readonly host: string;
}

const VERSION = 1;
/** Some 150 bytes for each node. */
const LIMIT_BYTES = 16 * 1024 * 1024;
/** Of `kubectl-win/runs` both are this program's. */
const OWN_ANCESTORS = 1;
const RUN_ID = /^[a-z0-9]{1,32}$/;

/** The records in a folder, which is made by the first run. */
export function openLocalRuns(folder: string, { onNotice, program = { pid: process.pid, host: hostname() }, now = () => new Date() }: LocalRunsOptions): LocalRuns {
  /** Those of this program, as they stand on disk or will in a moment. */
  const runs = new Map<string, LocalRun>();
  /** The last write of each, and the one that has not begun yet. */
  const last = new Map<string, Promise<void>>();
  const waiting = new Map<string, Promise<void>>();
  const fileOf = (run: string): string => join(folder, `${run}.json`);

  /** One write at a time for each run; what comes while one is under way goes with the next. */
  const save = (run: string): Promise<void> => {
    const write = waiting.get(run) ?? (last.get(run) ?? Promise.resolve()).catch(() => undefined).then(async () => {
      waiting.delete(run);
      const known = runs.get(run);
      if (known !== undefined) await replacePrivateFile(fileOf(run), textOf(known, program));
    });
    waiting.set(run, write);
    last.set(run, write);
    return write;
  };

  /** Processes of another machine that has the same home cannot be seen: then the time decides. */
  const isUnderWay = (run: string, owner: Program, until: string): boolean => {
    if (owner.host !== program.host) return now().getTime() < Date.parse(until);
    return owner.pid === program.pid ? runs.has(run) : isRunning(owner.pid);
  };

  const workOf = (run: string, owner: Program, until: string): Pick<LocalRun, 'isUnderWay' | 'processId'> => {
    const isAtWork = isUnderWay(run, owner, until);
    return { isUnderWay: isAtWork, ...(isAtWork && owner.host === program.host ? { processId: owner.pid } : {}) };
  };

  return {
    begin: async (run) => {
      if (!RUN_ID.test(run.run)) throw new Error(`${JSON.stringify(run.run)} is no id of a run`);
      await requirePrivateFolder(folder, { ancestors: OWN_ANCESTORS });
      if (await exists(fileOf(run.run))) throw new InputError({ file: fileOf(run.run) }, 'exists already: another run has the same id');
      runs.set(run.run, run);
      await save(run.run);
    },
    made: async (run, name, uid) => {
      const known = runs.get(run);
      if (known === undefined) return;
      runs.set(run, { ...known, objects: known.objects.map((object) => (object.name === name ? { ...object, uid } : object)) });
      await save(run);
    },
    end: async (run) => {
      if (!RUN_ID.test(run)) throw new Error(`${JSON.stringify(run)} is no id of a run`);
      runs.delete(run);
      await last.get(run)?.catch(() => undefined);
      last.delete(run);
      try {
        await rm(fileOf(run), { force: true });
      } catch (error) {
        throw new InputError({ file: fileOf(run) }, `cannot be removed: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
      }
    },
    all: async () => {
      const found: LocalRun[] = [];
      for (const name of await namesIn(folder)) {
        const file = join(folder, name);
        try {
          found.push(readRecord(await readPrivateFile(file, LIMIT_BYTES), file, workOf));
        } catch (error) {
          // a run that has ended meanwhile
          if (error instanceof Error && 'code' in error && error.code === 'ENOENT') continue;
          onNotice(`the record of a run is left out: ${error instanceof InputError ? error.message : `${file}: ${error instanceof Error ? error.message : String(error)}`}`);
        }
      }
      return found;
    },
  };
}

/** Records, the oldest names first; temporary files begin with a dot. */
async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json') && !name.startsWith('.')).toSorted();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw new InputError({ file: folder }, `cannot be read: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

async function exists(file: string): Promise<boolean> {
  return lstat(file).then(() => true, () => false);
}

function textOf({ run, cluster, context, namespace, startedAt, until, objects, isKept }: LocalRun, program: Program): string {
  return `${JSON.stringify({ version: VERSION, run, cluster, context, namespace, startedAt, until, objects, isKept, program })}\n`;
}

/** Throws InputError for what is no record: nothing is deleted on the word of half a file. */
function readRecord(text: string, file: string, workOf: (run: string, owner: Program, until: string) => Pick<LocalRun, 'isUnderWay' | 'processId'>): LocalRun {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new InputError({ file }, 'is no JSON', { cause: error });
  }
  const version = numberAt(document, 'version');
  if (version !== undefined && version > VERSION) throw new InputError({ file }, 'was written by a newer kubectl win');
  const fail = (): never => {
    throw new InputError({ file }, 'is no record of a run');
  };
  const textAt = (value: unknown, ...path: readonly string[]): string => stringAt(value, ...path) ?? fail();
  const textOrNullAt = (value: unknown, ...path: readonly string[]): string | null => (valueAt(value, ...path) === null ? null : textAt(value, ...path));
  const timeAt = (field: string): string => (Number.isNaN(Date.parse(textAt(document, field))) ? fail() : textAt(document, field));
  const run = textAt(document, 'run');
  if (version !== VERSION || !RUN_ID.test(run) || basename(file) !== `${run}.json` || !Array.isArray(valueAt(document, 'objects'))) fail();
  const until = timeAt('until');
  const owner: Program = { pid: numberAt(document, 'program', 'pid') ?? fail(), host: textAt(document, 'program', 'host') };
  return {
    run, until, startedAt: timeAt('startedAt'), cluster: textOrNullAt(document, 'cluster'), context: textOrNullAt(document, 'context'), namespace: textAt(document, 'namespace'),
    objects: arrayAt(document, 'objects').map((object) => {
      const resource = isRecord(object) ? object['resource'] : undefined;
      if (resource !== 'jobs' && resource !== 'pods') return fail();
      return { resource, name: textAt(object, 'name'), uid: textOrNullAt(object, 'uid'), node: textAt(object, 'node') };
    }),
    ...(valueAt(document, 'isKept') === true ? { isKept: true } : {}),
    ...workOf(run, owner, until),
  };
}

function isRunning(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
