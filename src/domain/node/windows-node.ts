/** A node as `kubectl win` sees it: what `nodes` prints and every later verdict starts from. Field names are a contract (product.md §4). */
import type { Severity } from '../severity.ts';

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
  /** ISO dates (YYYY-MM-DD); null = not known or none. Microsoft's own, or the user's configuration's in their place. */
  readonly mainstreamEnd: string | null;
  readonly extendedEnd: string | null;
  /** The provider's own end for this release: the day from which it does not support it. */
  readonly providerEnd: string | null;
  /**
   * The earlier of both ends: Microsoft's last day (mainstreamEnd where the channel has no extended support), or the day
   * that the provider names, which itself is the first without its support.
   */
  readonly lastDay: string | null;
  /** Whose end lastDay is; Microsoft's where both are the same day. */
  readonly lastDayOf: 'microsoft' | 'provider' | null;
  /** Days from the as-of day to lastDay; negative when past. */
  readonly daysLeft: number | null;
  /** Page that gives Microsoft's dates, and the day it was read; null when the last of them is the user's configuration's. */
  readonly microsoftSource: string | null;
  readonly microsoftAsOf: string | null;
  /** The same for the provider's end. */
  readonly providerSource: string | null;
  readonly providerAsOf: string | null;
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
  /** Month of the revision's cumulative update, YYYY-MM; null when the table does not tell, as for a revision newer than it. */
  readonly month: string | null;
  /** Monthly updates between the node and the newest revision known (table or cluster); null = not known. */
  readonly monthsBehind: number | null;
  /** Whether the node's revision is newer than the table's newest month. */
  readonly newerThanTable: boolean;
  /** Newest revision of this build known, and where from. */
  readonly newestRevision: number | null;
  readonly newestFrom: 'table' | 'cluster' | null;
  /** Newest month of this build in the table, YYYY-MM, the page that names its revision, and the day the table was compared with its sources; null for a build without rows. */
  readonly tableMonth: string | null;
  readonly source: string | null;
  readonly asOf: string | null;
}

export interface NodeRuntime {
  /** `containerd`, `docker`. */
  readonly name: string;
  /** As the node writes it: `2.0.4+azure`. */
  readonly version: string;
  /** Last day (YYYY-MM-DD) of its maintainers' support for this release line; null when not known, as for all but containerd. */
  readonly supportEnd: string | null;
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
  readonly osEvidence: 'nodeInfo' | 'label' | 'osImage' | null;
  /** `Windows Server 2022`, `Windows Server, version 23H2`, `Windows 11 …`; from the build, never from osImage. */
  readonly product: string | null;
  /** `ltsc2022`, `23H2`, `1809` …; null when the build is not known or no server release. */
  readonly release: string | null;
  /** Servicing channel of the release; `client` for Windows 10 and 11, null when the build is not known. */
  readonly channel: 'LTSC' | 'SAC' | 'AC' | 'client' | null;
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
  readonly containerRuntime: NodeRuntime | null;
  /**
   * Releases whose images this runtime takes and run here under process isolation, newest first; empty when there are
   * none, null when the build is not known. On Windows Server 2016 the image's revision has to be the node's as well.
   */
  readonly canRun: readonly string[] | null;
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
  /** Entries of status.images, which the kubelet cuts at 50 by default; null when the node reports no such list. */
  readonly imageCount: number | null;
  readonly imagesTruncated: boolean;
  readonly issues: readonly NodeIssue[];
}
