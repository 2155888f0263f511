import type { Suite } from 'mocha';
import { notRun } from '../support/cases.ts';
import type { Skippable } from '../support/cases.ts';
import { ensureParts, unobtainableParts } from './build.ts';
import type { PartName, Parts } from './build.ts';
import { partsFor, startCluster } from './start.ts';
import type { ClusterOptions, TestCluster } from './start.ts';

export interface UseClusterOptions extends ClusterOptions {
  /**
   * Suites that ask for the same options get the same cluster, which ends after the last suite of this mocha process.
   * false: one of its own, which ends with the suite.
   */
  readonly shared?: boolean;
}

const sharedClusters = new Map<string, Promise<TestCluster>>();

// A cold build of all programs takes about ten minutes on two cores.
const buildAndStartMilliseconds = 40 * 60 * 1000;
const stopMilliseconds = 30_000;

/**
 * To be called in a `describe`: gives its tests a running cluster, started before the first of them. Where neither Go
 * nor the programs are there the suite is skipped with a printed "not run" line, which is a failure where CI is set.
 *
 * A shared cluster holds what other suites have left: use namespaces and node names of your own, or delete the nodes
 * first.
 */
export function useCluster(options: UseClusterOptions = {}): () => TestCluster {
  const { shared = true, ...clusterOptions } = options;
  let cluster: TestCluster | undefined;

  before('start the cluster', async function () {
    this.timeout(buildAndStartMilliseconds);
    await partsOrSkip(this, partsFor(clusterOptions));
    cluster = shared ? await sharedCluster(clusterOptions, rootOf(this.test?.parent)) : await startCluster(clusterOptions);
  });

  after('stop the cluster', async function () {
    this.timeout(stopMilliseconds);
    if (!shared) await cluster?.stop();
  });

  return () => {
    if (cluster === undefined) throw new Error('the cluster runs in tests and hooks only, not while suites are being defined');
    return cluster;
  };
}

/**
 * The programs themselves, for a suite that needs no running cluster (the real kubectl, the registry); built where they
 * are missing, which takes minutes: give the hook or test a timeout. Skips, or fails where CI is set, without Go.
 */
export async function partsOrSkip<Name extends PartName>(context: Skippable, wanted: readonly Name[]): Promise<Parts<Name>> {
  const missing = await unobtainableParts(wanted);
  if (missing.length > 0) notRun(context, `this suite needs Go on PATH, or KUBEBUILDER_ASSETS with ${missing.join(', ')}`);
  return ensureParts(wanted);
}

function rootOf(suite: Suite | undefined): Suite {
  if (suite === undefined) throw new Error('useCluster belongs in a describe');
  return suite.parent === undefined ? suite : rootOf(suite.parent);
}

function sharedCluster(options: ClusterOptions, root: Suite): Promise<TestCluster> {
  const key = JSON.stringify(Object.entries(options).sort(([a], [b]) => a.localeCompare(b)));
  let starting = sharedClusters.get(key);
  if (starting === undefined) {
    starting = startCluster(options);
    sharedClusters.set(key, starting);
    // Mocha looks for the root suite's hooks after the last suite, so one that is added now still runs.
    root.afterAll('stop the shared cluster', async function () {
      this.timeout(stopMilliseconds);
      sharedClusters.delete(key);
      // A start that failed has been reported by the suites that needed it.
      const cluster = await starting?.catch(() => null);
      await cluster?.stop();
    });
  }
  return starting;
}
