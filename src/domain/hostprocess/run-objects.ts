/** The objects that reach a node: a Job with one HostProcess pod, or that pod alone. */

/** The container of the pod. */
export const EXEC_CONTAINER = 'hostprocess';

export interface ExecObjectOptions {
  readonly run: string;
  readonly namespace: string;
  readonly origin: string;
  readonly image: string;
  /** Of securityContext.windowsOptions. */
  readonly runAsUserName: string;
  readonly anchor: 'job' | 'pod';
  /** Of the Job. */
  readonly deadlineSeconds: number;
  /** Of the pod, and of its main process. */
  readonly sessionSeconds: number;
  readonly pullSecrets: readonly string[];
  readonly priorityClass: string | null;
  readonly requests: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** In place of the main process that waits: for commands whose output is read from the log. */
  readonly command?: { readonly argv: readonly string[]; readonly env: Readonly<Record<string, string>> };
}
