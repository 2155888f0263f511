import { ownValue } from '../kubernetes/object.ts';
import type { ReleaseName } from './releases.ts';

type LifecycleProvider = 'aks' | 'eks' | 'gke' | 'openshift';

/** What a provider of managed nodes says about one release of Windows Server. */
export interface ProviderLifecycle {
  readonly provider: LifecycleProvider;
  readonly release: ReleaseName;
  /** False where the provider never offered nodes of this release. */
  readonly offered: boolean;
  /**
   * Day that the provider names as the end, which is the first one without its support ("From now through 28 February 2026,
   * you can continue to use Windows Server 2019", of 2026-03-01: https://github.com/Azure/AKS/issues/4268, read 2026-11-30);
   * null where it names none of its own.
   */
  readonly end: string | null;
  /** Day from which its node images are gone, so that scaling and repair fail; null where none is named. */
  readonly imagesRemoved: string | null;
  /** First and last Kubernetes minor with nodes of this release; null where no limit is named. */
  readonly firstKubernetes: string | null;
  readonly lastKubernetes: string | null;
  readonly note: string | null;
  readonly source: string;
  readonly asOf: string;
}

/** Sorted by provider, then by age of the release. */
export const PROVIDER_LIFECYCLES = [
  {
    provider: 'aks', release: 'ltsc2019', offered: true, end: '2026-03-01', imagesRemoved: '2027-04-01', firstKubernetes: null, lastKubernetes: '1.32', note: null,
    source: 'https://github.com/Azure/AKS/issues/4091', asOf: '2026-08-21',
  },
  {
    // https://github.com/Azure/AKS/issues/4168 still says 2027-03-15 and not from 1.35 on; the end was put off in 2026.
    provider: 'aks', release: 'ltsc2022', offered: true, end: '2028-06-30', imagesRemoved: '2029-06-30', firstKubernetes: null, lastKubernetes: '1.36', note: null,
    source: 'https://github.com/Azure/AKS/releases/tag/2026-06-19', asOf: '2026-11-30',
  },
  {
    provider: 'aks', release: '23H2', offered: true, end: '2026-05-15', imagesRemoved: '2027-05-15', firstKubernetes: null, lastKubernetes: null, note: 'AKS offered the Annual Channel as a preview only',
    source: 'https://github.com/Azure/AKS/issues/5608', asOf: '2026-11-30',
  },
  {
    provider: 'aks', release: 'ltsc2025', offered: true, end: null, imagesRemoved: null, firstKubernetes: '1.32', lastKubernetes: null, note: 'needs a FIPS image and generation 2 machines',
    source: 'https://learn.microsoft.com/azure/aks/upgrade-windows-os', asOf: '2026-08-21',
  },
  {
    provider: 'eks', release: '20H2', offered: true, end: null, imagesRemoved: null, firstKubernetes: null, lastKubernetes: null, note: 'deprecated: no new AMIs are released',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/eks-optimized-windows-ami.html', asOf: '2026-11-30',
  },
  {
    provider: 'eks', release: 'ltsc2019', offered: true, end: null, imagesRemoved: null, firstKubernetes: null, lastKubernetes: null, note: 'no end date was found',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-versions-windows.html', asOf: '2026-11-30',
  },
  {
    provider: 'eks', release: 'ltsc2022', offered: true, end: null, imagesRemoved: null, firstKubernetes: null, lastKubernetes: null, note: 'no end date was found',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-versions-windows.html', asOf: '2026-11-30',
  },
  {
    provider: 'eks', release: 'ltsc2025', offered: true, end: null, imagesRemoved: null, firstKubernetes: '1.35', lastKubernetes: null, note: 'the first AMI is of 2026-01-22',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-versions-windows.html', asOf: '2026-11-30',
  },
  {
    // GKE's own support ends with Microsoft's: "subject to the support time provided by Microsoft".
    provider: 'gke', release: 'ltsc2019', offered: true, end: null, imagesRemoved: null, firstKubernetes: null, lastKubernetes: null, note: 'supported as long as Microsoft supports it',
    source: 'https://cloud.google.com/kubernetes-engine/docs/how-to/creating-a-cluster-windows', asOf: '2026-11-30',
  },
  {
    provider: 'gke', release: '20H2', offered: true, end: '2022-08-09', imagesRemoved: null, firstKubernetes: null, lastKubernetes: null, note: 'SAC images were removed with the end of the channel',
    source: 'https://cloud.google.com/kubernetes-engine/docs/how-to/creating-a-cluster-windows', asOf: '2026-11-30',
  },
  {
    provider: 'gke', release: 'ltsc2022', offered: true, end: null, imagesRemoved: null, firstKubernetes: null, lastKubernetes: null, note: 'supported as long as Microsoft supports it',
    source: 'https://cloud.google.com/kubernetes-engine/docs/how-to/creating-a-cluster-windows', asOf: '2026-11-30',
  },
  {
    provider: 'gke', release: 'ltsc2025', offered: false, end: null, imagesRemoved: null, firstKubernetes: null, lastKubernetes: null, note: 'the OSVersion of the API has no LTSC2025',
    source: 'https://docs.cloud.google.com/php/docs/reference/cloud-container/latest/V1.WindowsNodeConfig.OSVersion', asOf: '2026-11-30',
  },
  {
    // WMCO 10.21, of OpenShift 4.21 with Kubernetes 1.34, "will be the last version that supports Windows Server 2019".
    provider: 'openshift', release: 'ltsc2019', offered: true, end: null, imagesRemoved: null, firstKubernetes: null, lastKubernetes: '1.34', note: 'WMCO 10.21 is the last operator for it',
    source: 'https://github.com/openshift/openshift-docs/pull/105866', asOf: '2026-11-30',
  },
  {
    provider: 'openshift', release: 'ltsc2022', offered: true, end: null, imagesRemoved: null, firstKubernetes: null, lastKubernetes: null, note: 'no end date was found',
    source: 'https://github.com/openshift/windows-machine-config-operator/blob/master/docs/wmco-prerequisites.md', asOf: '2026-11-30',
  },
  {
    provider: 'openshift', release: 'ltsc2025', offered: true, end: null, imagesRemoved: null, firstKubernetes: null, lastKubernetes: null, note: 'in the documentation of 4.22',
    source: 'https://github.com/openshift/openshift-docs/pull/111691', asOf: '2026-11-30',
  },
] as const satisfies readonly ProviderLifecycle[];

