import { arrayAt, booleanAt, isRecord, numberAt, stringAt, valueAt } from '../kubernetes/object.ts';
import { ownerKey } from '../workload/owner.ts';
import type { InjectedContainer, PodEvidenceSource, PodSymptom } from '../workload/pod-evidence.ts';
import { explainSymptom } from './symptoms/symptom-kinds.ts';

/** The workload that a pod belongs to: its topmost owner, or itself. */
export interface PodOwner {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Names of all containers of its pod template; null when the template is not known, so that nothing is taken for injected. */
  readonly templateContainers: ReadonlySet<string> | null;
}

export interface PodEvidenceOptions {
  /** The owner of a raw pod; null for a pod that nobody will ask about. */
  readonly ownerOf: (pod: unknown) => PodOwner | null;
}

/** Takes pods and events page by page and keeps what is wrong with them, per workload; healthy pods leave a count behind. */
export interface PodEvidenceCollector extends PodEvidenceSource {
  addPods(pods: readonly unknown[]): void;
  /** Events of core/v1 or events.k8s.io/v1; those of pods that were not added, or are well, tell nothing. Pods come first. */
  addEvents(events: readonly unknown[]): void;
  /** Lets go of what is known of a workload that nobody will ask about again. */
  forget(kind: string, namespace: string, name: string): void;
}

/** Names kept per symptom, and symptoms kept per workload: enough to act on, and the memory stays bounded. */
const NODES_PER_SYMPTOM = 10;
const NODES_PER_WORKLOAD = 10;
const SYMPTOMS_PER_WORKLOAD = 20;
/** Characters of a message that are kept; HCS appends the whole configuration of a container. */
const MESSAGE_LENGTH = 600;

/** Waiting reasons of a pod that is merely on its way. */
const ON_ITS_WAY = new Set(['ContainerCreating', 'PodInitializing', '']);

/** One per workload of a cluster, nearly all of them without trouble: what is rare is made when it is needed. */
interface Tally {
  pods: number;
  symptoms: Map<string, SymptomTally> | null;
  injected: InjectedContainer[];
  /** At most NODES_PER_WORKLOAD. */
  readonly nodes: string[];
}

/** What a pod tells of itself. */
type Complaint = Omit<PodSymptom, 'nodes' | 'pods'>;

interface SymptomTally extends Complaint {
  readonly nodes: Set<string>;
  pods: number;
}

interface TroubledPod {
  readonly tally: Tally;
  readonly node: string | null;
  /** Keys of the symptoms that it was counted for. */
  readonly counted: Set<string>;
}

export function collectPodEvidence({ ownerOf }: PodEvidenceOptions): PodEvidenceCollector {
  const tallies = new Map<string, Tally>();
  const troubled = new Map<string, TroubledPod>();
  // one text for all pods of a node
  const nodeNames = new Map<string, string>();
  return {
    addPods(pods) {
      for (const pod of pods) {
        const owner = ownerOf(pod);
        if (owner === null) continue;
        const tally = tallyOf(tallies, owner);
        const named = stringAt(pod, 'spec', 'nodeName') ?? null;
        const node = named === null ? null : nodeNames.get(named) ?? named;
        if (node !== null) nodeNames.set(node, node);
        tally.pods += 1;
        if (node !== null && node !== '' && tally.nodes.length < NODES_PER_WORKLOAD && !tally.nodes.includes(node)) tally.nodes.push(node);
        if (owner.templateContainers !== null) addInjected(tally, pod, owner.templateContainers);
        const complaints = complaintsOf(pod);
        if (complaints.length === 0 && isWell(pod)) continue;
        const one: TroubledPod = { tally, node, counted: new Set() };
        troubled.set(podKey(stringAt(pod, 'metadata', 'namespace'), stringAt(pod, 'metadata', 'name')), one);
        for (const complaint of complaints) count(one, complaint);
      }
    },
    addEvents(events) {
      for (const event of events) {
        const subject = valueAt(event, 'involvedObject') ?? valueAt(event, 'regarding');
        if (stringAt(subject, 'kind') !== 'Pod' || stringAt(event, 'type') === 'Normal') continue;
        const pod = troubled.get(podKey(stringAt(subject, 'namespace'), stringAt(subject, 'name')));
        if (pod === undefined) continue;
        const reason = stringAt(event, 'reason') ?? '';
        const message = stringAt(event, 'message') ?? stringAt(event, 'note') ?? '';
        // events of many kinds are about nothing that stands here; those that no kind explains are left to kubectl describe
        if (explainSymptom(reason, message) === null) continue;
        const container = /\{(.+)\}$/.exec(stringAt(subject, 'fieldPath') ?? '')?.[1] ?? null;
        count(pod, { reason, message, container, image: null });
      }
    },
    forget(kind, namespace, name) {
      tallies.delete(ownerKey(kind, namespace, name));
    },
    evidenceOf(kind, namespace, name) {
      const tally = tallies.get(ownerKey(kind, namespace, name));
      return tally === undefined ? null : {
        pods: tally.pods,
        symptoms: [...tally.symptoms?.values() ?? []].map((symptom) => ({ ...symptom, nodes: [...symptom.nodes] })),
        injected: tally.injected,
        nodes: tally.nodes,
      };
    },
  };
}

function podKey(namespace: string | undefined, name: string | undefined): string {
  return `${namespace ?? 'default'}/${name ?? ''}`;
}

