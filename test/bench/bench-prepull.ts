/** `prepull` of one image against the DaemonSet that people write by hand for it, in a real control plane whose kubelets are played. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { arrayAt, stringAt } from '../../src/domain/kubernetes/object.ts';
import { startCluster, type TestCluster } from '../cluster/start.ts';
import { auditFigures, type AuditFigures } from './audit-figures.ts';
import { benchNodes } from './bench-nodes.ts';
import type { Cost, CostMeter, Measured } from './cost.ts';

/** Windows nodes; each measured run takes no more than two minutes. */
const NODE_COUNTS = [100, 500] as const;
/** What the played pull of the image takes on each node, whatever else goes on. */
const PULL_MS = 2_000;
const IMAGE = `registry.example/bench/ok:1-${PULL_MS}ms`;
/** What a careful user would ask for. */
const WINDOW = 20;
const DEADLINE_MS = 120_000;
/** Of all runs together; by default it is begun anew after 100. */
const AUDIT_LOG_MIB = 4_000;
/** So long the idle cluster is looked at. */
const IDLE_MS = 10_000;

/** A pod whose first init container has the image: it is pulled in its time, that container ends, and the others run. */
const INIT_CONTAINER_STAGE = String.raw`
apiVersion: kwok.x-k8s.io/v1alpha1
kind: Stage
metadata: {name: bench-init-container-pulls}
spec:
  resourceRef: {apiGroup: v1, kind: Pod}
  selector:
    matchExpressions:
    - {key: '.metadata.deletionTimestamp', operator: DoesNotExist}
    - {key: '.status.phase', operator: In, values: ['Pending']}
    - {key: '.spec.nodeName', operator: Exists}
    - {key: '.spec.initContainers[0].image // "" | test("ok") | tostring', operator: In, values: ['true']}
    - {key: '.status.containerStatuses', operator: DoesNotExist}
  delay:
    durationMilliseconds: ${PULL_MS}
  next:
    event: {type: Normal, reason: Pulled, message: 'Successfully pulled image "x" in 1m3.5s (1m4.25s including waiting). Image size: 1900000000 bytes.'}
    statusTemplate: |
      {{ $now := Now }}
      startTime: {{ $now | Quote }}
      phase: Running
      conditions:
      - {lastTransitionTime: {{ $now | Quote }}, status: "True", type: Initialized}
      - {lastTransitionTime: {{ $now | Quote }}, status: "True", type: Ready}
      - {lastTransitionTime: {{ $now | Quote }}, status: "True", type: ContainersReady}
      initContainerStatuses:
      {{ range .spec.initContainers }}
      - name: {{ .name | Quote }}
        image: {{ .image | Quote }}
        ready: true
        restartCount: 0
        imageID: {{ printf "%s@sha256:%s" .image "0000000000000000000000000000000000000000000000000000000000000000" | Quote }}
        containerID: containerd://1
        state: {terminated: {exitCode: 0, reason: Completed, containerID: "containerd://1", startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }}}}
      {{ end }}
      containerStatuses:
      {{ range .spec.containers }}
      - name: {{ .name | Quote }}
        image: {{ .image | Quote }}
        ready: true
        started: true
        restartCount: 0
        imageID: {{ printf "%s@sha256:%s" .image "0000000000000000000000000000000000000000000000000000000000000000" | Quote }}
        containerID: containerd://2
        state: {running: {startedAt: {{ $now | Quote }}}}
      {{ end }}
`;

/** As in JupyterHub's pre-puller and many a gist: an init container with the image that ends, and a pause container that keeps the pod Ready. */
const DAEMON_SET = {
  apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'prepull', labels: { app: 'prepull' } },
  spec: {
    selector: { matchLabels: { app: 'prepull' } },
    template: {
      metadata: { labels: { app: 'prepull' } },
      spec: {
        nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ operator: 'Exists' }], terminationGracePeriodSeconds: 0, automountServiceAccountToken: false,
        initContainers: [{ name: 'prepull', image: IMAGE, command: ['cmd.exe', '/c', 'exit', '0'] }],
        containers: [{ name: 'pause', image: 'registry.k8s.io/pause:3.10' }],
      },
    },
  },
};
const APPLY_WAIT_DELETE = '"$0" apply -n "$1" -f "$2" && "$0" rollout status -n "$1" daemonset/prepull && "$0" delete -n "$1" -f "$2"';