/** What the user knows better than the tables; null says "no such date". */
export interface LifecycleOverrides {
  /** By release: `{ "ltsc2019": { "extendedEnd": "2032-01-09" } }`. */
  readonly releases?: Readonly<Record<string, { readonly mainstreamEnd?: string; readonly extendedEnd?: string | null }>> | undefined;
  /** By provider, then release: `{ "aks": { "ltsc2022": { "end": "2029-01-31", "lastKubernetes": "1.38" } } }`. */
  readonly providers?: Readonly<Record<string, Readonly<Record<string, ProviderOverride>>>> | undefined;
  /** End of life by containerd line: `{ "1.7": "2027-03-31" }`; for vendors who support a line longer. */
  readonly containerd?: Readonly<Record<string, string | null>> | undefined;
}

export type ProviderOverride = Partial<Pick<ProviderLifecycle, 'end' | 'imagesRemoved' | 'firstKubernetes' | 'lastKubernetes'>>;

/** The part of a provider's word that verdicts need, with the user's overrides in it; null when neither says anything. */
export type ProviderLimits = Pick<ProviderLifecycle, 'offered' | 'end' | 'imagesRemoved' | 'firstKubernetes' | 'lastKubernetes'> & {
  /** Page of the provider; null when the user's configuration alone says it. */
  readonly source: string | null;
  readonly asOf: string | null;
  /** What the user's configuration says in the provider's place. */
  readonly configured: readonly (keyof ProviderOverride)[];
};

export function providerLimits(provider: string | null, release: string | null, overrides: LifecycleOverrides = {}, table: readonly ProviderLifecycle[] = PROVIDER_LIFECYCLES): ProviderLimits | null {
  if (provider === null || release === null) return null;
  const row = table.find((entry) => entry.provider === provider && entry.release === release);
  const own = ownValue(ownValue(overrides.providers, provider), release);
  if (row === undefined && own === undefined) return null;
  const base = row ?? { offered: true, end: null, imagesRemoved: null, firstKubernetes: null, lastKubernetes: null, source: null, asOf: null };
  const configured = (['end', 'imagesRemoved', 'firstKubernetes', 'lastKubernetes'] as const).filter((field) => own !== undefined && own[field] !== undefined);
  return { ...base, ...own, configured };
}