function tallyOf(tallies: Map<string, Tally>, owner: PodOwner): Tally {
  const key = ownerKey(owner.kind, owner.namespace, owner.name);
  const known = tallies.get(key);
  if (known !== undefined) return known;
  const tally: Tally = { pods: 0, symptoms: null, injected: [], nodes: [] };
  tallies.set(key, tally);
  return tally;
}

function addInjected(tally: Tally, pod: unknown, templateContainers: ReadonlySet<string>): void {
  for (const list of ['initContainers', 'containers'] as const) {
    for (const container of arrayAt(pod, 'spec', list)) {
      const name = stringAt(container, 'name');
      if (name === undefined || templateContainers.has(name)) continue;
      const place = tally.injected.findIndex((one) => one.name === name);
      if (tally.injected[place]?.hasRun === true) continue;
      tally.injected[place === -1 ? tally.injected.length : place] = { name, image: stringAt(container, 'image') ?? '', list, hasRun: hasRun(pod, list, name) };
    }
  }
}

function hasRun(pod: unknown, list: InjectedContainer['list'], name: string): boolean {
  const statuses = arrayAt(pod, 'status', list === 'initContainers' ? 'initContainerStatuses' : 'containerStatuses');
  return statuses.some((status) => stringAt(status, 'name') === name && (booleanAt(status, 'ready') === true || numberAt(status, 'state', 'terminated', 'exitCode') === 0));
}

/** Ended well, or running with all containers ready. */
function isWell(pod: unknown): boolean {
  const phase = stringAt(pod, 'status', 'phase');
  if (phase === 'Succeeded') return true;
  const ready = arrayAt(pod, 'status', 'conditions').find((condition) => stringAt(condition, 'type') === 'Ready');
  return phase === 'Running' && stringAt(ready, 'status') === 'True';
}

/** What the status of a pod complains of. Running and ready pods complain of nothing, whatever their containers ended with before. */
function complaintsOf(pod: unknown): readonly Complaint[] {
  if (isWell(pod)) return [];
  const found: Complaint[] = [];
  const reason = stringAt(pod, 'status', 'reason') ?? '';
  if (reason !== '') found.push({ reason, message: stringAt(pod, 'status', 'message') ?? '', container: null, image: null });
  for (const condition of arrayAt(pod, 'status', 'conditions')) {
    if (stringAt(condition, 'type') !== 'PodScheduled' || stringAt(condition, 'status') !== 'False') continue;
    const why = stringAt(condition, 'reason') ?? '';
    if (why === 'Unschedulable') found.push({ reason: why, message: stringAt(condition, 'message') ?? '', container: null, image: null });
  }
  const images = new Map(['initContainers', 'containers'].flatMap((list) => arrayAt(pod, 'spec', list)).map((container) => [stringAt(container, 'name') ?? '', stringAt(container, 'image') ?? null]));
  for (const status of [...arrayAt(pod, 'status', 'initContainerStatuses'), ...arrayAt(pod, 'status', 'containerStatuses')]) {
    const container = stringAt(status, 'name') ?? '';
    const complaint = complaintOf(status);
    if (complaint !== null) found.push({ ...complaint, container, image: images.get(container) ?? stringAt(status, 'image') ?? null });
  }
  return found;
}

/** Of CrashLoopBackOff the last end tells more than the wait. */
function complaintOf(status: unknown): Pick<Complaint, 'reason' | 'message'> | null {
  const waiting = valueAt(status, 'state', 'waiting');
  const ended = valueAt(status, 'state', 'terminated') ?? valueAt(status, 'lastState', 'terminated');
  const end = isRecord(ended) && numberAt(ended, 'exitCode') !== 0
    ? { reason: stringAt(ended, 'reason') ?? 'Error', message: endText(ended) }
    : null;
  const reason = stringAt(waiting, 'reason') ?? '';
  if (ON_ITS_WAY.has(reason) || reason === 'CrashLoopBackOff') return end;
  return { reason, message: stringAt(waiting, 'message') ?? '' };
}

function endText(ended: unknown): string {
  const message = stringAt(ended, 'message');
  const exitCode = numberAt(ended, 'exitCode');
  return [message, exitCode === undefined ? undefined : `exit code ${exitCode}`].filter((text) => text !== undefined && text !== '').join(', ');
}

/** Counts a pod once for each kind of trouble and container, whether its status or its events tell of it. */
function count(pod: TroubledPod, { reason, message, container, image }: Complaint): void {
  const kind = explainSymptom(reason, message);
  const key = `${kind?.id ?? reason}/${container ?? ''}`;
  if (pod.counted.has(key)) return;
  // an event names no container where the status named one already
  if (kind !== null && container === null && [...pod.counted].some((other) => other.startsWith(`${kind.id}/`))) return;
  pod.counted.add(key);
  const symptoms = (pod.tally.symptoms ??= new Map<string, SymptomTally>());
  let symptom = symptoms.get(key);
  if (symptom === undefined) {
    if (symptoms.size >= SYMPTOMS_PER_WORKLOAD) return;
    symptom = { reason, message: message.slice(0, MESSAGE_LENGTH), container, image, nodes: new Set(), pods: 0 };
    symptoms.set(key, symptom);
  }
  symptom.pods += 1;
  if (pod.node !== null && pod.node !== '' && symptom.nodes.size < NODES_PER_SYMPTOM) symptom.nodes.add(pod.node);
}
