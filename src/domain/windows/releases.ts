/**
 * Releases of Windows Server that nodes run, and the client builds that turn up beside them.
 *
 * The end dates are the product's, from Microsoft's lifecycle pages. For Windows Server 2025 and 2016 they are later than
 * those in the table of base image lifetimes (2029-10-09, 2034-10-10, 2027-01-11), which itself says that the lifecycle
 * pages take precedence (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/base-image-lifecycle,
 * read 2026-11-30).
 */

type ServerChannel = 'LTSC' | 'SAC' | 'AC';

export type ReleaseName = 'ltsc2016' | '1709' | '1803' | 'ltsc2019' | '1903' | '1909' | '2004' | '20H2' | 'ltsc2022' | '23H2' | 'ltsc2025';

export interface ServerRelease {
  readonly release: ReleaseName;
  readonly build: number;
  readonly product: string;
  readonly channel: ServerChannel;
  /** ISO dates (YYYY-MM-DD), as all dates here. */
  readonly available: string;
  readonly mainstreamEnd: string;
  /** Null for a channel without extended support: mainstreamEnd is then the last day. */
  readonly extendedEnd: string | null;
  /** Whether Microsoft publishes container base images of this release. */
  readonly baseImages: boolean;
  readonly source: string;
  readonly asOf: string;
}

const SERVICING = 'https://learn.microsoft.com/lifecycle/products/windows-server-semiannual-channel';

/** Ascending by build. */
export const SERVER_RELEASES = [
  { release: 'ltsc2016', build: 14393, product: 'Windows Server 2016', channel: 'LTSC', available: '2016-10-15', mainstreamEnd: '2022-01-11', extendedEnd: '2027-01-12', baseImages: true, source: 'https://learn.microsoft.com/lifecycle/products/windows-server-2016', asOf: '2026-11-30' },
  { release: '1709', build: 16299, product: 'Windows Server, version 1709', channel: 'SAC', available: '2017-10-17', mainstreamEnd: '2019-04-09', extendedEnd: null, baseImages: true, source: SERVICING, asOf: '2026-11-30' },
  { release: '1803', build: 17134, product: 'Windows Server, version 1803', channel: 'SAC', available: '2018-04-30', mainstreamEnd: '2019-11-12', extendedEnd: null, baseImages: true, source: SERVICING, asOf: '2026-11-30' },
  // Build 17763 was Windows Server, version 1809 (SAC) as well; its support ended on 2020-11-10 and nothing on a node tells the two apart.
  { release: 'ltsc2019', build: 17763, product: 'Windows Server 2019', channel: 'LTSC', available: '2018-11-13', mainstreamEnd: '2024-01-09', extendedEnd: '2029-01-09', baseImages: true, source: 'https://learn.microsoft.com/lifecycle/products/windows-server-2019', asOf: '2026-11-30' },
  { release: '1903', build: 18362, product: 'Windows Server, version 1903', channel: 'SAC', available: '2019-05-21', mainstreamEnd: '2020-12-08', extendedEnd: null, baseImages: true, source: SERVICING, asOf: '2026-11-30' },
  { release: '1909', build: 18363, product: 'Windows Server, version 1909', channel: 'SAC', available: '2019-11-12', mainstreamEnd: '2021-05-11', extendedEnd: null, baseImages: true, source: SERVICING, asOf: '2026-11-30' },
  { release: '2004', build: 19041, product: 'Windows Server, version 2004', channel: 'SAC', available: '2020-05-27', mainstreamEnd: '2021-12-14', extendedEnd: null, baseImages: true, source: SERVICING, asOf: '2026-11-30' },
  { release: '20H2', build: 19042, product: 'Windows Server, version 20H2', channel: 'SAC', available: '2020-10-20', mainstreamEnd: '2022-08-09', extendedEnd: null, baseImages: true, source: SERVICING, asOf: '2026-11-30' },
  { release: 'ltsc2022', build: 20348, product: 'Windows Server 2022', channel: 'LTSC', available: '2021-08-18', mainstreamEnd: '2026-10-13', extendedEnd: '2031-10-14', baseImages: true, source: 'https://learn.microsoft.com/lifecycle/products/windows-server-2022', asOf: '2026-11-30' },
  // 18 months of mainstream and 6 months of extended support; hosts of it run the images of Windows Server 2022
  // (https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/portability, read 2026-11-30).
  { release: '23H2', build: 25398, product: 'Windows Server, version 23H2', channel: 'AC', available: '2023-10-24', mainstreamEnd: '2025-04-24', extendedEnd: '2025-10-24', baseImages: false, source: 'https://learn.microsoft.com/lifecycle/products/windows-server-annual-channel', asOf: '2026-11-30' },
  { release: 'ltsc2025', build: 26100, product: 'Windows Server 2025', channel: 'LTSC', available: '2024-11-01', mainstreamEnd: '2029-11-13', extendedEnd: '2034-11-14', baseImages: true, source: 'https://learn.microsoft.com/lifecycle/products/windows-server-2025', asOf: '2026-11-30' },
] as const satisfies readonly ServerRelease[];

