/** What running pods prove of their images: a container that runs on a node under process isolation holds Windows that the node's build can run. */
import { arrayAt, isRecord, stringAt, valueAt } from '../kubernetes/object.ts';
import { STABLE_ABI_BUILDS } from '../windows/containerd.ts';
import type { ImagePlatform, ImagePlatforms } from './image-platforms.ts';
import { canonicalImage } from './reference.ts';

/** As much of a node as the evidence needs. */
export interface SeenNode {
  readonly os: string | null;
  readonly build: number | null;
}

/** Digests kept per image and build: enough to show, and the memory stays bounded. */
const MOST_DIGESTS = 10;

/** Reasons of a state `terminated` that a container has after it ran; others are those of a failed start. */
const RAN = new Set(['Completed', 'Error', 'OOMKilled']);

interface Seen {
  /** Digests by build, of imageID. */
  readonly digestsByBuild: Map<number, Set<string>>;
}

/** Takes pods page by page, as raw objects or digests of them, and keeps what they prove per image. */
export class LiveImageEvidence {
  readonly #seen = new Map<string, Seen>();
  readonly #answers = new Map<string, ImagePlatforms | null>();
  readonly #canonical = new Map<string, string | null>();

  /** Pods of Linux nodes, pods that have not run yet and HostProcess containers, which run whatever their image holds, prove nothing. */
  addPods(pods: readonly unknown[], nodeOf: (name: string) => SeenNode | null | undefined): void {
    for (const pod of pods) {
      const name = stringAt(pod, 'spec', 'nodeName');
      const node = name === undefined || name === '' ? null : nodeOf(name);
      if (node?.os !== 'windows' || node.build === null) continue;
      for (const [containers, statuses] of [['containers', 'containerStatuses'], ['initContainers', 'initContainerStatuses']] as const) {
        for (const status of arrayAt(pod, 'status', statuses)) {
          const container = arrayAt(pod, 'spec', containers).find((one) => stringAt(one, 'name') === stringAt(status, 'name'));
          const image = stringAt(container, 'image') ?? stringAt(status, 'image');
          if (image === undefined || !hasRun(status) || isHostProcess(pod, container)) continue;
          this.#add(image, digestOf(stringAt(status, 'imageID')), node.build);
        }
      }
    }
  }

  #add(image: string, digest: string | null, build: number): void {
    for (const key of [this.#keyOf(image), digest]) {
      if (key === null) continue;
      let seen = this.#seen.get(key);
      if (seen === undefined) this.#seen.set(key, seen = { digestsByBuild: new Map() });
      let digests = seen.digestsByBuild.get(build);
      const isNew = digests === undefined || (digest !== null && digests.size < MOST_DIGESTS && !digests.has(digest));
      if (digests === undefined) seen.digestsByBuild.set(build, digests = new Set());
      if (digest !== null && isNew) digests.add(digest);
      if (isNew) this.#answers.clear();
    }
  }

  /**
   * What was seen of an image under its own name, else of its digest under any name; null where nothing was. The platforms are
   * those that can be told: on a build before Windows Server 2025 an image is of that very build, on newer ones it may be older.
   */
  evidenceOf(image: string): ImagePlatforms | null {
    const known = this.#answers.get(image);
    if (known !== undefined) return known;
    const answer = this.#answer(image);
    this.#answers.set(image, answer);
    return answer;
  }

  /** Digests that were seen running on a build. */
  digestsOn(image: string, build: number): readonly string[] {
    return [...this.#seenOf(image)?.digestsByBuild.get(build) ?? []];
  }

  /** Whether anything was seen running on Windows. */
  get isEmpty(): boolean {
    return this.#seen.size === 0;
  }

  #seenOf(image: string): Seen | undefined {
    const key = this.#keyOf(image);
    if (key === null) return undefined;
    const at = key.lastIndexOf('@');
    return this.#seen.get(key) ?? (at === -1 ? undefined : this.#seen.get(key.slice(at + 1)));
  }

  #answer(image: string): ImagePlatforms | null {
    const seen = this.#seenOf(image);
    if (seen === undefined) return null;
    const builds = [...seen.digestsByBuild.keys()].toSorted((a, b) => a - b);
    const digests = [...new Set([...seen.digestsByBuild.values()].flatMap((one) => [...one]))];
    const [digest = null] = digests;
    return {
      shape: 'unknown', confidence: 'observed', os: 'windows', isPartial: true, seenOn: builds,
      platforms: builds.filter((build) => build <= STABLE_ABI_BUILDS[0]).map(platformOfBuild),
      digest: digests.length === 1 ? digest : null,
      because: `containers of it were seen running on ${builds.map((build) => `build 10.0.${build}`).join(', ')}`,
      ...(digests.length > 1 ? { notes: [`running containers have ${digests.length} different images under this name`] } : {}),
    };
  }

  #keyOf(image: string): string | null {
    let key = this.#canonical.get(image);
    if (key === undefined) this.#canonical.set(image, key = canonicalImage(image));
    return key;
  }
}

function platformOfBuild(build: number): ImagePlatform {
  return { os: 'windows', architecture: 'amd64', osVersion: `10.0.${build}`, digest: null, sizeBytes: null };
}

function hasRun(status: unknown): boolean {
  if (isRecord(valueAt(status, 'state', 'running'))) return true;
  return [valueAt(status, 'state', 'terminated'), valueAt(status, 'lastState', 'terminated')].some((terminated) => RAN.has(stringAt(terminated, 'reason') ?? ''));
}

function isHostProcess(pod: unknown, container: unknown): boolean {
  const own = valueAt(container, 'securityContext', 'windowsOptions', 'hostProcess');
  return (typeof own === 'boolean' ? own : valueAt(pod, 'spec', 'securityContext', 'windowsOptions', 'hostProcess')) === true;
}

/** `mcr.microsoft.com/windows/servercore@sha256:…`, `docker-pullable://…@sha256:…`; an identifier without a repository is that of a config, and no digest. */
function digestOf(imageId: string | undefined): string | null {
  return /@(sha\d+:[0-9a-f]{64,})$/.exec(imageId ?? '')?.[1] ?? null;
}
