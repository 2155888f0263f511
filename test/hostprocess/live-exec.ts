/** Runs of execOnNodes against a test cluster, by the program's own client. */
import { randomBytes } from 'node:crypto';
import { execOnNodes, type ExecOptions, type ExecStep } from '../../src/app/exec-on-nodes.ts';
import type { ExecReport } from '../../src/app/hostprocess/exec-report.ts';
import type { LocalRuns } from '../../src/app/ports.ts';
import { open, realClock } from '../cluster/played-runs.ts';
import { KeptOutputs } from '../support/exec-cluster.ts';
import { execOptions } from '../support/exec-run.ts';

export interface LiveExec {
  readonly steps: readonly ExecStep[];
  readonly report: ExecReport | null;
  readonly outputs: KeptOutputs;
  readonly error: unknown;
}

export interface LiveExecOptions extends Partial<ExecOptions> {
  readonly records?: LocalRuns;
}

/** `onStep` may abort, or do something to the cluster. */
export async function liveExec(kubeconfig: string, { records, ...options }: LiveExecOptions, onStep: (step: ExecStep) => Promise<void> | void = () => undefined): Promise<LiveExec> {
  const client = await open(kubeconfig);
  const steps: ExecStep[] = [];
  const outputs = new KeptOutputs();
  let report: ExecReport | null = null;
  try {
    const given = execOptions({ newNonce: () => randomBytes(8).toString('hex'), describe: { asOf: new Date() }, ...options });
    for await (const step of execOnNodes(given, { reader: client, writer: client.writer, exec: client.execChannel, records: records ?? null, clock: realClock, streamsOf: outputs.streamsOf }, (one) => { report = one; })) {
      steps.push(step);
      await onStep(step);
    }
    return { steps, report, outputs, error: null };
  } catch (error) {
    return { steps, report, outputs, error };
  } finally {
    await client.close();
  }
}
