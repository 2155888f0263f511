/** A Kubernetes version as the API server and kubelets report it. */
export interface KubernetesVersion {
  readonly major: number;
  readonly minor: number;
  /** Null where the text has none (`1.31`, the `minor` field of old servers). */
  readonly patch: number | null;
  /** `rc.0.3` of `v1.23.3-rc.0.3+531a28b82ee021`, `gke.1372000` of `v1.31.4-gke.1372000`; null where there is none. */
  readonly preRelease: string | null;
  /** What follows a plus sign: `rke2r2`; null where there is none. */
  readonly build: string | null;
}

// Vendors append anything (`v1.21.5-eks-9017834`, `v1.26.0+rke2r2`), and old servers report `1.31+` as major.minor.
const VERSION = /^v?(\d{1,4})\.(\d{1,4})(?:\.(\d{1,6}))?(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.+-]*))?$/;

/** Tolerant of vendors' suffixes; null for anything that names no major and minor, the empty text included. */
export function parseKubernetesVersion(text: string): KubernetesVersion | null {
  const match = VERSION.exec(text.trim());
  if (match === null) return null;
  const [, major, minor, patch, preRelease, build] = match;
  return { major: Number(major), minor: Number(minor), patch: patch === undefined ? null : Number(patch), preRelease: preRelease ?? null, build: build === undefined || build === '' ? null : build };
}

/** How many minors `older` is behind `newer`; negative when it is ahead. Null across majors, which no policy speaks of. */
export function minorsBehind(older: KubernetesVersion, newer: KubernetesVersion): number | null {
  return older.major === newer.major ? newer.minor - older.minor : null;
}

/** Order by major, minor and patch; pre-release and build parts are vendors' business and do not count. */
export function compareKubernetesVersions(a: KubernetesVersion, b: KubernetesVersion): number {
  return a.major - b.major || a.minor - b.minor || (a.patch ?? 0) - (b.patch ?? 0);
}

/** `1.31`, for messages. */
export function minorText(version: KubernetesVersion): string {
  return `${version.major}.${version.minor}`;
}
