/** What a command gets from outside: streams, environment, time and the ways to the cluster. Nothing below reads globals. */
import type { Readable, Writable } from 'node:stream';
import type { ClusterReader, ClusterWriter, Clock, ConnectionFlags, ExecChannel, ImageRegistry, LocalRuns, LocalTree, ManifestEditor, ManifestSource, NodeLogs, PodLogs, Terminal } from '../app/ports.ts';
import type { Recipe } from '../domain/hostprocess/recipes/recipe.ts';
import type { KubeObject } from '../domain/kubernetes/object.ts';
import type { Resource } from '../domain/kubernetes/resource.ts';

/** Why the signal of a context was aborted when the reader of stdout has gone. */
export class PipeClosed extends Error {}

/** A stream that may be a terminal. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** How to reach the cluster, and for how long to wait. */
export interface ClusterFlags extends ConnectionFlags {
  /** --request-timeout; 0 means no deadline. */
  readonly requestTimeoutSeconds: number;
  readonly cacheDir?: string | undefined;
}

/** Where a reading command reads from. */
export interface ReaderOptions {
  readonly connection: ClusterFlags;
  /** --inventory: files, folders, `-` for stdin; empty means the live cluster. */
  readonly inventory: readonly string[];
  /** The flag that takes standard input, as typed (`--compare -`), so that no credential plugin asks there; null when none does. */
  readonly stdinUsedBy: string | null;
  /** Level of -v, 0 to 10. */
  readonly verbosity: number;
  /** Called with the text of each Warning header of the API server. */
  readonly onWarning: (text: string) => void;
  /** Called with what else is worth saying and stops nothing; not counted by --warnings-as-errors. */
  readonly onNotice: (text: string) => void;
  /** Called with one line of tracing, secrets already masked. */
  readonly onTrace: (line: string) => void;
}

/** How registries are reached. */
export interface RegistryOptions {
  /** By registry, as in references (`docker.io`, `registry.example:5000`). */
  readonly registries: Readonly<Record<string, RegistrySettings>>;
  /** Folder of the cache on disk; null for none. */
  readonly cacheFolder: string | null;
  /** Ask what tags mean now, in place of believing what they meant some minutes ago. */
  readonly refresh: boolean;
  /** Of a whole lookup, waits included, in seconds; 0 means the default. */
  readonly timeoutSeconds: number;
  readonly verbosity: number;
  /** Called with one line of tracing, secrets already masked. */
  readonly onTrace: (line: string) => void;
}

/** What the configuration says of one registry. */
export interface RegistrySettings {
  /** Tried in their order before the registry itself: `HOST[:PORT][/PREFIX]`, `http://…` for plain HTTP. */
  readonly mirrors?: readonly string[];
  readonly plainHTTP?: boolean;
  /** File with PEM certificates to trust in place of the machine's. */
  readonly certificateAuthority?: string;
  readonly insecureSkipTLSVerify?: boolean;
}

/** A reader, and when its data were recorded. */
export interface OpenedReader {
  readonly reader: ClusterReader;
  /** null for what was recorded, which cannot be changed. */
  readonly writer: ClusterWriter | null;
  /** null, or missing, for what was recorded. */
  readonly exec?: ExecChannel | null;
  readonly podLogs?: PodLogs | null;
  readonly nodeLogs?: NodeLogs | null;
  /** RFC 3339; null for a live cluster and for dumps that do not say. */
  readonly recordedAt: string | null;
  /** Things to tell the user that are no errors: duplicates, differing versions. */
  readonly notes: readonly string[];
}

/** Writes what was read, for --inventory; nothing stays behind after `abort`. */
export interface InventorySink {
  /** `complete`: all objects of the cluster were asked for, not a selection. */
  write(resource: Resource, objects: readonly KubeObject[], complete: boolean): Promise<void>;
  finish(facts: { readonly source: 'cluster' | 'files'; readonly context: string | null; readonly serverVersion: string | null; readonly generatedAt: string; readonly toolVersion: string }): Promise<void>;
  abort(): Promise<void>;
}

/** A file that only the user can read, written as things happen. Its methods throw InputError. */
export interface PrivateFile {
  write(content: string | Uint8Array): Promise<void>;
  /** Any number of times. */
  close(): Promise<void>;
  /** In place of `close`: the file is gone. */
  discard(): Promise<void>;
}

/** The ways to the world that a command may need; tests bring their own. */
export interface Ports {
  readonly openReader: (options: ReaderOptions, context: CommandContext) => Promise<OpenedReader>;
  /** Begins the file of --save. */
  readonly createInventory: (file: string, context: CommandContext) => Promise<InventorySink>;
  /** -f: files, folders, `-` for stdin. */
  readonly openManifests: (options: { readonly sources: readonly string[]; readonly recursive: boolean }, context: CommandContext) => Promise<ManifestSource>;
  /** What --fix edits files with. */
  readonly openManifestEditor: () => Promise<ManifestEditor>;
  /** Opens no connection before the first lookup. */
  readonly openRegistry: (options: RegistryOptions, context: CommandContext) => Promise<ImageRegistry>;
  /** Writes a text file as a whole or not at all; throws InputError. */
  readonly writeTextFile: (path: string, chunks: Iterable<string> | AsyncIterable<string>, signal?: AbortSignal) => Promise<void>;
  /** Text of a small file that a flag or a variable names; the signal ends waiting for a pipe. */
  readonly readTextFile: (path: string, signal?: AbortSignal) => Promise<string>;
  /** Throws what the signal is aborted with. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Six lower-case letters and digits, which no two runs share. */
  readonly createRunId: () => string;
  /** 16 hexadecimal digits that nobody can guess. */
  readonly createNonce: () => string;
  /** The user's terminal; null where standard input is none. It stays as it is until it is taken. */
  readonly openTerminal: (context: CommandContext) => Promise<Terminal | null>;
  /** A question on stderr, which ends with a blank, and the line that is typed; null where nobody can be asked. Throws what the context's signal is aborted with. */
  readonly ask: (question: string, context: CommandContext) => Promise<string | null>;
  /** What this machine remembers of runs of `hostprocess exec`; `onNotice` gets what cannot be read of it. */
  readonly openLocalRuns: (context: CommandContext, onNotice: (text: string) => void) => Promise<LocalRuns>;
  /** The text of a recipe, as nodes run it. */
  readonly loadRecipe: (recipe: Recipe) => Promise<string>;
  /** A file or folder to copy from, or to, which need not be there. */
  readonly openLocalTree: (path: string) => Promise<LocalTree>;
  /** Throws InputError, also where the file exists. */
  readonly createPrivateFile: (path: string) => Promise<PrivateFile>;
}

export interface CommandContext {
  /** As users type it: `kubectl win`. */
  readonly programName: string;
  /** `process.platform`. */
  readonly platform: string;
  /** Version of this program, without a leading v. */
  readonly version: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path of the folder that the program was started in. */
  readonly workingFolder: string;
  /** Who is at it, for those who meet what it creates: `ada@laptop`. */
  readonly user: string;
  readonly clock: Clock;
  /** Aborted by Ctrl-C and SIGTERM. */
  readonly signal: AbortSignal;
  readonly ports: Ports;
}
