/** Windows builds in the published sandbox (pause) images, by tag. */
interface PauseImage {
  readonly tag: string;
  /** Builds with an entry in the image's index, ascending. */
  readonly builds: readonly number[];
  readonly source: string;
  readonly asOf: string;
}

const CHANGELOG = 'https://github.com/kubernetes/kubernetes/blob/master/build/pause/CHANGELOG.md';

/**
 * Ascending by tag. Where the changelog is silent about a removal, the build is kept: a missing row or build must not
 * turn into a false alarm.
 */
export const PAUSE_IMAGES = [
  // Before 3.4 the Windows image was published apart from the Linux one, under mcr.microsoft.com.
  { tag: '1.0.0', builds: [17763], source: 'https://github.com/kubernetes/kubernetes/issues/80023', asOf: '2026-11-30' },
  { tag: '1.3.0', builds: [17763, 18362, 18363], source: 'https://github.com/openshift/windows-machine-config-bootstrapper/issues/228', asOf: '2026-11-30' },
  { tag: '3.4', builds: [17763, 18362, 18363, 19041], source: CHANGELOG, asOf: '2026-11-30' },
  { tag: '3.4.1', builds: [17763, 18362, 18363, 19041, 19042], source: CHANGELOG, asOf: '2026-11-30' },
  { tag: '3.5', builds: [17763, 18362, 18363, 19041, 19042], source: CHANGELOG, asOf: '2026-11-30' },
  { tag: '3.6', builds: [17763, 18362, 18363, 19041, 19042, 20348], source: CHANGELOG, asOf: '2026-11-30' },
  { tag: '3.7', builds: [17763, 19042, 20348], source: CHANGELOG, asOf: '2026-11-30' },
  { tag: '3.8', builds: [17763, 19042, 20348], source: CHANGELOG, asOf: '2026-11-30' },
  { tag: '3.9', builds: [17763, 19042, 20348], source: CHANGELOG, asOf: '2026-11-30' },
  { tag: '3.10', builds: [17763, 20348], source: 'https://github.com/containerd/containerd/issues/13156', asOf: '2026-11-30' },
  { tag: '3.10.1', builds: [17763, 20348], source: 'https://github.com/containerd/containerd/issues/13156', asOf: '2026-11-30' },
  { tag: '3.10.2', builds: [17763, 20348, 26100], source: 'https://github.com/containerd/containerd/issues/13156', asOf: '2026-11-30' },
] as const satisfies readonly PauseImage[];

/** Whether an image name is that of a sandbox image: `registry.k8s.io/pause:3.9`, `…/eks/pause-windows:latest`, `gke.gcr.io/pause-win:1.7.1`. */
export function isPauseImage(name: string): boolean {
  return name.includes('pause') && /(?:^|\/)pause(?:-win(?:dows)?)?[:@]/.test(name);
}

/** Builds that a sandbox image is published for; null for a digest and for a tag or repository the table does not know. */
export function pauseImageBuilds(name: string, table: readonly PauseImage[] = PAUSE_IMAGES): readonly number[] | null {
  // AKS rebuilds carry a suffix: `pause:3.9-hotfix-20230808`.
  const tag = /(?:^|\/)pause:(\d[\d.]*)(?:-hotfix-\d+)?$/.exec(name)?.[1];
  return table.find((row) => row.tag === tag)?.builds ?? null;
}
