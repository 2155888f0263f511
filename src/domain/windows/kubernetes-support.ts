import type { ReleaseName } from './releases.ts';

/** From which Kubernetes minor a release is not (or no longer) among the documented operating systems of Windows nodes. */
interface UnlistedRelease {
  readonly release: ReleaseName;
  /** First 1.x of which its absence is documented; it may be missing from an earlier one already. */
  readonly fromMinor: number;
  /** Null for the page of the current version. */
  readonly source: string | null;
  readonly asOf: string;
}

/** The documentation's table of 1.17 to 1.20; those of 1.14 to 1.16 list Windows Server 2019 (and its twin 1809) alone. */
const OLD_TABLE = 'https://github.com/kubernetes/website/blob/975099e8dbfdd163b4e757201e93a25d0f087798/content/en/docs/setup/production-environment/windows/intro-windows-in-kubernetes.md';

/** Ascending by build. Windows Server 2022 and 2025 have no rows: both are in the list of 1.37. */
export const UNLISTED_RELEASES = [
  { release: 'ltsc2016', fromMinor: 14, source: OLD_TABLE, asOf: '2026-11-30' },
  { release: '1709', fromMinor: 14, source: OLD_TABLE, asOf: '2026-11-30' },
  { release: '1803', fromMinor: 14, source: OLD_TABLE, asOf: '2026-11-30' },
  // Its jobs left the tests of 1.32 in October 2024 (https://github.com/kubernetes/test-infra/pull/33678); which list was the first without it is not known.
  { release: 'ltsc2019', fromMinor: 37, source: null, asOf: '2026-11-30' },
  { release: '1903', fromMinor: 19, source: OLD_TABLE, asOf: '2026-11-30' },
  { release: '1909', fromMinor: 21, source: 'https://github.com/kubernetes/test-infra/pull/22220', asOf: '2026-11-30' },
  { release: '2004', fromMinor: 24, source: 'https://github.com/kubernetes/test-infra/pull/24689', asOf: '2026-11-30' },
  { release: '20H2', fromMinor: 26, source: 'https://github.com/kubernetes/kubernetes/pull/112924', asOf: '2026-11-30' },
] as const satisfies readonly UnlistedRelease[];
