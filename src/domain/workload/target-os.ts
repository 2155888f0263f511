/** Which OS is this pod for? (product.md question 1.) Field names are a contract: CheckReport.workloads[].os and .osEvidence. */
import type { FieldPath } from '../kubernetes/field-path.ts';
import type { KubeObject } from '../kubernetes/object.ts';
import type { FactTable } from '../check/facts.ts';
import type { WindowsNode } from '../node/windows-node.ts';
import type { ImagePlatformSource } from '../image/image-platforms.ts';
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
  /** OS that scheduling constraints alone keep the pod on; null when none do. */
  readonly pinned: 'windows' | 'linux' | null;
  readonly evidence: readonly OsEvidence[];
}

/** What outside the template may tell the OS; every part may be missing. */
export interface TargetOsFacts {
  readonly nodes: FactTable<WindowsNode> | null;
  readonly runtimeClasses: FactTable<KubeObject> | null;
  readonly images: ImagePlatformSource;
}

/** First version: os.name, nodeSelector and windowsOptions only. */
export function targetOsOf(workload: Workload, _facts: TargetOsFacts): TargetOs {
  const evidence: OsEvidence[] = [];
  if (workload.osName === 'windows' || workload.osName === 'linux') evidence.push({ os: workload.osName, source: 'os-name', strength: 'binds', path: [...workload.specPath, 'os', 'name'], text: `os.name ${workload.osName}` });
  const selector = workload.spec['nodeSelector'] as Readonly<Record<string, unknown>> | undefined;
  const selected = selector?.['kubernetes.io/os'];
  if (selected === 'windows' || selected === 'linux') evidence.push({ os: selected, source: 'node-selector', strength: 'pins', path: [...workload.specPath, 'nodeSelector', 'kubernetes.io/os'], text: `nodeSelector kubernetes.io/os=${selected}` });
  if (workload.isHostProcess) evidence.push({ os: 'windows', source: 'host-process', strength: 'binds', path: workload.specPath, text: 'HostProcess' });
  const systems = new Set(evidence.map(({ os }) => os));
  return { os: systems.size === 0 ? 'either' : systems.size === 2 ? 'contradictory' : evidence[0]?.os ?? 'either', pinned: evidence.find(({ strength }) => strength === 'pins')?.os ?? null, evidence };
}