/** A client build: Kubernetes nodes on it exist on developers' machines, untested and unsupported. */
export interface ClientBuild {
  readonly build: number;
  readonly product: string;
  readonly source: string;
  readonly asOf: string;
}

const WINDOWS_10 = 'https://learn.microsoft.com/windows/release-health/release-information';
const WINDOWS_11 = 'https://learn.microsoft.com/windows/release-health/windows11-release-information';

/** Ascending by build. Several builds are a server's too; then only the node's osImage tells which it is. */
export const CLIENT_BUILDS = [
  { build: 14393, product: 'Windows 10, version 1607', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 16299, product: 'Windows 10, version 1709', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 17134, product: 'Windows 10, version 1803', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 17763, product: 'Windows 10, version 1809', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 18362, product: 'Windows 10, version 1903', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 18363, product: 'Windows 10, version 1909', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 19041, product: 'Windows 10, version 2004', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 19042, product: 'Windows 10, version 20H2', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 19043, product: 'Windows 10, version 21H1', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 19044, product: 'Windows 10, version 21H2', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 19045, product: 'Windows 10, version 22H2', source: WINDOWS_10, asOf: '2026-11-30' },
  { build: 22000, product: 'Windows 11, version 21H2', source: WINDOWS_11, asOf: '2026-11-30' },
  { build: 22621, product: 'Windows 11, version 22H2', source: WINDOWS_11, asOf: '2026-11-30' },
  { build: 22631, product: 'Windows 11, version 23H2', source: WINDOWS_11, asOf: '2026-11-30' },
  { build: 26100, product: 'Windows 11, version 24H2', source: WINDOWS_11, asOf: '2026-11-30' },
  { build: 26200, product: 'Windows 11, version 25H2', source: WINDOWS_11, asOf: '2026-11-30' },
  { build: 28000, product: 'Windows 11, version 26H1', source: WINDOWS_11, asOf: '2026-11-30' },
] as const satisfies readonly ClientBuild[];

/** What a build is: a server release, a client, or nothing that the tables know. */
export type WindowsProduct =
  | { readonly kind: 'server'; readonly release: ServerRelease }
  | { readonly kind: 'client'; readonly client: ClientBuild }
  | { readonly kind: 'unknown' };

interface ReleaseTables {
  readonly servers: readonly ServerRelease[];
  readonly clients: readonly ClientBuild[];
}

const RELEASE_TABLES = { servers: SERVER_RELEASES, clients: CLIENT_BUILDS } as const satisfies ReleaseTables;

/**
 * The product of a build. `osImage` decides only whether a build that clients and servers share is a client's: its
 * year is not trusted, since Windows Server, version 23H2 reports "2022" and Windows 11 reports "10".
 */
export function productOfBuild(build: number, osImage: string | null, tables: ReleaseTables = RELEASE_TABLES): WindowsProduct {
  const release = tables.servers.find((row) => row.build === build);
  const client = tables.clients.find((row) => row.build === build);
  if (client !== undefined && (release === undefined || isClientImage(osImage))) return { kind: 'client', client };
  return release === undefined ? { kind: 'unknown' } : { kind: 'server', release };
}

/** Whether an osImage names a Windows client: `Windows 10 Enterprise`, `Windows 11 Pro`. */
export function isClientImage(osImage: string | null): boolean {
  return osImage !== null && /\bWindows (?:10|11)\b/i.test(osImage) && !/\bServer\b/i.test(osImage);
}

export function releaseByName(name: string, servers: readonly ServerRelease[] = SERVER_RELEASES): ServerRelease | null {
  return servers.find((row) => row.release === name) ?? null;
}

/** Last day of Microsoft's support: the end of extended support, or of mainstream where the channel has no other. */
export function lastDayOf(release: Pick<ServerRelease, 'mainstreamEnd' | 'extendedEnd'>): string {
  return release.extendedEnd ?? release.mainstreamEnd;
}
