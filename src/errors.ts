/** Everything that can prevent a result; findings and remote exit codes are results, not errors (exit codes: README). */
export interface AppErrorOptions {
  /** What to do next, one line each; printed below the message. */
  readonly suggestions?: readonly string[];
  readonly cause?: unknown;
}

/** Base of the errors that people see: `message` says what was attempted, on which object, and what came back. */
export abstract class AppError extends Error {
  abstract readonly exitCode: number;
  readonly suggestions: readonly string[];

  constructor(message: string, options: AppErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.suggestions = options.suggestions ?? [];
  }
}

/** Flags or arguments that do not exist or do not fit together. Exit code 2. */
export class UsageError extends AppError {
  readonly exitCode = 2;
}

/** A file or stream that cannot be read as what it should be. Exit code 2. Line and column count from 1. */
export class InputError extends AppError {
  readonly exitCode = 2;
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;

  constructor(place: { file: string; line?: number | null; column?: number | null }, problem: string, options: AppErrorOptions = {}) {
    const line = place.line ?? null;
    const column = place.column ?? null;
    super([place.file, ...(line === null ? [] : [line]), ...(line === null || column === null ? [] : [column])].join(':') + `: ${problem}`, options);
    this.file = place.file;
    this.line = line;
    this.column = column;
  }
}

/** Why the cluster did not answer as asked: Kubernetes' own `Status.reason` values, and those of the way to it. */
export type ClusterErrorReason =
  // https://github.com/kubernetes/apimachinery/blob/v0.37.2/pkg/apis/meta/v1/types.go (StatusReason), read 2026-11-30
  | 'Unauthorized' | 'Forbidden' | 'NotFound' | 'AlreadyExists' | 'Conflict' | 'Gone' | 'Expired' | 'Invalid' | 'Timeout'
  | 'ServerTimeout' | 'TooManyRequests' | 'BadRequest' | 'MethodNotAllowed' | 'NotAcceptable' | 'UnsupportedMediaType'
  | 'InternalError' | 'ServiceUnavailable' | 'RequestEntityTooLarge'
  // ours, for what never reached a Status
  | 'NoConfiguration' | 'BadConfiguration' | 'CredentialPlugin' | 'Unreachable' | 'UntrustedCertificate' | 'ProxyError'
  | 'NotKubernetes' | 'UpgradeRefused' | 'ConnectionLost' | 'DeadlineExceeded' | 'Unknown';

export interface ClusterErrorDetails extends AppErrorOptions {
  readonly reason: ClusterErrorReason;
  /** HTTP status, where there was an answer. */
  readonly status?: number;
  /** What was attempted, in RBAC's words, where a request was made. */
  readonly attempt?: { readonly verb: string; readonly group?: string; readonly resource: string; readonly name?: string; readonly namespace?: string };
  /** `metav1.Status.details` of the answer as it came, for causes and retryAfterSeconds. */
  readonly details?: unknown;
}

const PASSING: ReadonlySet<ClusterErrorReason> = new Set(['Unreachable', 'ConnectionLost', 'DeadlineExceeded', 'TooManyRequests', 'ServiceUnavailable', 'InternalError', 'Timeout', 'ServerTimeout']);

/** The API server refused, failed or could not be reached. Exit code 3. */
export class ClusterError extends AppError {
  readonly exitCode = 3;
  readonly reason: ClusterErrorReason;
  readonly status: number | null;
  readonly attempt: ClusterErrorDetails['attempt'] | null;
  readonly details: unknown;

  constructor(message: string, details: ClusterErrorDetails) {
    super(message, details);
    this.reason = details.reason;
    this.status = details.status ?? null;
    this.attempt = details.attempt ?? null;
    this.details = details.details ?? null;
  }

  /** Whether it goes away by itself: a restarted server, a broken connection, a shed request, a load balancer that has no server behind it. */
  get isPassing(): boolean {
    return PASSING.has(this.reason) || (this.status ?? 0) >= 500;
  }
}

/** The same error with more to do next. */
export function withSuggestions(error: ClusterError, more: readonly string[]): ClusterError {
  const { message, reason, status, attempt, details, cause, suggestions } = error;
  return new ClusterError(message, { reason, ...(status === null ? {} : { status }), ...(attempt == null ? {} : { attempt }), details, cause, suggestions: [...suggestions, ...more] });
}

/** Ctrl-C or SIGTERM, after clean-up. Exit code 130. */
export class InterruptedError extends AppError {
  readonly exitCode = 130;
}

/** The same of a command that changes the cluster, and was not done: said also where the reader of standard output has left, who does not have what was asked for. */
export class UnfinishedError extends InterruptedError {}
