/** Which OS is this pod for? (product.md question 1.) Field names are a contract: CheckReport.workloads[].os and .osEvidence. */
import type { FieldPath } from '../kubernetes/field-path.ts';
import { arrayAt, isRecord, recordAt, stringAt, valueAt, type KubeObject } from '../kubernetes/object.ts';
import type { FactTable } from '../kubernetes/fact-table.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { ImagePlatformSource } from '../image/image-platforms.ts';
import { requiredNodeAffinityOf, requirementText, type NodeRequirement, type NodeSelectorTerm } from '../scheduling/node-affinity.ts';
import { runtimeClassOf } from '../scheduling/runtime-class.ts';
import { osOfRequirement } from './node-label-os.ts';
import { commandHints, imageHints, linuxFieldHint, tolerationHints, volumeHints } from './os-hints.ts';
import { evidenceOf, type PodEvidenceSource } from './pod-evidence.ts';
import type { Workload } from './workload.ts';

export type WorkloadOs = 'windows' | 'linux' | 'either' | 'contradictory';

export interface OsEvidence {
  readonly os: 'windows' | 'linux';
  readonly source:
    | 'os-name' | 'node-selector' | 'node-affinity' | 'runtime-class' | 'node-name' | 'running-pod'
    | 'host-process' | 'windows-options' | 'image' | 'command' | 'toleration' | 'linux-field' | 'volume';
  /**
   * pins: the scheduler will not place the pod elsewhere. binds: the pod means this OS, but nothing about scheduling follows
   * (os.name, windowsOptions). hint: an image, a command, a toleration.
   */
  readonly strength: 'pins' | 'binds' | 'hint';
  /** Field that says so; null for what stands outside the pod template. */
  readonly path: FieldPath | null;
  /** A few words: `nodeSelector kubernetes.io/os=windows`. */
  readonly text: string;
}

export interface TargetOs {
  readonly os: WorkloadOs;
  /** OS that scheduling constraints alone keep the pod on; null when none do, and when they contradict each other. */
  readonly pinned: 'windows' | 'linux' | null;
  readonly evidence: readonly OsEvidence[];
}

/** What outside the template may tell the OS; every part may be missing. */
export interface TargetOsFacts {
  readonly nodes: FactTable<WindowsNode> | null;
  readonly runtimeClasses: FactTable<KubeObject> | null;
  readonly images: ImagePlatformSource;
  readonly pods?: PodEvidenceSource | null;
}

/**
 * The OS that a pod is for. What keeps it on an OS and what means one decides; two that disagree are a contradiction. Hints
 * are looked at where there is neither, the better ones first: images, then where its pods run, commands, preferences, paths,
 * fields. Those that disagree leave it at `either`, and a toleration never decides. Names of objects say nothing.
 */
export function targetOsOf(workload: Workload, facts: TargetOsFacts): TargetOs {
  const pins = pinsOf(workload, facts);
  const strong = [...pins, ...bindsOf(workload, facts)];
  const pinned = singleOs(pins);
  if (strong.length > 0) return { os: singleOs(strong) ?? 'contradictory', pinned, evidence: strong };
  return hinted(workload, facts);
}

function hinted(workload: Workload, facts: TargetOsFacts): TargetOs {
  const linuxField = linuxFieldHint(workload);
  const ranked = [
    imageHints(workload, facts.images), runningPodHints(workload, facts), commandHints(workload),
    [...preferenceHints(workload, facts), ...handlerHints(workload, facts)], volumeHints(workload), linuxField === null ? [] : [linuxField],
  ];
  const deciding = ranked.find((hints) => hints.length > 0) ?? [];
  return { os: singleOs(deciding) ?? 'either', pinned: null, evidence: [...ranked.flat(), ...tolerationHints(workload)] };
}

/** The OS that all of them name; null for none and for both. */
function singleOs(evidence: readonly OsEvidence[]): 'windows' | 'linux' | null {
  const [first] = evidence;
  return first !== undefined && evidence.every(({ os }) => os === first.os) ? first.os : null;
}

function pinsOf(workload: Workload, facts: TargetOsFacts): readonly OsEvidence[] {
  const { spec, specPath } = workload;
  const pins: OsEvidence[] = [];
  const nodeName = stringAt(spec, 'nodeName') ?? '';
  const nodeOs = nodeName === '' ? null : facts.nodes?.get(nodeName)?.os ?? null;
  if (nodeOs !== null) pins.push({ os: nodeOs, source: 'node-name', strength: 'pins', path: [...specPath, 'nodeName'], text: `node ${nodeName} runs ${systemName(nodeOs)}` });
  for (const [key, value] of Object.entries(isRecord(spec['nodeSelector']) ? spec['nodeSelector'] : {})) {
    if (typeof value === 'string') pins.push(...selectorPin(key, value, [...specPath, 'nodeSelector', key], 'nodeSelector', 'node-selector', facts));
  }
  const runtimeClass = runtimeClassOf(spec, facts.runtimeClasses);
  if (runtimeClass.is === 'found') {
    const { name, nodeSelector } = runtimeClass.scheduling;
    for (const [key, value] of Object.entries(nodeSelector)) pins.push(...selectorPin(key, value, [...specPath, 'runtimeClassName'], `RuntimeClass ${name} selects`, 'runtime-class', facts));
  }
  pins.push(...affinityPins(requiredNodeAffinityOf(spec, specPath)?.terms ?? [], facts));
  return pins;
}

function selectorPin(key: string, value: string, path: FieldPath, words: string, source: OsEvidence['source'], { nodes }: TargetOsFacts): readonly OsEvidence[] {
  const found = osOfRequirement({ of: 'label', key, operator: 'In', values: [value], path }, nodes);
  if (found === null) return [];
  return [{ os: found.os, source, strength: 'pins', path, text: `${words} ${key}=${value}${found.fromNodes ? `, which runs ${systemName(found.os)}` : ''}` }];
}

