/** What will happen with a pod on a node? (product.md question 4.) Field names are a contract: CheckReport.workloads[].verdicts. */
import type { CheckFacts } from '../check/facts.ts';
import type { Finding } from '../check/finding.ts';
import type { WorkloadSubject } from '../check/rule.ts';
import { hostGroupsOf, imageOnGroup, joinGroups, type HostGroup } from '../image/host-groups.ts';
import { imageErrorTexts, type ImageErrorText } from '../image/image-error-text.ts';
import { parseReference } from '../image/reference.ts';
import { stringAt } from '../kubernetes/object.ts';
import type { WindowsNode } from '../node/windows-node.ts';

export type PodVerdictName =
  | 'runs' | 'runs-down-level' | 'fails-at-pull' | 'fails-at-start' | 'rejected' | 'refused-by-kubelet' | 'fields-ignored' | 'unknown';

export interface PodVerdict {
  readonly verdict: PodVerdictName;
  /** Names of the candidate nodes that it holds for; empty where it holds everywhere (rejected). */
  readonly nodes: readonly string[];
  /** One sentence. */
  readonly because: string;
  /** What the kubelet and the runtime will say of the image that fails: all texts that may come. Absent where no image does, or the words are not known. */
  readonly errorTexts?: readonly ImageErrorText[];
}

type Answer = Omit<PodVerdict, 'nodes'>;

/** From the worst to the best. */
const ORDER: readonly PodVerdictName[] = ['rejected', 'refused-by-kubelet', 'fails-at-pull', 'fails-at-start', 'unknown', 'fields-ignored', 'runs-down-level', 'runs'];

/** No space for more in a sentence. */
const MOST_FIELDS = 3;

/**
 * What becomes of the pods of a workload on each node that they can land on, nodes of one verdict and one reason together,
 * the worst first. `findings` are those that concern it (findings-by-template.ts). Windows nodes are judged, and Linux nodes where the kubelet refuses
 * the pod there. Empty where no such node is a candidate.
 */
export function verdictsOf(subject: WorkloadSubject, findings: readonly Finding[], facts: CheckFacts): readonly PodVerdict[] {
  const rejected = findings.filter(({ effect }) => effect === 'rejected');
  const [first] = rejected;
  if (first !== undefined) return [{ verdict: 'rejected', nodes: [], because: `the API server refuses it: ${first.message}${rejected.length > 1 ? `, and ${rejected.length - 1} more` : ''}` }];
  const { placement, workload, os } = subject;
  const isForWindows = os.os === 'windows' || os.os === 'contradictory';
  if (placement === null) return isForWindows ? [{ verdict: 'unknown', nodes: [], because: 'the nodes are not known' }] : [];

  const nodes = isForWindows && workload.osName === 'windows' ? placement.candidates : placement.windowsCandidates;
  const groups = new Map<string, { readonly answer: Answer; readonly hosts: HostGroup[] }>();
  for (const host of hostGroupsOf(nodes)) {
    // Findings on some nodes of a group divide it.
    for (const part of divided(host, findings)) {
      const answer = answerOn(subject, part, findings, facts);
      const key = `${answer.verdict} ${answer.because}`;
      const group = groups.get(key);
      if (group === undefined) groups.set(key, { answer, hosts: [part] });
      else group.hosts.push(part);
    }
  }
  return [...groups.values()].map(({ answer, hosts }) => ({ ...answer, nodes: joinGroups(hosts).names })).toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
}

function divided(host: HostGroup, findings: readonly Finding[]): readonly HostGroup[] {
  const partial = findings.filter((finding) => isBreaking(finding) && finding.nodes.length > 0);
  if (partial.length === 0) return [host];
  const named = partial.map(({ nodes }) => new Set(nodes));
  const parts = new Map<string, WindowsNode[]>();
  for (const node of host.nodes) {
    const key = named.map((names) => (names.has(node.name) ? '1' : '0')).join('');
    const part = parts.get(key);
    if (part === undefined) parts.set(key, [node]);
    else part.push(node);
  }
  return parts.size === 1 ? [host] : [...parts.values()].flatMap((part) => hostGroupsOf(part));
}

