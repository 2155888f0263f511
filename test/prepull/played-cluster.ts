/** A control plane whose pulls are played by kwok (../cluster/stages-prepull.yaml), and runs of prepull against it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PrepullReport } from '../../src/app/prepull/prepull-report.ts';
import { prepullImages, type PrepullOptions, type PrepullStep } from '../../src/app/prepull-images.ts';
import { NO_PLATFORMS } from '../../src/domain/image/no-platforms.ts';
import { open, realClock } from '../cluster/played-runs.ts';

export const PREPULL_STAGES = readFileSync(join(import.meta.dirname, '../cluster/stages-prepull.yaml'), 'utf8');

/** Controllers, scheduler and kwok, which renews leases: without, nodes are NotReady for a moment every 50 s. */
export const PLAYED_CLUSTER = { with: ['controllers', 'scheduler', 'kwok'], kwokStages: PREPULL_STAGES, kwokNodes: 'kubectl-win-test/played=yes', kwokLeases: true } as const;

export interface Prepulled {
  readonly report: PrepullReport | null;
  readonly steps: readonly PrepullStep[];
  readonly error: unknown;
}

export function optionsFor(parts: Partial<PrepullOptions> & Pick<PrepullOptions, 'named' | 'run'>): PrepullOptions {
  return {
    from: [], namespace: 'default', isNamespaceGiven: true, nodes: [], nodeSelector: undefined, pools: [], skipsCordoned: true, minFree: null, images: NO_PLATFORMS, registry: null, readsPullSecrets: false,
    asOf: new Date(), overrides: {}, poolLabels: [], spaceOf: async () => null, signal: new AbortController().signal,
    origin: 'kubectl win test prepull', parallel: 10, retries: 3, timeoutSeconds: 60, serviceAccount: null, pullSecrets: [], dryRun: 'none', ...parts,
  };
}

/** `onStep` may abort, or do something to the cluster. */
export async function prepull(kubeconfig: string, options: PrepullOptions, onStep: (step: PrepullStep) => Promise<void> | void = () => undefined): Promise<Prepulled> {
  const cluster = await open(kubeconfig);
  const steps: PrepullStep[] = [];
  let report: PrepullReport | null = null;
  try {
    for await (const step of prepullImages(options, { reader: cluster, writer: cluster.writer, manifests: null, clock: realClock }, (one) => { report = one; })) {
      steps.push(step);
      await onStep(step);
    }
    return { report, steps, error: null };
  } catch (error) {
    return { report, steps, error };
  } finally {
    await cluster.close();
  }
}
