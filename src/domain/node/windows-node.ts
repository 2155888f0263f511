/** A node as `kubectl win` sees it: what `nodes` prints and every later verdict starts from. Field names are a contract (product.md §4). */

export type Severity = 'error' | 'warning' | 'info';

export interface NodeIssue {
  /** Kebab-case id of ours: `build-label-differs`. */
  readonly id: string;
  /** Numbers of the rule catalogue: `NOD-008`. */
  readonly facts: readonly string[];
  readonly severity: Severity;
  /** One sentence: what is wrong, with the values seen. */
  readonly message: string;
  /** What to do, imperative. */
  readonly remedy: string;
  /** https link to the page that says so. */
  readonly reference: string;
}

export interface NodeSupport {
  /** ISO dates (YYYY-MM-DD); null = not known or none. */
  readonly mainstreamEnd: string | null;
  readonly extendedEnd: string | null;
  /** The provider's own end for this release (and Kubernetes version). */
  readonly providerEnd: string | null;
  /** Days from the as-of day to the earliest of extendedEnd (mainstreamEnd for a channel without extended support) and providerEnd; negative when past. */
  readonly daysLeft: number | null;
  /** Page that gives Microsoft's dates, and the day it was read. */
  readonly source?: string | null;
  readonly asOf?: string | null;
  /** The same for the provider's date; null when the user's configuration alone says it. */
  readonly providerSource?: string | null;
  readonly providerAsOf?: string | null;
}

export interface NodeTaint {
  readonly key: string;
  readonly value: string | null;
  readonly effect: string;
}

export interface NodeCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string | null;
}

export interface NodePatch {
  /** Month of the revision's cumulative update, YYYY-MM; null when the revision is not in the table. */
  readonly month: string | null;
  /** Monthly updates between the node and the newest revision known (table or cluster); null = not known. */
  readonly monthsBehind: number | null;
  /** Newest revision of this build known, and where from. */
  readonly newestRevision: number | null;
  readonly newestFrom: 'table' | 'cluster' | null;
}

export interface WindowsNode {
  readonly name: string;
  /** metadata.uid; another one under the same name is another node. */
  readonly uid: string | null;
  /** metadata.resourceVersion, to tell a changed object from one that was only read again. */
  readonly resourceVersion: string | null;
  /** Condition Ready; null when the node does not report one. */
  readonly ready: boolean | null;
  /** kubectl's STATUS text: `Ready`, `NotReady,SchedulingDisabled`, `Unknown`. */
  readonly status: string;
  readonly os: 'windows' | 'linux' | null;
  /** What decided os; osImage is a last resort. */
  readonly osEvidence?: 'nodeInfo' | 'label' | 'osImage' | null;
  /** `Windows Server 2022`, `Windows Server, version 23H2`, `Windows 11 …`; from the build, never from osImage. */
  readonly product: string | null;
  /** `ltsc2022`, `23H2`, `1809` …; null when the build is not known or no server release. */
  readonly release: string | null;
  /** Servicing channel of the release; `client` for Windows 10 and 11, null when the build is not known. */
  readonly channel?: 'LTSC' | 'SAC' | 'AC' | 'client' | null;
  readonly build: number | null;
  readonly revision: number | null;
  /** Where build came from: kernelVersion, or the windows-build label. */
  readonly buildEvidence: 'kernelVersion' | 'label' | null;
  /** `Datacenter`, `Standard`, `Evaluation` … as far as osImage says; Core or Full is not told by a node. */
  readonly edition: string | null;
  readonly osImage: string | null;
  readonly kernelVersion: string | null;
  readonly architecture: string | null;
  readonly provider: string | null;
  readonly pool: string | null;
  readonly kubeletVersion: string | null;
  readonly containerRuntime: { readonly name: string; readonly version: string } | null;
  /** Releases whose images run here under process isolation, newest first; empty when the build is not known. */
  readonly canRun: readonly string[];
  readonly patch: NodePatch;
  readonly support: NodeSupport;
  readonly taints: readonly NodeTaint[];
  readonly unschedulable: boolean;
  readonly conditions: readonly NodeCondition[];
  /** RFC 3339, as on the object. */
  readonly createdAt: string | null;
  readonly internalIP: string | null;
  readonly labels: Readonly<Record<string, string>>;
  /** Quantities as on the object. */
  readonly capacity: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  /** Entries of status.images; the list is cut at 50 by the kubelet's default. */
  readonly imageCount: number;
  readonly imagesTruncated: boolean;
  readonly issues: readonly NodeIssue[];
}