function answerOn(subject: WorkloadSubject, host: HostGroup, findings: readonly Finding[], facts: CheckFacts): Answer {
  return refusalOf(subject, host.node) ?? failureOf(subject, host.node, findings) ?? imageAnswer(subject, host, findings, facts);
}

/**
 * The kubelet compares spec.os.name, and a pod's label kubernetes.io/os, with its own OS.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/lifecycle/predicate.go (rejectPodAdmissionBasedOnOSField, …OSSelector), read 2026-11-30
 */
function refusalOf({ workload }: WorkloadSubject, node: WindowsNode): Answer | null {
  const { osName, template } = workload;
  if (osName !== null && node.os !== null && osName !== node.os) return { verdict: 'refused-by-kubelet', because: `spec.os.name is ${osName}, and the node runs ${node.os} (PodOSNotSupported)` };
  const label = stringAt(template.metadata, 'labels', 'kubernetes.io/os');
  if (label !== undefined && node.os !== null && label !== node.os) return { verdict: 'refused-by-kubelet', because: `the pod's label kubernetes.io/os is ${label}, and the node runs ${node.os} (PodOSSelectorNodeLabelDoesNotMatch)` };
  return null;
}

/** Findings that keep the pod from running where it lands: not those on images, which are judged for each node, nor those on where it lands. */
function isBreaking({ effect, facts }: Finding): boolean {
  return effect === 'cannot-run' && !facts.some((fact) => /^(?:IMG|SCH|NOD)-/.test(fact));
}

function failureOf({ workload }: WorkloadSubject, node: WindowsNode, findings: readonly Finding[]): Answer | null {
  const invalid = workload.containers.find(({ list, image }) => list !== 'ephemeralContainers' && image !== null && parseReference(image).kind !== 'reference');
  if (invalid !== undefined) return { verdict: 'fails-at-pull', because: `${invalid.image ?? ''} is no image reference (InvalidImageName)` };
  const broken = findings.find((finding) => isBreaking(finding) && (finding.nodes.length === 0 || finding.nodes.includes(node.name)));
  return broken === undefined ? null : { verdict: 'fails-at-start', because: broken.message };
}

function imageAnswer({ workload }: WorkloadSubject, host: HostGroup, findings: readonly Finding[], facts: CheckFacts): Answer {
  const answers = new Map<string, Answer>();
  for (const { image, list, isHostProcess } of workload.containers) {
    // A pod runs whatever becomes of its ephemeral containers.
    if (list === 'ephemeralContainers' || image === null || image === '' || answers.has(`${String(isHostProcess)} ${image}`)) continue;
    const platforms = facts.images.platformsOf(image);
    const answer = imageOnGroup(platforms, host, isHostProcess ? 'host-process' : 'process');
    const { outcome, because } = answer;
    const isGuessed = platforms.isGuess === true && outcome !== 'unknown';
    const errorTexts = isGuessed ? [] : imageErrorTexts(image, answer);
    answers.set(`${String(isHostProcess)} ${image}`, {
      verdict: isGuessed ? 'unknown' : outcome, because: `${image}: ${isGuessed ? platforms.because : because}`, ...(errorTexts.length === 0 ? {} : { errorTexts }),
    });
  }
  const [worst] = [...answers.values()].toSorted((a, b) => ORDER.indexOf(a.verdict) - ORDER.indexOf(b.verdict));
  if (worst === undefined) return { verdict: 'unknown', because: 'no container has an image' };
  const ignored = [...new Set(findings.filter(({ effect }) => effect === 'ignored').map(({ message }) => message))];
  if (ignored.length === 0 || (worst.verdict !== 'runs' && worst.verdict !== 'runs-down-level')) return worst;
  const shown = ignored.slice(0, MOST_FIELDS).join('; ');
  return { verdict: 'fields-ignored', because: `it runs, but ${shown}${ignored.length > MOST_FIELDS ? `, and ${ignored.length - MOST_FIELDS} more` : ''}` };
}