/** Terms are ORed, so they pin only where each does; a term that can match no node counts for nothing. */
function affinityPins(terms: readonly NodeSelectorTerm[], facts: TargetOsFacts): readonly OsEvidence[] {
  const perTerm = terms.filter(({ isValid }) => isValid).map(({ requirements }) => requirements.flatMap((requirement) => requirementPin(requirement, facts)));
  const possible = perTerm.filter((pins) => pins.length === 0 || singleOs(pins) !== null);
  if (possible.length === 0) return perTerm[0] ?? []; // every term contradicts itself
  if (possible.some((pins) => pins.length === 0)) return [];
  const pins = possible.flat();
  return singleOs(pins) === null ? [] : pins;
}

function requirementPin(requirement: NodeRequirement, { nodes }: TargetOsFacts): readonly OsEvidence[] {
  const found = osOfRequirement(requirement, nodes);
  if (found === null) return [];
  return [{ os: found.os, source: 'node-affinity', strength: 'pins', path: requirement.path, text: `nodeAffinity ${requirementText(requirement)}${found.fromNodes ? `, which runs ${systemName(found.os)}` : ''}` }];
}

function bindsOf({ osName, spec, specPath, isHostProcess, containers }: Workload, facts: TargetOsFacts): readonly OsEvidence[] {
  const binds: OsEvidence[] = [];
  if (osName === 'windows' || osName === 'linux') binds.push({ os: osName, source: 'os-name', strength: 'binds', path: [...specPath, 'os', 'name'], text: `os.name ${osName}` });
  const holders = [{ fields: spec, path: specPath }, ...containers];
  const options = ['securityContext', 'windowsOptions'] as const;
  if (isHostProcess) {
    const holder = holders.find(({ fields }) => valueAt(fields, ...options, 'hostProcess') === true);
    binds.push({ os: 'windows', source: 'host-process', strength: 'binds', path: [...(holder?.path ?? specPath), ...options, 'hostProcess'], text: 'HostProcess' });
  }
  const holder = isHostProcess ? undefined : holders.find(({ fields }) => Object.values(recordAt(fields, ...options)).some((value) => value !== null));
  if (holder !== undefined) {
    const set = Object.entries(recordAt(holder.fields, ...options)).flatMap(([key, value]) => (value === null ? [] : [key]));
    binds.push({ os: 'windows', source: 'windows-options', strength: 'binds', path: [...holder.path, ...options], text: `windowsOptions.${set.join(', ')}` });
  }
  const runtimeClass = stringAt(spec, 'runtimeClassName');
  const handler = handlerOf(spec, facts);
  if (runtimeClass !== undefined && handler !== null && /wcow/i.test(handler)) binds.push({ os: 'windows', source: 'runtime-class', strength: 'binds', path: [...specPath, 'runtimeClassName'], text: `RuntimeClass ${runtimeClass} has the handler ${handler}` });
  return binds;
}

function handlerOf(spec: unknown, { runtimeClasses }: TargetOsFacts): string | null {
  const name = stringAt(spec, 'runtimeClassName');
  return name === undefined ? null : stringAt(runtimeClasses?.get(name), 'handler') ?? null;
}

/** Runtimes that exist on Linux alone. */
const LINUX_HANDLER = /^(?:runc|crun|runsc|gvisor|youki|nvidia|kata.*)$/i;

function handlerHints({ spec, specPath }: Workload, facts: TargetOsFacts): readonly OsEvidence[] {
  const handler = handlerOf(spec, facts);
  if (handler === null || !LINUX_HANDLER.test(handler)) return [];
  return [{ os: 'linux', source: 'runtime-class', strength: 'hint', path: [...specPath, 'runtimeClassName'], text: `RuntimeClass with the handler ${handler}` }];
}

/** Preferred affinity leaves the pod free to go elsewhere, but says what was meant. */
function preferenceHints({ spec, specPath }: Workload, { nodes }: TargetOsFacts): readonly OsEvidence[] {
  const list = ['affinity', 'nodeAffinity', 'preferredDuringSchedulingIgnoredDuringExecution'];
  return arrayAt(spec, ...list).flatMap((preferred, index) => arrayAt(preferred, 'preference', 'matchExpressions').flatMap((expression, position) => {
    const requirement: NodeRequirement = {
      of: 'label', key: stringAt(expression, 'key') ?? '', operator: stringAt(expression, 'operator') ?? '',
      values: arrayAt(expression, 'values').filter((value): value is string => typeof value === 'string'), path: [...specPath, ...list, index, 'preference', 'matchExpressions', position],
    };
    const found = osOfRequirement(requirement, nodes);
    return found === null ? [] : [{ os: found.os, source: 'node-affinity', strength: 'hint', path: requirement.path, text: `preferred nodeAffinity ${requirementText(requirement)}` } as const];
  }));
}

/** Where its pods run without trouble; one that landed on the wrong OS by accident has symptoms. */
function runningPodHints({ ref }: Workload, { pods, nodes }: TargetOsFacts): readonly OsEvidence[] {
  const seen = evidenceOf(ref, pods ?? null);
  if (seen === null || nodes === null || seen.symptoms.length > 0) return [];
  const systems = new Set(seen.nodes.map((name) => nodes.get(name)?.os ?? null));
  return [...systems].flatMap((os) => (os === null ? [] : [{ os, source: 'running-pod', strength: 'hint', path: null, text: `its pods run on ${systemName(os)} nodes` } as const]));
}

function systemName(os: 'windows' | 'linux'): string {
  return os === 'windows' ? 'Windows' : 'Linux';
}
