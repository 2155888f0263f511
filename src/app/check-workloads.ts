/** `kubectl win check`: reads what is to be judged and what rules have to know, judges, reports. */
import type { ClusterReader, ImageRegistry, ManifestObject, ManifestSource } from './ports.ts';
import type { CheckReport } from './check-report.ts';
import { CredentialSpecReviews } from './check/credential-spec-reviews.ts';
import { Judge } from './check/judge.ts';
import { ImageEvidence } from './images/image-evidence.ts';
import { seePods, seeRunningPods } from './images/live-images.ts';
import { pullSecretsFrom } from './images/pull-secrets.ts';
import { windowsImages } from './images/wanted-images.ts';
import { readFacts } from './workloads/read-facts.ts';
import { Reading } from './workloads/reading.ts';
import { walkCluster, type WorkloadScope } from './workloads/walk-cluster.ts';
import { walkFiles } from './workloads/walk-files.ts';
import type { WorkloadVisitor } from './workloads/workload-visitor.ts';
import type { FindingControl } from '../domain/check/control/control-findings.ts';
import type { CheckFacts } from '../domain/check/facts.ts';
import { FactsBuilder, type FactsOptions } from '../domain/check/facts-of-objects.ts';
import type { Finding } from '../domain/check/finding.ts';
import { ruleSetOf } from '../domain/check/judge-object.ts';
import { ruleNames } from '../domain/check/control/select-rules.ts';
import { RULES } from '../domain/check/rules/index.ts';
import type { Rule } from '../domain/check/rule.ts';
import { assumeReleases } from '../domain/check/assumed-nodes.ts';
import type { ImagePlatformSource } from '../domain/image/image-platforms.ts';
import { NO_PLATFORMS } from '../domain/image/no-platforms.ts';
import type { KubeObject } from '../domain/kubernetes/object.ts';
import type { LifecycleOverrides } from '../domain/windows/providers.ts';
import type { ReleaseName } from '../domain/windows/releases.ts';
import { ClusterError } from '../errors.ts';

export interface CheckOptions {
  /** Those that run. */
  readonly rules: readonly Rule[];
  readonly control: FindingControl;
  /** --kubernetes-version; replaces the server's. */
  readonly kubernetesVersion?: string | undefined;
  readonly asOf: Date;
  readonly overrides: LifecycleOverrides;
  readonly poolLabels: readonly string[];
  /** What images hold where there is no better evidence: NO_PLATFORMS, names alone; null for all evidence that there is. */
  readonly images: ImagePlatformSource | null;
  /** Asked for the images of Windows workloads, where `images` is null; null for none. */
  readonly registry: ImageRegistry | null;
  /** Read imagePullSecrets where a registry refuses what the user has. */
  readonly pullSecrets: boolean;
  /** --windows: judge as if the Windows nodes ran these releases. */
  readonly assumedReleases: readonly ReleaseName[];
  /** What is judged of the cluster or inventory; ignored where manifests are judged. */
  readonly scope: WorkloadScope;
  readonly chunkSize?: number | undefined;
  /** Gives the command that applies a fix to a live object; null where nobody will see it. */
  readonly patchCommandOf: ((finding: Finding, object: KubeObject) => string | null) | null;
  /** Called with each manifest object and its standing findings, for --fix. */
  readonly onManifest?: (manifest: ManifestObject, findings: readonly Finding[]) => void;
  /** Called with what kept an object from being read that was asked for by name; the others are judged. Without it that is thrown. */
  readonly onUnread?: (error: ClusterError) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface CheckSources {
  /** What manifests are judged against, or what is judged itself; null for manifests alone. */
  readonly reader: ClusterReader | null;
  /** -f; null to judge what the reader holds. */
  readonly manifests: ManifestSource | null;
}

/** Throws ClusterError when nothing of a cluster could be read, InputError when no manifest could. */
export async function checkWorkloads(options: CheckOptions, { reader, manifests }: CheckSources): Promise<CheckReport> {
  const { signal } = options;
  const reading = reader === null ? null : new Reading(reader, options);
  const notes: string[] = [];
  const serverVersion = options.kubernetesVersion ?? (reader === null ? null : await readVersion(reader, notes, signal));
  const evidence = options.images !== null ? null : new ImageEvidence({
    registry: options.registry, ...pullSecretsFrom(reader, options.pullSecrets, signal), signal,
  });
  const factsOptions = (completeness: FactsOptions['completeness']): FactsOptions => ({
    kubernetesVersion: serverVersion, asOf: options.asOf, images: options.images ?? evidence ?? NO_PLATFORMS, overrides: options.overrides, poolLabels: options.poolLabels, completeness,
  });
  const access = reader?.mayServiceAccount === undefined ? null : new CredentialSpecReviews(reader, signal);
  const asks = access !== null || evidence?.asksRegistries === true;
  const prepare: WorkloadVisitor['prepare'] = (objects, subjects) => (asks ? Promise.all([access?.prepare(objects), evidence?.asksRegistries === true ? evidence.lookUp(windowsImages(subjects.flat())) : null]).then(() => undefined) : null);
  const judgeOf = (facts: CheckFacts): Judge => new Judge(assumeReleases({ ...facts, credentialSpecAccess: access }, options.assumedReleases, options.asOf), {
    rules: ruleSetOf(options.rules), control: options.control, ruleNames: ruleNames([...RULES, ...options.rules]), patchCommandOf: options.patchCommandOf, prepare, ...(options.onManifest === undefined ? {} : { onManifest: options.onManifest }),
  });
  const judgeAll = async (): Promise<Judge> => {
    if (manifests === null) {
      const otherKinds = new Set(options.rules.flatMap((rule) => (rule.scope === 'object' ? rule.kinds ?? [] : [])));
      const onPods = evidence === null ? {} : { onPods: (pods: readonly KubeObject[], { nodes }: CheckFacts) => seePods(evidence.live, pods, nodes) };
      return walkCluster(reader as ClusterReader, reading as Reading, { ...options, otherKinds, ...onPods }, judgeOf, factsOptions, notes); // one of the two is given
    }
    return walkFiles(manifests, { signal, namespace: options.scope.namespace ?? reader?.namespace ?? null }, judgeOf, async (objects) => {
      const builder = reading === null ? new FactsBuilder(factsOptions(() => 'none')) : await readFacts(reading, null, factsOptions);
      for (const object of objects) builder.add(object);
      const facts = builder.facts();
      if (evidence !== null) {
        seePods(evidence.live, objects.filter(({ kind }) => kind === 'Pod'), facts.nodes);
        if (reading !== null) await seeRunningPods(evidence.live, reading, facts.nodes);
      }
      return facts;
    });
  };
  const judge = await judgeAll();
  const failure = reading?.failure ?? null;
  if (failure !== null) throw failure;
  return judge.finish((manifests ?? reader)?.description ?? { source: 'files', context: null, location: '' }, serverVersion, [...notes, ...(manifests?.notes ?? []), ...(reading?.notes ?? []), ...(evidence?.notes ?? [])]);
}

async function readVersion(reader: ClusterReader, notes: string[], signal: AbortSignal | undefined): Promise<string | null> {
  try {
    return (await reader.serverVersion({ signal }))?.gitVersion ?? null;
  } catch (error) {
    if (!(error instanceof ClusterError) || (error.reason !== 'Forbidden' && error.reason !== 'NotFound')) throw error;
    notes.push('the version of the API server may not be read (get on the non-resource URL /version): rules that hang on it were judged by the kubelets');
    return null;
  }
}