export interface PrepullBenchOptions {
  readonly meter: CostMeter;
  readonly launcher: string;
  /** Empty folder for files. */
  readonly folder: string;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

export interface PrepullRun extends Cost, Omit<AuditFigures, 'lastPulledAt'> {
  /** From the start of the command until the last node had the image. */
  readonly imageSeconds: number;
  /** CPU time of the API server until nothing of the run was left, without what it has to do for idle nodes. */
  readonly serverCpuSeconds: number;
}

/** What an image on all nodes costs; the runs of round i stand at index i of each list. */
export interface PrepullResult {
  readonly pullSeconds: number;
  readonly clusters: readonly {
    readonly nodes: number;
    readonly daemonSet: readonly PrepullRun[];
    readonly ours: readonly { readonly parallel: number; readonly runs: readonly PrepullRun[] }[];
  }[];
}

export async function benchPrepull(options: PrepullBenchOptions): Promise<PrepullResult> {
  const { folder, progress } = options;
  const rounds = Math.min(options.rounds, 3);
  progress('starting a control plane with controllers, scheduler and kwok');
  const stages = await readFile(join(import.meta.dirname, '..', 'cluster', 'stages-prepull.yaml'), 'utf8');
  const cluster = await startCluster({ with: ['controllers', 'scheduler', 'kwok'], kwokLeases: true, apiServerArgs: [`--audit-log-maxsize=${AUDIT_LOG_MIB}`], kwokStages: `${stages}\n---\n${INIT_CONTAINER_STAGE}` });
  try {
    const manifest = join(folder, 'daemonset.yaml');
    await writeFile(manifest, JSON.stringify(DAEMON_SET));
    const clusters: PrepullResult['clusters'][number][] = [];
    for (const [index, nodes] of NODE_COUNTS.entries()) {
      progress(`loading ${nodes} Windows nodes`);
      await loadWindowsNodes(cluster, NODE_COUNTS[index - 1] ?? 0, nodes);
      const idleCpuPerSecond = await idleShare(cluster);
      const windows = [nodes, WINDOW];
      const daemonSet: PrepullRun[] = [];
      const ours = windows.map((parallel) => ({ parallel, runs: [] as PrepullRun[] }));
      // The smallest case warms up for all.
      for (let round = index === 0 ? 0 : 1; round <= rounds; round++) {
        const isCounted = round > 0;
        const oneOf = async (title: string, agent: string, commandIn: (namespace: string) => readonly string[]): Promise<PrepullRun> => {
          progress(`prepull, ${nodes} nodes, ${title}: ${isCounted ? `${round} of ${rounds}` : 'warming up'}`);
          const namespace = `bench-${nodes}-${round}-${title.replaceAll(/\W+/g, '-').toLowerCase()}`;
          const run = await measure(options.meter, cluster, { namespace, agent, nodes, idleCpuPerSecond, measured: { title, command: commandIn(namespace), env: { KUBECONFIG: cluster.kubeconfig } } });
          progress(`  ${run.imageSeconds.toFixed(1)} s, ${run.requests} requests: ${run.requestsByKind.slice(0, 6).map(([kind, count]) => `${count} ${kind}`).join(', ')}; ${run.writes} writes of others, ${run.mostAtOnce} pulls at once`);
          return run;
        };
        const byHand = await oneOf('DaemonSet', 'kubectl/', (namespace) => ['/bin/sh', '-c', APPLY_WAIT_DELETE, cluster.parts.kubectl, namespace, manifest]);
        if (isCounted) daemonSet.push(byHand);
        for (const { parallel, runs } of ours) {
          const run = await oneOf(`parallel ${parallel}`, 'kubectl-win/', (namespace) => [options.launcher, 'prepull', IMAGE, `--parallel=${parallel}`, '-n', namespace]);
          if (isCounted) runs.push(run);
        }
      }
      clusters.push({ nodes, daemonSet, ours });
    }
    return { pullSeconds: PULL_MS / 1000, clusters };
  } finally {
    await cluster.stop();
  }
}

/** `loaded`: so many are there. */
async function loadWindowsNodes(cluster: TestCluster, loaded: number, count: number): Promise<void> {
  // Every second one of these is Windows; those of a smaller count stay.
  await cluster.loadNodes(benchNodes(2 * count).filter((_, index) => index % 2 === 0).slice(loaded));
  await until('nodes that take pods', async () => {
    const nodes = arrayAt(await cluster.api.get('/api/v1/nodes?resourceVersion=0'), 'items');
    return nodes.length === count && nodes.every((node) => arrayAt(node, 'spec', 'taints').length === 0 && arrayAt(node, 'status', 'conditions').some((condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True'));
  });
}

async function measure(meter: CostMeter, cluster: TestCluster, { namespace, agent, nodes, idleCpuPerSecond, measured }: { readonly namespace: string; readonly agent: string; readonly nodes: number; readonly idleCpuPerSecond: number; readonly measured: Measured }): Promise<PrepullRun> {
  await cluster.createNamespace(namespace);
  const mark = await cluster.auditMark();
  const cpuBefore = await serverCpuSeconds(cluster);
  const startedAt = Date.now();
  const cost = await meter.run(measured);
  await until(`nothing left in ${namespace}`, async () => {
    const lists = await Promise.all([`/api/v1/namespaces/${namespace}/pods`, `/apis/batch/v1/namespaces/${namespace}/jobs`, `/apis/apps/v1/namespaces/${namespace}/daemonsets`].map((path) => cluster.api.get(`${path}?limit=1`)));
    return lists.every((list) => arrayAt(list, 'items').length === 0);
  });
  const serverCpu = await serverCpuSeconds(cluster) - cpuBefore - idleCpuPerSecond * (Date.now() - startedAt) / 1000;
  const { lastPulledAt, ...figures } = auditFigures(await cluster.auditEvents(mark), { agent, namespace });
  if (lastPulledAt === null || figures.pulled !== nodes) throw new Error(`${measured.title}: ${figures.pulled} of ${nodes} nodes have the image`);
  return { ...cost, ...figures, imageSeconds: (lastPulledAt - startedAt) / 1000, serverCpuSeconds: serverCpu };
}

/** Seconds of CPU that the API server uses in a second for nodes on which nothing happens. */
async function idleShare(cluster: TestCluster): Promise<number> {
  const before = await serverCpuSeconds(cluster);
  await sleep(IDLE_MS);
  return (await serverCpuSeconds(cluster) - before) / (IDLE_MS / 1000);
}

async function serverCpuSeconds(cluster: TestCluster): Promise<number> {
  const { text } = await cluster.api.send('GET', '/metrics');
  const value = /^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1];
  if (value === undefined) throw new Error('the API server does not tell its CPU time');
  return Number(value);
}

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + DEADLINE_MS; !(await isTrue()); await sleep(250)) {
    if (Date.now() > deadline) throw new Error(`${what}: not within ${DEADLINE_MS / 1000} s`);
  }
}
