/** The interfaces through which use cases see the world. Adapters implement them; tests bring their own. */
import type { FilePlace, ManifestProblem, UnreadableDocument } from '../domain/check/manifest-problem.ts';
import type { Fix } from '../domain/check/finding.ts';
import type { Arrived, SourceEntry } from '../domain/hostprocess/copy/copy-plan.ts';
import type { ImagePlatforms } from '../domain/image/image-platforms.ts';
import type { FieldPath } from '../domain/kubernetes/field-path.ts';
import type { KubeObject } from '../domain/kubernetes/object.ts';
import type { Resource } from '../domain/kubernetes/resource.ts';
import type { ClusterError } from '../errors.ts';

/** Where the data come from; becomes `metadata` of every output document. */
export interface SourceDescription {
  readonly source: 'cluster' | 'files';
  /** kubeconfig context, also the one that a recording was made from; null where none is known. */
  readonly context: string | null;
  /** Server URL or file names, for messages. */
  readonly location: string;
}

/** What GET /version answers, as far as anybody needs it. */
export interface ServerVersion {
  /** e.g. `v1.37.2` or `v1.31.4-gke.1372000`. */
  readonly gitVersion: string;
}

export interface ListOptions {
  /** Namespace of a namespaced resource; undefined means all namespaces. */
  readonly namespace?: string | undefined;
  /** kubectl's -l. */
  readonly labelSelector?: string | undefined;
  /** kubectl's --field-selector. */
  readonly fieldSelector?: string | undefined;
  /** Objects per page; 0 asks for everything at once. Default 500, as kubectl's --chunk-size. */
  readonly chunkSize?: number | undefined;
  /** Only apiVersion, kind and metadata of each object (PartialObjectMetadata); a recording gives what it has. */
  readonly metadataOnly?: boolean | undefined;
  /**
   * Of pods only what tells of their health and owner (name, namespace, labels, owners, node, names and images of containers,
   * phase, conditions and container statuses), for the pages that it answers true for: it is asked before each. Such pages
   * have `whole`. Ignored for other resources; where the server cannot, and for a recording, whole objects come.
   */
  readonly podDigest?: (() => boolean) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** One page of a list, in the server's order. */
export interface ListPage {
  readonly items: readonly KubeObject[];
  /** metadata.resourceVersion of the list; '' from files. */
  readonly resourceVersion: string;
  /** true when the pages before this one are to be forgotten: the list was begun anew after 410 Expired. */
  readonly restarted?: boolean;
  /** Of a page of digests: the same page once more, with whole objects; those of the first page may have changed meanwhile. */
  readonly whole?: () => Promise<readonly KubeObject[]>;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: KubeObject }
  /** Everything known before is replaced by these objects: a watch had to be begun anew (410). */
  | { readonly type: 'RELISTED'; readonly objects: readonly KubeObject[] };

export interface WatchOptions extends ListOptions {
  readonly resourceVersion: string;
}

export interface NodeSpace {
  readonly availableBytes: number;
  readonly capacityBytes: number;
}

/** Reads an inventory: a live cluster, or what was recorded of one. */
export interface ClusterReader {
  readonly description: SourceDescription;
  /** Namespace that commands use where none is given: -n, else the context's, else `default`; null for a recording, which is read as a whole. */
  readonly namespace: string | null;
  /**
   * Every resource that can be listed, in its preferred version: the API server's discovery, or the kinds that a recording
   * holds. Resources of groups that do not answer (an aggregated API server that is down) are missing.
   */
  resources(options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly Resource[]>;
  /**
   * What `list` of a resource can show: `all` objects of the cluster (live, or a recording of a full list), `some` of them
   * (a dump or a list by selectors), `none` (the recording was made without it, so that nothing follows from its silence).
   */
  completeness(resource: Resource): 'all' | 'some' | 'none';
  /** null when not known (a recording without a version). */
  serverVersion(options?: { readonly signal?: AbortSignal | undefined }): Promise<ServerVersion | null>;
  /** Pages of raw objects; each object has apiVersion and kind. A recording that never held the resource yields no page. */
  list(resource: Resource, options?: ListOptions): AsyncIterable<ListPage>;
  /** Throws ClusterError with reason NotFound. */
  get(resource: Resource, name: string, options?: { readonly namespace?: string | undefined; readonly signal?: AbortSignal | undefined }): Promise<KubeObject>;
  /**
   * Whether a service account may do something in its namespace; null where the server does not say (the user may not create
   * subject access reviews). Absent for a recording.
   */
  mayServiceAccount?(
    account: { readonly namespace: string; readonly name: string }, question: { readonly verb: string; readonly group: string; readonly resource: string; readonly name: string },
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<boolean | null>;
  /** Of the file system that images are unpacked on; null where the node or the server does not say. Absent for a recording. */
  nodeSpace?(node: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<NodeSpace | null>;
  /** Changes after `resourceVersion`, for ever (resumes by itself). A recording throws UsageError. */
  watch(resource: Resource, options: WatchOptions): AsyncIterable<WatchEvent>;
  /** Releases connections. */
  close(): Promise<void>;
}

/** Bytes as they come: a Readable, a generator. */
export type ByteSource = AsyncIterable<Uint8Array>;

/** Takes bytes, feels back-pressure and stays open: process.stdout, a file. */
export type ByteSink = NodeJS.WritableStream;

/** In character cells. */
export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

export interface AttachRequest {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
  /** Bytes for the remote process; its stdin is closed when they end. Without it the process has no stdin. */
  readonly stdin?: ByteSource | undefined;
  /** Called when something of stdin has been read, which no other attempt would get. */
  readonly onStdin?: (() => void) | undefined;
  /** Gets the remote bytes as they are, and stays open. With a slow one the remote process waits. */
  readonly stdout: ByteSink;
  /** As stdout; gets nothing when `tty` is set, because a terminal has one output. */
  readonly stderr: ByteSink;
  readonly tty: boolean;
  /** Size of the terminal at the start. Only with `tty`. */
  readonly initialSize?: TerminalSize | undefined;
  /** Later sizes of the terminal. Only with `tty`. */
  readonly resizes?: AsyncIterable<TerminalSize> | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ExecRequest extends AttachRequest {
  /** Program and arguments, each handed on as it is: no shell takes part unless it is named here. */
  readonly command: readonly string[];
}

export interface ExecResult {
  /** 0 to 4294967295: Windows exit codes have 32 bits. */
  readonly exitCode: number;
}

/**
 * Runs commands in containers of a live cluster.
 *
 * Exit code 0 is what the API server says, also when its own line to the kubelet breaks: v1.37.2 then reports Success to
 * every client (https://github.com/kubernetes/kubectl/issues/1726, open; seen with a killed kubelet, 2026-11-30).
 * Who must know that a command has run to its end needs a sign of it in the output.
 *
 * Both throw ClusterError: the server's Status when it refuses or the command cannot be started, `ConnectionLost` when
 * the line ends without an exit code (the command may still be running: closing the connection does not stop it),
 * `UpgradeRefused` when the server or a proxy does not speak the protocol, so that `kubectl exec` may do better. After an
 * abort the signal's reason is thrown, InterruptedError where that is no error of ours. Errors of `stdout` and `stderr`
 * (EPIPE) are thrown as they are.
 */
export interface ExecChannel {
  /** Runs a command and resolves when it has ended and all its output is written. */
  exec(request: ExecRequest): Promise<ExecResult>;
  /** Joins the main process of a container, with the streams it was started with. */
  attach(request: AttachRequest): Promise<ExecResult>;
  /** null where WebSockets reach the API server; else why not (`UpgradeRefused`), or what the request met. Takes the right to watch pods. */
  probe(options: { readonly namespace: string; readonly signal?: AbortSignal | undefined }): Promise<ClusterError | null>;
}

/** A right to ask for; namespace undefined means the whole cluster. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
}

/** Changes a live cluster. Every method throws ClusterError, or what `signal` was aborted with. */
export interface ClusterWriter {
  /** `dryRun`: admission and validation run, nothing is stored. */
  create(resource: Resource, object: KubeObject, options?: { readonly namespace?: string | undefined; readonly dryRun?: boolean | undefined; readonly signal?: AbortSignal | undefined }): Promise<KubeObject>;
  /** A JSON merge patch. */
  merge(resource: Resource, name: string, patch: unknown, options?: { readonly namespace?: string | undefined; readonly signal?: AbortSignal | undefined }): Promise<KubeObject>;
  /** Deletes the object with this UID, and what it owns. Not there is as good as deleted. */
  delete(resource: Resource, name: string, options: { readonly namespace?: string | undefined; readonly uid: string; readonly signal?: AbortSignal | undefined }): Promise<void>;
  /** Whether the user may; null where the server would not say. */
  review(questions: readonly AccessQuestion[], options?: { readonly signal?: AbortSignal | undefined }): Promise<readonly { readonly question: AccessQuestion; readonly allowed: boolean | null }[]>;
}

/** What the log of a container holds. */
export interface PodLogs {
  /** Both streams in one, as bytes. Throws ClusterError. */
  read(place: { readonly namespace: string; readonly pod: string; readonly container: string }, options?: { readonly signal?: AbortSignal | undefined }): Promise<ByteSource>;
}

/** Logs of a node by its kubelet (NodeLogQuery). */
export interface NodeLogs {
  /** Throws ClusterError, NotFound where the kubelet does not offer them. */
  query(node: string, query: Readonly<Record<string, readonly string[]>>, options?: { readonly signal?: AbortSignal | undefined }): Promise<ByteSource>;
}

/** A run of `hostprocess exec` as the machine that began it remembers it. */
export interface LocalRun {
  readonly run: string;
  /** UID of kube-system. */
  readonly cluster: string | null;
  readonly context: string | null;
  readonly namespace: string;
  readonly startedAt: string;
  /** From then on the cluster has removed it by itself. */
  readonly until: string;
  readonly objects: readonly { readonly resource: 'jobs' | 'pods'; readonly name: string; readonly uid: string | null; readonly node: string }[];
  /** What it leaves is meant to stay for a while. */
  readonly isKept?: boolean;
  /** Of those that `all` gives: whether the program that began it still runs. */
  readonly isUnderWay?: boolean;
  /** Of that program, where it runs on this machine. */
  readonly processId?: number;
}

/** Its methods throw InputError. */
export interface LocalRuns {
  /** Before anything is created. */
  begin(run: LocalRun): Promise<void>;
  /** The UID of an object of a run that this program has begun. */
  made(run: string, name: string, uid: string): Promise<void>;
  /** Forgets a run, this program's or another's; one that is not there, too. */
  end(run: string): Promise<void>;
  /** Those that can be read. */
  all(): Promise<readonly LocalRun[]>;
}

/** A file that is sent. Its methods throw InputError. */
export interface CopySource {
  /** When it was opened; what is written behind it later does not count. */
  readonly sizeBytes: number;
  /** SHA-256 of its first bytes, in hexadecimal digits; null where it has fewer. */
  prefix(length: number): Promise<string | null>;
  /** From a byte on to `sizeBytes`. */
  read(from: number): AsyncIterable<Uint8Array>;
  /** Of all that was read, from its first byte on. */
  sha256(): string;
  close(): Promise<void>;
}

/** A file that arrives. Its methods throw InputError. */
export interface CopyTarget {
  write(bytes: Uint8Array): Promise<void>;
  /** Puts it in its place, where its SHA-256 is that one; else nothing is left of it. */
  commit(sha256: string, modifiedMs: number): Promise<void>;
  /** Leaves what has arrived for another time. */
  leave(): Promise<void>;
}

/**
 * The local side of a copy, a file or a folder, which is never left: paths below it are names one after the other, no link is followed. One
 * operation at a time. Its methods throw InputError.
 */
export interface LocalTree {
  /** The last one of its path. */
  readonly name: string;
  kind(): Promise<'file' | 'folder' | 'missing' | 'other'>;
  /** What has this name in it. */
  into(name: string): LocalTree;
  /** Itself and all below it; `/` separates. */
  walk(signal: AbortSignal): AsyncIterable<SourceEntry>;
  source(parts: readonly string[]): Promise<CopySource>;
  /** What is there of a file of this size. */
  arrived(parts: readonly string[], sizeBytes: number): Promise<Arrived>;
  makeFolder(parts: readonly string[]): Promise<void>;
  /** Behind so many bytes of what an earlier copy has left. */
  target(parts: readonly string[], from: number): Promise<CopyTarget>;
  close(): Promise<void>;
}

/** The user's own terminal. */
export interface Terminal {
  readonly size: TerminalSize;
  resizes(signal: AbortSignal): AsyncIterable<TerminalSize>;
  /** Raw mode from now on; the bytes that are typed. */
  take(): ByteSource;
  /** As it was before; any number of times. */
  restore(): void;
}

/** Why a registry gave no answer. */
export type RegistryFailureReason =
  /** 401: it wants credentials, or other ones. */
  | 'Unauthorized'
  /** 403 */
  | 'Forbidden'
  /** 404: no such repository, tag or digest; many registries say so to those who may not see it. */
  | 'NotFound'
  /** 429, for longer than was waited. */
  | 'TooManyRequests'
  /** 5xx */
  | 'ServerError'
  /** No connection. */
  | 'Unreachable'
  | 'Timeout'
  | 'UntrustedCertificate'
  /** The bytes that came have another digest. */
  | 'DigestMismatch'
  /** The answer is no manifest, or was cut off. */
  | 'Malformed'
  /** The configuration of this program, of Docker or of a credential helper cannot be used. */
  | 'BadConfiguration';

export interface RegistryFailure {
  readonly reason: RegistryFailureReason;
  /** `mcr.microsoft.com`, as in the reference. */
  readonly registry: string;
  /** One clause without a full stop that names the registry and holds no secret: `registry.example answered 403 Forbidden (denied: …)`. */
  readonly message: string;
  /** What to do about it, as in AppError. */
  readonly suggestions: readonly string[];
}

export type RegistryAnswer =
  /** Confidence `registry`; its `digest` and those of its entries are verified. */
  | { readonly kind: 'platforms'; readonly platforms: ImagePlatforms }
  | { readonly kind: 'failure'; readonly failure: RegistryFailure };

/** Asks registries which platforms images hold. */
export interface ImageRegistry {
  /**
   * Looks an image up, once for all callers that ask for it with the same secrets. What registries do wrong is an answer;
   * throws only what the signal was aborted with. `pullSecrets` gives the texts of `.dockerconfigjson` and `.dockercfg` secrets
   * and is called only when the registry wants more than the user's own credentials. `sizes`: with the compressed size of each
   * platform for Windows, which costs a request each; with-layers: and of each of its layers; absent: sizes that come by themselves.
   */
  lookUp(image: string, options?: { readonly sizes?: boolean | 'with-layers' | undefined; readonly pullSecrets?: (() => Promise<readonly string[]>) | undefined; readonly signal?: AbortSignal | undefined }): Promise<RegistryAnswer>;
  /** Ends connections. */
  close(): Promise<void>;
}

export interface Clock {
  now(): Date;
}

/**
 * kubectl's global flags that say which API server is talked to, and as whom. An empty string counts as not given,
 * as for kubectl (https://github.com/kubernetes/cli-runtime/blob/v0.37.2/pkg/genericclioptions/config_flags.go, read 2026-11-30).
 */
export interface ConnectionFlags {
  readonly kubeconfig?: string | undefined;
  /** --kuberc: where the policy for credential plugins stands. */
  readonly kuberc?: string | undefined;
  readonly context?: string | undefined;
  readonly cluster?: string | undefined;
  readonly user?: string | undefined;
  readonly namespace?: string | undefined;
  readonly server?: string | undefined;
  readonly tlsServerName?: string | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly certificateAuthority?: string | undefined;
  readonly clientCertificate?: string | undefined;
  readonly clientKey?: string | undefined;
  readonly token?: string | undefined;
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly as?: string | undefined;
  readonly asUid?: string | undefined;
  readonly asGroup?: readonly string[] | undefined;
  /** `key=value`, one value each; a key may come several times. */
  readonly asUserExtra?: readonly string[] | undefined;
  readonly disableCompression?: boolean | undefined;
  readonly proxyUrl?: string | undefined;
}

/** An object of a file, Lists unrolled. */
export interface ManifestObject {
  readonly object: KubeObject;
  /** The object as it stands in the file, where `object` was given a namespace that it does not name. */
  readonly asWritten?: KubeObject;
  /** As the user named it, with the rest of the path for files of a folder; `stdin` for -. */
  readonly file: string;
  /**
   * Place of the key at a path (of the list item, for an index), or of the nearest one above it that exists. Parses for positions
   * only when it is called, so it is for findings alone.
   */
  locate(path: FieldPath): FilePlace;
  /** The line of a place as it stands in the file, without its end. */
  lineText(line: number): string;
  /** What is wrong with the object as YAML or against Kubernetes' own schema: duplicate keys, unknown fields, wrong types. */
  readonly problems: readonly ManifestProblem[];
}

export type { FilePlace, ManifestProblem, UnreadableDocument };

/** Reads manifests document by document: files, folders, stdin. */
export interface ManifestSource {
  readonly description: SourceDescription;
  read(signal?: AbortSignal): AsyncIterable<ManifestObject | UnreadableDocument>;
  /** A folder without manifests, skipped files; to be said, no errors. */
  readonly notes: readonly string[];
}

/** An object as it was read from a file, and what is to be done to it. */
export interface ObjectEdits<F extends Pick<Fix, 'edits'> = Fix> {
  readonly object: KubeObject;
  readonly fixes: readonly F[];
}

export interface EditedText<F extends Pick<Fix, 'edits'> = Fix> {
  readonly text: string;
  readonly applied: readonly F[];
  /** Reasons are a few words without a full stop. */
  readonly refused: readonly { readonly fix: F; readonly reason: string }[];
}

/** Edits manifests in place. */
export interface ManifestEditor {
  /** Reads the text of a file; `stdin` is what was read from standard input. Throws InputError. */
  open(file: string, signal?: AbortSignal): Promise<EditableManifest>;
}

export interface EditableManifest {
  readonly text: string;
  /** false for standard input, whose fixed text can only be printed. */
  readonly isWritable: boolean;
  /** The text with the fixes in it. Comments, order, quoting, anchors and all that no fix concerns stay byte for byte. Writes nothing. */
  edit<F extends Pick<Fix, 'edits'>>(objects: readonly ObjectEdits<F>[]): Promise<EditedText<F>>;
  /**
   * Puts the text in the place of the file, whole or not at all, with the file's mode and encoding; a symbolic link stays one.
   * Throws InputError, also when the file is no longer what was read. Gives what the user should know of it, without a full stop.
   */
  write(text: string): Promise<string | null>;
}
