/** What `kubectl win images` found, as the use case gives it and the views print it. Contract: product.md §4, ImageReport. */
import type { ImageRole } from '../../domain/image/image-error-text.ts';
import type { ImageOutcome, Isolation } from '../../domain/image/image-on-node.ts';
import type { Confidence, ImagePlatform, ImagePlatforms } from '../../domain/image/image-platforms.ts';
import type { ObjectRef } from '../../domain/kubernetes/object-ref.ts';
import type { RegistryFailureReason, SourceDescription, UnreadableDocument } from '../ports.ts';

export interface ListedPlatform extends ImagePlatform {
  /** Build of osVersion, `20348`; null for an entry without one. */
  readonly build: number | null;
}

/** What becomes of an image on nodes of one kind. */
export interface ImageVerdict {
  readonly verdict: ImageOutcome;
  /** false where it fails at pull or at start, and which of them is not known; then `verdict` is the later one. */
  readonly isPhaseKnown: boolean;
  readonly isolation: Isolation;
  /** Names of the nodes that it holds for; empty where releases were judged in place of nodes. */
  readonly nodes: readonly string[];
  /** Builds of these nodes or releases, ascending. */
  readonly builds: readonly number[];
  /** os.version of all that a pull may take, '' for an entry without one; several where that is open. */
  readonly entries: readonly string[];
  /** One clause. */
  readonly because: string;
  /** What the user will see: all texts that may come; empty where nothing is known to fail, or the words are not known. */
  readonly errorTexts: readonly { readonly reason: string; readonly message: string }[];
}

export interface ImageUser {
  readonly object: ObjectRef;
  /** Names of the containers; `containers[1]` for one without a name. */
  readonly containers: readonly string[];
}

/** All nodes that it was judged on together, or all releases where nodes are not known. */
export type ImageJudgement = 'runs-everywhere' | 'fails-somewhere' | 'fails-everywhere' | 'unknown';

export interface ImageItem {
  /** As in the pod spec. */
  readonly image: string;
  /** sandbox: a pause image that nodes report, judged on these. */
  readonly role: ImageRole;
  /** Whether a Windows workload uses it, it runs on a Windows node, or the user named it; false for what --all-os shows beside these. */
  readonly isForWindows: boolean;
  readonly evidence: Confidence;
  /** The tag may mean something else: shown, and judged as unknown. */
  readonly isGuess: boolean;
  readonly shape: ImagePlatforms['shape'];
  /** Digest of what the reference names; null where it is not known. */
  readonly digest: string | null;
  /** In the index's order. */
  readonly platforms: readonly ListedPlatform[];
  /** Whether its registry says that there is no such image; pods that have it already may run. */
  readonly isMissing: boolean;
  /** Whether there may be more platforms than these. */
  readonly isPartial: boolean;
  /** The base image for HostProcess containers, which holds no Windows. */
  readonly isHostProcessBase: boolean;
  /** OS that the name alone tells; null where it does not. */
  readonly os: 'windows' | 'linux' | null;
  readonly because: string;
  /** Contradictions between kinds of evidence, and what else is to be known. */
  readonly notes: readonly string[];
  /** Why the registry did not tell; null where it did, or was not asked. */
  readonly registryFailure: { readonly reason: RegistryFailureReason; readonly message: string } | null;
  /** Compressed size of the largest platform for Windows; of any other where there is none. null = not known. */
  readonly sizeBytes: number | null;
  /** Who says so: the registry, or the largest of what nodes report in status.images. */
  readonly sizeFrom: 'registry' | 'nodes' | null;
  /** Releases of Windows Server on whose nodes it runs, with the newest containerd; null where that is known of none. */
  readonly releases: readonly string[] | null;
  /** Names of the Windows nodes on which it runs, under each isolation that its users have; null when nodes are not known, or it is not known of any. */
  readonly runsOn: readonly string[] | null;
  /** Names of the Windows nodes that pods of its users are on or can land on; for an image that was named, all. null when nodes are not known, and for a sandbox image. */
  readonly landsOn: readonly string[] | null;
  /**
   * Names of the Windows nodes on which it fails and on which pods of its users are or can land; for an image that was named, on
   * which it fails. null as for runsOn, and for a sandbox image: nodes do not report which of theirs they start pods with.
   */
  readonly failsWhereUsed: readonly string[] | null;
  /** Names of those of `landsOn` of which it is not known, under the isolation that pods have there; null as for landsOn. */
  readonly unknownWhereUsed: readonly string[] | null;
  /** Names of the Windows nodes of which it is not known; null when nodes are not known. */
  readonly unknownOn: readonly string[] | null;
  readonly judgement: ImageJudgement;
  /** The worst first. */
  readonly verdicts: readonly ImageVerdict[];
  /** null where nobody looked for users: images that were named, and sandbox images, which all pods of a node use. */
  readonly workloads: readonly ImageUser[] | null;
}

export interface ImageReport {
  readonly source: SourceDescription;
  /** Version of the API server; null when not known. */
  readonly serverVersion: string | null;
  readonly items: readonly ImageItem[];
  /** Number of Windows nodes; null when nodes are not known. */
  readonly windowsNodes: number | null;
  /** Builds of these by name, where they are known. */
  readonly nodeBuilds: ReadonlyMap<string, number>;
  /** Releases that were judged. */
  readonly releases: readonly string[];
  /** Images that no Windows workload uses and that were not shown. */
  readonly hidden: number;
  readonly unreadable: readonly UnreadableDocument[];
  /** What could not be seen, and where a tag says something else than its image, one sentence each. */
  readonly notes: readonly string[];
}
