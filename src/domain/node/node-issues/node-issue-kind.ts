import type { KubernetesVersion } from '../../kubernetes/version.ts';
import type { ContainerdVersion } from '../../windows/containerd.ts';
import type { LifecycleOverrides, ProviderLimits } from '../../windows/providers.ts';
import type { ServerRelease } from '../../windows/releases.ts';
import type { Severity } from '../../severity.ts';
import type { NodeIssue, WindowsNode } from '../windows-node.ts';
import type { ClusterFacts } from './cluster-facts.ts';

/** A node with everything about it that a verdict may need; nothing here is looked up while judging. */
export interface NodeSubject {
  readonly node: Omit<WindowsNode, 'issues'>;
  /** Version of the API server; null when not known. */
  readonly serverVersion: KubernetesVersion | null;
  readonly kubeletVersion: KubernetesVersion | null;
  /** Null when the runtime is another one or its version cannot be read. */
  readonly containerd: ContainerdVersion | null;
  /** Row of the node's build with the user's dates in it; null for clients and builds that are not in the table. */
  readonly release: (Omit<ServerRelease, 'release'> & {
    readonly release: string;
    /** Whether the user's configuration gives the end of mainstream support, and the last day of all, in Microsoft's place. */
    readonly mainstreamConfigured: boolean;
    readonly lastDayConfigured: boolean;
  }) | null;
  readonly limits: ProviderLimits | null;
  /** `node.kubernetes.io/windows-build` as it is on the node. */
  readonly buildLabel: string | null;
  /** Message of the Ready condition. */
  readonly readyMessage: string | null;
  /** Names of cached images that are sandbox (pause) images. */
  readonly pauseImages: readonly string[];
  readonly asOf: Date;
  readonly overrides: LifecycleOverrides;
}

/** What a check found, with the values it saw. */
export interface NodeIssueFinding {
  /** Where it is not the kind's own. */
  readonly severity?: Severity;
  readonly message: string;
  readonly remedy: string;
  /** Where a page says more than the kind's own. */
  readonly reference?: string;
}

interface IssueKind {
  /** Kebab-case; the file's name. */
  readonly id: string;
  /** Numbers of the rule catalogue. */
  readonly facts: readonly string[];
  readonly severity: Severity;
  readonly reference: string;
}

/** A kind of issue that one Windows node alone can have. */
export interface NodeIssueKind extends IssueKind {
  readonly check: (subject: NodeSubject) => NodeIssueFinding | null;
}

/** A kind of issue that shows only beside the other nodes. */
export interface ClusterIssueKind extends IssueKind {
  readonly check: (node: WindowsNode, cluster: ClusterFacts) => NodeIssueFinding | null;
}

export function toIssue(kind: IssueKind, finding: NodeIssueFinding): NodeIssue {
  return {
    id: kind.id, facts: kind.facts, severity: finding.severity ?? kind.severity, message: finding.message, remedy: finding.remedy, reference: finding.reference ?? kind.reference,
  };
}
