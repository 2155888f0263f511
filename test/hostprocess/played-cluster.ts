/**
 * A control plane whose HostProcess pods are played: by kwok (../cluster/stages-exec.yaml) what their kubelets report, by the kubelet stand-in
 * what becomes of an exec (../cluster/windows-process/windows-shell.go). For all suites of runs on nodes:
 *
 *     const cluster = useCluster(PLAYED_CLUSTER);
 *     await loadPlayedNodes(cluster(), ['exec-1', 'exec-2', 'exec-dead-1']);   // words in names say what happens, see stages-exec.yaml
 *     const client = await open(cluster().kubeconfig);                        // ../cluster/played-runs.ts, as are realClock, LivePods, leftIn, nothingLeft
 *     …
 *     const [record] = await recordsOf(cluster(), run, 0);                    // argv, words, stdin as they arrived on the run's first node
 *     const asked = await requestsSince(cluster(), mark);                     // [{ verb: 'create', resource: 'pods/exec', … }]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isRecord, nameOf, stringAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import { PLAYED } from '../cluster/played-runs.ts';
import type { ExecRecord, TestCluster } from '../cluster/start.ts';
import { rawNode, type NodeParts } from '../support/fake-cluster.ts';

const EXEC_STAGES = readFileSync(join(import.meta.dirname, '../cluster/stages-exec.yaml'), 'utf8');

/** Controllers, kwok, the kubelet stand-in as a Windows node, and bodies of requests in the audit log. No scheduler: runs name their nodes. */
export const PLAYED_CLUSTER = { with: ['controllers', 'kwok', 'kubelet'], kwokStages: EXEC_STAGES, kwokNodes: 'kubectl-win-test/played=yes', kwokLeases: true, standInPlays: 'windows-shell', auditLevel: 'Request' } as const;

/**
 * Windows nodes, or others by `parts`, whose pods are played and whose exec reaches the stand-in. They are Ready, because kwok makes them so; one
 * that is to be NotReady comes from `loadUnplayedNodes`.
 */
export async function loadPlayedNodes(cluster: TestCluster, names: readonly string[], parts: NodeParts = {}): Promise<void> {
  await cluster.loadNodes(names.map((name) => rawNode(name, parts)), { kubelet: true, labels: PLAYED });
}

/** Nodes that kwok lets alone: their conditions stay as `parts` have them, and their pods Pending unless the test reports for them (`reportRunning`). */
export async function loadUnplayedNodes(cluster: TestCluster, names: readonly string[], parts: NodeParts = {}): Promise<void> {
  await cluster.loadNodes(names.map((name) => rawNode(name, parts)), { kubelet: true });
}

/** As a kubelet that is alive, whatever the node's conditions are. `ago`: seconds since it was. */
export async function renewLease(cluster: TestCluster, node: string, ago = 0): Promise<void> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  const renewTime = new Date(Date.now() - ago * 1000).toISOString().replace('Z', '000Z');
  await cluster.api.send('DELETE', `${path}/${node}`);
  await cluster.api.create(path, { metadata: { name: node }, spec: { holderIdentity: node, leaseDurationSeconds: 40, renewTime } });
}

/** Reports a pod as running, in place of a kubelet that kwok does not play. */
export async function reportRunning(cluster: TestCluster, namespace: string, pod: string): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods/${pod}`;
  const object = await cluster.api.get(path);
  const startedAt = new Date().toISOString();
  const containers = (isRecord(object['spec']) && Array.isArray(object['spec']['containers']) ? object['spec']['containers'] : []) as readonly { readonly name: string; readonly image: string }[];
  const status = {
    phase: 'Running', startTime: startedAt, conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: startedAt }],
    containerStatuses: containers.map(({ name, image }) => ({ name, image, imageID: image, containerID: 'containerd://1', ready: true, started: true, restartCount: 0, state: { running: { startedAt } } })),
  };
  const answer = await cluster.api.send('PUT', `${path}/status`, { ...object, status });
  if (answer.status >= 300) throw new Error(`the status of ${pod}: ${answer.status}`);
}

/** Takes a pod out of the API server that was deleted, as the kubelet does once its containers have ended. */
export async function reportGone(cluster: TestCluster, namespace: string, pod: string): Promise<void> {
  await cluster.api.send('DELETE', `/api/v1/namespaces/${namespace}/pods/${pod}`, { gracePeriodSeconds: 0 });
}

/** The kubelet of a node that kwok lets alone, until the signal: it renews its Lease, starts pods of a namespace, and ends those that were deleted. */
export async function playKubelet(cluster: TestCluster, namespace: string, node: string, signal: AbortSignal): Promise<void> {
  const path = `/api/v1/namespaces/${namespace}/pods?fieldSelector=spec.nodeName%3D${node}`;
  const reported = new Set<string>();
  for (let look = 0; !signal.aborted; look += 1) {
    if (look % 20 === 0) await renewLease(cluster, node);
    const { items } = await cluster.api.get(path) as unknown as { readonly items: readonly KubeObject[] };
    for (const pod of items) {
      if (stringAt(pod, 'metadata', 'deletionTimestamp') !== undefined) await reportGone(cluster, namespace, nameOf(pod));
      else if (!reported.has(nameOf(pod))) {
        await reportRunning(cluster, namespace, nameOf(pod));
        reported.add(nameOf(pod));
      }
    }
    await sleep(500);
  }
}

/** Jobs and pods of runs, in one namespace or in all. */
export async function objectsOfRuns(cluster: TestCluster, namespace?: string): Promise<readonly KubeObject[]> {
  const scope = namespace === undefined ? ['-A'] : ['-n', namespace];
  const { stdout } = await cluster.kubectl(['get', 'job,pod', ...scope, '-l', 'app.kubernetes.io/managed-by=kubectl-win,app.kubernetes.io/component=hostprocess', '-o', 'json']);
  return (JSON.parse(stdout) as { readonly items: readonly KubeObject[] }).items;
}

/** A request as the audit log has it. */
export interface AuditedRequest {
  readonly verb: string;
  /** With its subresource: `pods/exec`. */
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
  readonly uri: string;
  /** Dry runs change nothing. */
  readonly isDryRun: boolean;
  readonly code: number;
  readonly body: unknown;
}

/** What the program has asked since a mark (`cluster.auditMark()`), as anybody; neither the test nor controllers and kwok. */
export async function requestsSince(cluster: TestCluster, mark: number): Promise<readonly AuditedRequest[]> {
  return (await cluster.auditEvents(mark)).filter(({ stage, userAgent }) => stage !== 'ResponseStarted' && (userAgent ?? '').startsWith('kubectl-win')).map(({ verb, user, objectRef, requestURI, responseStatus, requestObject }) => ({
    verb, resource: [objectRef?.resource ?? '', ...(objectRef?.subresource === undefined ? [] : [objectRef.subresource])].join('/'), namespace: objectRef?.namespace ?? '',
    name: objectRef?.name ?? (isRecord(requestObject) ? nameOf(requestObject) : ''), user: user.username, uri: requestURI, isDryRun: requestURI.includes('dryRun='), code: responseStatus?.code ?? 0, body: requestObject ?? null,
  }));
}

/** What arrived in the pods of a run, or of its node with this number: they are there when the pods are gone. */
export async function recordsOf(cluster: TestCluster, run: string, index?: number): Promise<readonly ExecRecord[]> {
  const name = new RegExp(`^kubectl-win-hostprocess-${run}-${index ?? '\\d+'}(?:-[a-z0-9]{5})?$`);
  return (await cluster.execRecords()).filter(({ pod }) => name.test(pod));
}
