/** Cases of one rule: an object, what is known of the cluster, and the paths of what it finds. */
import assert from 'node:assert/strict';
import { formatFieldPath } from '../../src/domain/kubernetes/field-path.ts';
import type { Finding } from '../../src/domain/check/finding.ts';
import { RULES } from '../../src/domain/check/rules/index.ts';
import { judgeSample } from './check-sample.ts';

export interface RuleCase {
  readonly name: string;
  readonly rule: string;
  readonly object: unknown;
  readonly cluster?: readonly unknown[];
  readonly kubernetesVersion?: string;
  /** Paths of its findings, in their order. */
  readonly paths: readonly string[];
  /** Default: nothing is left open. */
  readonly notEvaluated?: readonly string[];
}

export interface CaseOutcome {
  readonly findings: readonly Finding[];
  readonly paths: readonly string[];
  readonly notEvaluated: readonly string[];
}

/** Judges the object of a case by its rule alone. */
export async function judgeCase(one: Pick<RuleCase, 'rule' | 'object' | 'cluster' | 'kubernetesVersion'>): Promise<CaseOutcome> {
  const rules = RULES.filter(({ id }) => id === one.rule);
  if (rules.length !== 1) throw new Error(`no rule ${one.rule}`);
  const { findings, notEvaluated } = await judgeSample({
    yaml: JSON.stringify(one.object),
    ...(one.cluster === undefined ? {} : { cluster: one.cluster.map((object) => JSON.stringify(object)).join('\n---\n') }),
    ...(one.kubernetesVersion === undefined ? {} : { kubernetesVersion: one.kubernetesVersion }),
  }, rules);
  return { findings, paths: findings.map(({ path }) => formatFieldPath(path)), notEvaluated: notEvaluated.map(({ reason }) => reason) };
}

/** A test for each case. */
export function itJudges(cases: readonly RuleCase[]): void {
  for (const one of cases) {
    it(`${one.rule}: ${one.name}`, async () => {
      const { paths, notEvaluated } = await judgeCase(one);
      assert.deepEqual(paths, one.paths);
      assert.deepEqual(notEvaluated, one.notEvaluated ?? []);
    });
  }
}

/** A pod for Windows with the fields given besides, and one container with those of `container`. */
export function windowsPod(spec: Readonly<Record<string, unknown>> = {}, container: Readonly<Record<string, unknown>> = {}): Readonly<Record<string, unknown>> {
  return {
    apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' },
    spec: { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, containers: [{ name: 'web', image: 'registry.example.com/web:1', ...container }], ...spec },
  };
}

/** A Windows node with room for small pods. */
export function windowsNode(name: string, options: { readonly kubelet?: string; readonly runtime?: string; readonly memory?: string } = {}): Readonly<Record<string, unknown>> {
  const { kubelet = 'v1.37.1', runtime = 'containerd://2.3.5', memory = '14Gi' } = options;
  return {
    apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'kubernetes.io/os': 'windows', 'kubernetes.io/arch': 'amd64' } }, spec: {},
    status: {
      capacity: { cpu: '4', memory, pods: '110' }, allocatable: { cpu: '4', memory, pods: '110' },
      nodeInfo: { operatingSystem: 'windows', architecture: 'amd64', kernelVersion: '10.0.20348.5386', kubeletVersion: kubelet, containerRuntimeVersion: runtime },
    },
  };
}
