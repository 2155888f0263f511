/** `kubectl win check`: reads what is to be judged and what rules have to know, judges, reports. */
import type { ClusterReader, ManifestObject, ManifestSource } from './ports.ts';
import type { CheckReport } from './check-report.ts';
import { CredentialSpecReviews } from './check/credential-spec-reviews.ts';
import { judgeFiles } from './check/judge-files.ts';
import { judgeReader, type CheckScope } from './check/judge-reader.ts';
import { readFacts } from './check/read-facts.ts';
import { Judge } from './check/judge.ts';
import { Reading } from './check/reading.ts';
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
  readonly images: ImagePlatformSource;
  /** --windows: judge as if the Windows nodes ran these releases. */
  readonly assumedReleases: readonly ReleaseName[];
  /** What is judged of the cluster or inventory; ignored where manifests are judged. */
  readonly scope: CheckScope;
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
  const reading = reader === null ? null : new Reading(reader, options);
  const notes: string[] = [];
  const serverVersion = options.kubernetesVersion ?? (reader === null ? null : await readVersion(reader, notes, options.signal));
  const factsOptions = (completeness: FactsOptions['completeness']): FactsOptions => ({
    kubernetesVersion: serverVersion, asOf: options.asOf, images: options.images, overrides: options.overrides, poolLabels: options.poolLabels, completeness,
  });
  const access = reader?.mayServiceAccount === undefined ? null : new CredentialSpecReviews(reader, options.signal);
  const prepare = (object: KubeObject): Promise<void> | null => access?.prepare(object) ?? null;
  const judgeOf = (facts: CheckFacts): Judge => new Judge(assumeReleases({ ...facts, credentialSpecAccess: access }, options.assumedReleases, options.asOf), {
    rules: ruleSetOf(options.rules), control: options.control, ruleNames: ruleNames([...RULES, ...options.rules]), patchCommandOf: options.patchCommandOf, ...(options.onManifest === undefined ? {} : { onManifest: options.onManifest }),
  });
  const judgeAll = async (): Promise<Judge> => {
    if (manifests === null) return judgeReader(reader as ClusterReader, reading as Reading, { ...options, prepare }, judgeOf, factsOptions, notes); // one of the two is given
    return judgeFiles(manifests, { ...options, prepare, namespace: options.scope.namespace ?? reader?.namespace ?? null }, judgeOf, async (objects) => {
      const builder = reading === null ? new FactsBuilder(factsOptions(() => 'none')) : await readFacts(reading, null, factsOptions);
      for (const object of objects) builder.add(object);
      return builder.facts();
    });
  };
  const judge = await judgeAll();
  const failure = reading?.failure ?? null;
  if (failure !== null) throw failure;
  return judge.finish((manifests ?? reader)?.description ?? { source: 'files', context: null, location: '' }, serverVersion, [...notes, ...(manifests?.notes ?? []), ...(reading?.notes ?? [])]);
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
