/** The part of metav1.Status that the error channel of exec and attach uses. */
export interface RemoteFailureStatus {
  readonly message: string;
  readonly reason: string;
  /** HTTP status that the failure would have had; null when the sender gave none. */
  readonly code: number | null;
  readonly details: unknown;
}

export type RemoteStatus =
  | { readonly kind: 'exited'; /** 0 to 4294967295: Windows exit codes have 32 bits. */ readonly exitCode: number }
  | { readonly kind: 'failed'; readonly status: RemoteFailureStatus };

// The API server's stream translator takes 0 to 255 only and replaces a Windows exit code by this sentence, without a cause.
// https://github.com/kubernetes/client-go/blob/v0.37.2/tools/remotecommand/v4.go (errorDecoderV4), read and seen on v1.37.2 2026-11-30.
// Anchored, and quotes inside a quoted text would be escaped: no output of a command can pass for it.
const UNFIT_EXIT_CODE = /^(?:Internal error occurred: )?error stream protocol error: invalid exit code value "(-?\d{1,20})"$/;

/**
 * Reads the bytes of channel 3. Returns null when they are not (yet) a metav1.Status: the channel may come in pieces.
 * @param bytes everything that came on the channel so far
 */
export function readRemoteStatus(bytes: Uint8Array): RemoteStatus | null {
  const status = parseObject(new TextDecoder().decode(bytes));
  if (status === null) return null;
  if (status['status'] === 'Success') return { kind: 'exited', exitCode: 0 };
  if (status['status'] !== 'Failure') return null;

  const failure: RemoteFailureStatus = {
    message: typeof status['message'] === 'string' ? status['message'] : '',
    reason: typeof status['reason'] === 'string' ? status['reason'] : '',
    code: typeof status['code'] === 'number' ? status['code'] : null,
    details: status['details'] ?? null,
  };
  const written = failure.reason === 'NonZeroExitCode' ? exitCodeCause(failure.details) : UNFIT_EXIT_CODE.exec(failure.message)?.[1];
  const exitCode = written === undefined ? null : parseExitCode(written);
  return exitCode === null ? { kind: 'failed', status: failure } : { kind: 'exited', exitCode };
}

function exitCodeCause(details: unknown): string | undefined {
  const causes: unknown = isObject(details) ? details['causes'] : undefined;
  if (!Array.isArray(causes)) return undefined;
  const cause: unknown = causes.find((each: unknown) => isObject(each) && each['reason'] === 'ExitCode');
  return isObject(cause) && typeof cause['message'] === 'string' ? cause['message'] : undefined;
}

/** NTSTATUS codes such as 0xC0000005 are written with or without a sign, as the sender's integer type has it; ours are unsigned. */
function parseExitCode(text: string): number | null {
  if (!/^-?\d{1,20}$/.test(text)) return null;
  const value = Number(text);
  return value >= -(2 ** 31) && value < 2 ** 32 ? value >>> 0 : null;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
