/** A run of execOnNodes in a cluster in memory, and what came of it. */
import { execOnNodes, type ExecOptions, type ExecStep } from '../../src/app/exec-on-nodes.ts';
import type { ExecReport } from '../../src/app/hostprocess/exec-report.ts';
import { NONCE, KeptOutputs, type ExecCluster } from './exec-cluster.ts';
import { memoryRuns, type MemoryRuns } from './local-runs.ts';

export const RUN = 'ab12c';

export interface RanExec {
  readonly steps: readonly ExecStep[];
  readonly error: unknown;
  readonly report: ExecReport | null;
  readonly outputs: KeptOutputs;
  readonly records: MemoryRuns;
  /** `NODE: EXIT CODE REASON`, in the order of their ends. */
  readonly outcomes: readonly string[];
  readonly notes: readonly string[];
}

export interface RunExecOptions extends Partial<ExecOptions> {
  readonly records?: MemoryRuns;
  readonly onStep?: (step: ExecStep) => void;
}

/** All Windows nodes, with Windows PowerShell's `hostname`, in the namespace ops. */
export function execOptions(more: Partial<ExecOptions> = {}): ExecOptions {
  return {
    run: RUN, targets: [], pools: [], releases: [], all: true, command: commandOf('hostname'),
    objects: { origin: 'test', image: 'registry.example/base:v1', runAsUserName: 'NT AUTHORITY\\SYSTEM', pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {} },
    anchor: 'auto', namespace: { given: 'ops', configured: null }, parallel: 10, batchSize: null, batchPauseSeconds: 0, maxFailures: null, timeoutSeconds: 600, startTimeoutSeconds: 300, dryRun: 'none',
    describe: { asOf: new Date('2026-11-30T12:00:00Z'), poolLabels: [] }, confirm: async () => true, newNonce: () => NONCE, signal: new AbortController().signal, ...more,
  };
}

export function commandOf(...words: readonly string[]): ExecOptions['command'] {
  return { shell: 'powershell', words, script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop' };
}

export async function runExec(cluster: ExecCluster, { records = memoryRuns(), onStep = () => undefined, ...options }: RunExecOptions = {}): Promise<RanExec> {
  const outputs = new KeptOutputs();
  const steps: ExecStep[] = [];
  let failure: unknown = null;
  let report: ExecReport | null = null;
  const { reader, writer, exec, clock } = cluster;
  try {
    for await (const step of execOnNodes(execOptions(options), { reader, writer, exec, records, clock, streamsOf: outputs.streamsOf }, (one) => { report = one; })) {
      steps.push(step);
      onStep(step);
    }
  } catch (error) {
    failure = error;
  }
  return {
    steps, error: failure, report, outputs, records,
    outcomes: steps.flatMap((step) => (step.type === 'ended' ? [`${step.node}: ${step.outcome.exitCode} ${step.outcome.error?.reason ?? ''}`.trim()] : [])),
    notes: steps.flatMap((step) => (step.type === 'note' ? [step.message] : [])),
  };
}
