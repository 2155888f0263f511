/** `hostprocess exec` of one command against the pods that people make by hand for it with kubectl, in a real control plane whose kubelets are played. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { arrayAt } from '../../src/domain/kubernetes/object.ts';
import { eventually, startCluster, type TestCluster } from '../cluster/start.ts';
import { loadPlayedNodes, PLAYED_CLUSTER } from '../hostprocess/played-cluster.ts';
import { auditFigures } from './audit-figures.ts';
import type { Cost, CostMeter, Measured } from './cost.ts';

const NODE_COUNTS = [1, 200] as const;
/** Nodes at a time, on both sides. */
const WINDOW = 20;
const LEFT_SECONDS = 120;
const TEXT = 'bench';

/** As in sig-windows' examples: https://kubernetes.io/docs/tasks/configure-pod-container/create-hostprocess-pod/, read 2026-11-30. NODE and NAME are filled in. */
const POD = {
  apiVersion: 'v1', kind: 'Pod', metadata: { name: 'NAME' },
  spec: {
    nodeName: 'NODE', hostNetwork: true, restartPolicy: 'Never', terminationGracePeriodSeconds: 0, nodeSelector: { 'kubernetes.io/os': 'windows' }, tolerations: [{ operator: 'Exists' }],
    securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'NT AUTHORITY\\SYSTEM' } },
    containers: [{ name: 'shell', image: 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', command: ['cmd.exe', '/c', 'ping -n 600 127.0.0.1 >NUL'] }],
  },
};

/** $0: kubectl, $1: namespace, $2: manifest, $3: node. Create, wait, exec, delete. */
const BY_HAND = `pod="by-hand-$3" && sed -e "s/NAME/$pod/" -e "s/NODE/$3/" "$2" | "$0" create -n "$1" -f - >/dev/null && "$0" wait -n "$1" --for=condition=Ready "pod/$pod" --timeout=60s >/dev/null && "$0" exec -n "$1" "$pod" -- echo ${TEXT} && "$0" delete -n "$1" pod "$pod" --now >/dev/null`;
/** $4…: nodes. */
const ALL_BY_HAND = `kubectl="$0" namespace="$1" manifest="$2" one="$3" && shift 3 && printf '%s\\n' "$@" | xargs -P ${WINDOW} -I NODE_NAME /bin/sh -c "$one" "$kubectl" "$namespace" "$manifest" NODE_NAME`;

export interface ExecBenchOptions {
  readonly meter: CostMeter;
  readonly launcher: string;
  /** Empty folder for files. */
  readonly folder: string;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

export interface ExecRun extends Cost {
  /** Of the client, a watch once. */
  readonly requests: number;
}

/** What a command on all nodes costs; the runs of round i stand at index i of each list. */
export interface ExecResult {
  readonly parallel: number;
  readonly clusters: readonly { readonly nodes: number; readonly byHand: readonly ExecRun[]; readonly ours: readonly ExecRun[] }[];
}

export async function benchExec(options: ExecBenchOptions): Promise<ExecResult> {
  const { folder, progress } = options;
  const rounds = Math.min(options.rounds, 3);
  progress('starting a control plane with controllers, kwok and a kubelet');
  const cluster = await startCluster(PLAYED_CLUSTER);
  try {
    const manifest = join(folder, 'pod.json');
    await writeFile(manifest, JSON.stringify(POD));
    const clusters: ExecResult['clusters'][number][] = [];
    const loaded: string[] = [];
    for (const nodes of NODE_COUNTS) {
      progress(`loading ${nodes} Windows node${nodes === 1 ? '' : 's'}`);
      const more = Array.from({ length: nodes - loaded.length }, (_, index) => `bench-${loaded.length + index}`);
      await loadPlayedNodes(cluster, more);
      loaded.push(...more);
      const byHand: ExecRun[] = [];
      const ours: ExecRun[] = [];
      for (let round = 0; round <= rounds; round++) {
        progress(`exec on ${nodes}: ${round === 0 ? 'warming up' : `${round} of ${rounds}`}`);
        const namespace = `bench-${nodes}-${round}`;
        await cluster.createNamespace(namespace);
        const hand = await measure(options.meter, cluster, { namespace, agent: 'kubectl/', nodes, title: 'kubectl', command: ['/bin/sh', '-c', ALL_BY_HAND, cluster.parts.kubectl, namespace, manifest, BY_HAND, ...loaded] });
        const own = await measure(options.meter, cluster, { namespace, agent: 'kubectl-win/', nodes, title: 'ours', command: [options.launcher, 'hostprocess', 'exec', ...loaded, '-n', namespace, '--yes', `--parallel=${WINDOW}`, '--', 'echo.exe', TEXT] });
        if (round === 0) continue;
        byHand.push(hand);
        ours.push(own);
      }
      clusters.push({ nodes, byHand, ours });
    }
    return { parallel: WINDOW, clusters };
  } finally {
    await cluster.stop();
  }
}

async function measure(meter: CostMeter, cluster: TestCluster, { namespace, agent, nodes, ...measured }: Measured & { readonly namespace: string; readonly agent: string; readonly nodes: number }): Promise<ExecRun> {
  const mark = await cluster.auditMark();
  const cost = await meter.run({ ...measured, env: { KUBECONFIG: cluster.kubeconfig } });
  if (cost.stdoutBytes < nodes * TEXT.length) throw new Error(`${measured.title}: ${cost.stdoutBytes} bytes of output from ${nodes} nodes`);
  await eventually(`nothing is left in ${namespace}`, LEFT_SECONDS, async () => {
    const lists = await Promise.all([`/api/v1/namespaces/${namespace}/pods`, `/apis/batch/v1/namespaces/${namespace}/jobs`].map((path) => cluster.api.get(`${path}?limit=1`)));
    return lists.every((list) => arrayAt(list, 'items').length === 0) ? true : undefined;
  });
  return { ...cost, requests: auditFigures(await cluster.auditEvents(mark), { agent, namespace }).requests };
}
