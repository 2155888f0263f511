/** Which platforms an image holds, by the best evidence at hand (product.md question 3). */

/** proven: computed from the object or the API's own rules. registry: the registry says so. observed: seen running or failing. tag: a naming convention. */
export type Confidence = 'proven' | 'registry' | 'observed' | 'tag' | 'unknown';

export interface ImagePlatform {
  /** As the index or the configuration names it: `windows`, `linux`, rarely another. */
  readonly os: string;
  readonly architecture: string;
  /** As the index or config writes it: `10.0.20348.5386`; null for an entry without one. A tag gives `10.0.20348`. */
  readonly osVersion: string | null;
  readonly digest: string | null;
  /** Compressed, in bytes. */
  readonly sizeBytes: number | null;
  /** What the size is the sum of: the layers, and the configuration; absent where they were not asked for, or are not known. */
  readonly layers?: readonly ImageLayer[];
}

export interface ImageLayer {
  readonly digest: string;
  /** Compressed. */
  readonly sizeBytes: number;
}

export interface ImagePlatforms {
  /**
   * index: entries in the index's order (a confidence of `tag` knows no order), containerd chooses and refuses at pull.
   * manifest: one image, pulled unseen and refused at start. unknown: either. none: nothing is known of the image.
   */
  readonly shape: 'index' | 'manifest' | 'unknown' | 'none';
  readonly confidence: Confidence;
  /** Empty when nothing is known. From a name one entry, or those that are known to be published under it. */
  readonly platforms: readonly ImagePlatform[];
  /** OS of the image where its name tells that and no more (`whoami:windows-amd64-2.0.1`); null where it does not. */
  readonly os: 'windows' | 'linux' | null;
  /** Whether a convention was only guessed at (`app:1.0-1909`): enough for a warning, not for an error. Absent: no guess. */
  readonly isGuess?: boolean;
  /** The base image for HostProcess containers: holds no Windows, so that it fits every build there and starts nowhere else. Absent: another image. */
  readonly isHostProcessBase?: boolean;
  /**
   * Builds of Windows on whose nodes containers of it were seen running under process isolation, ascending; absent: none. A proof
   * for these builds, which tells nothing of others.
   */
  readonly seenOn?: readonly number[];
  /** true when there may be more platforms than these: what was seen running tells of no others. Absent: these are all. */
  readonly isPartial?: boolean;
  /** Digest of what the reference names, index or manifest: from a registry, or of running containers. Absent or null: not known. */
  readonly digest?: string | null;
  /** Whether its registry was asked and did not tell; absent where it told, or was not asked. */
  readonly wasAsked?: boolean;
  /** That the registry has no such image, in its words; absent where it has, or was not asked. */
  readonly missing?: string;
  /** What was read: `tag ltsc2022 names build 20348`, `the digest hides the build`. */
  readonly because: string;
  /**
   * What else is to be known of the evidence, a clause each: that a stronger kind of evidence was asked for and gave none and why,
   * or that a weaker kind says something else. Absent: nothing.
   */
  readonly notes?: readonly string[];
}

/** The image verdict port, asked by rules; never waits: whatever has to be fetched was fetched before. */
export interface ImagePlatformSource {
  /** `image` as in the pod spec. */
  platformsOf(image: string): ImagePlatforms;
}
