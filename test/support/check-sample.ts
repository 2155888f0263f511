/** Judges the samples of rules, or any YAML, as the use case does, with facts from YAML instead of a cluster. */
import { loadSchema } from '../../src/adapters/manifests/load-schema.ts';
import { readManifestText } from '../../src/adapters/manifests/read-manifest-text.ts';
import type { ManifestObject, UnreadableDocument } from '../../src/app/ports.ts';
import { factsOfObjects } from '../../src/domain/check/facts-of-objects.ts';
import type { CheckFacts } from '../../src/domain/check/facts.ts';
import { factTable } from '../../src/domain/kubernetes/fact-table.ts';
import type { Finding, NotEvaluated } from '../../src/domain/check/finding.ts';
import { judgeObject, ruleSetOf, subjectsOf } from '../../src/domain/check/judge-object.ts';
import { podEvidenceOfObjects } from '../../src/domain/check/pod-evidence-of-objects.ts';
import { NO_OBJECT, runClusterRules, runManifestRules } from '../../src/domain/check/run-rules.ts';
import { selectableWorkloadOf } from '../../src/domain/check/selectable-workload.ts';
import type { Rule, Sample, WorkloadSubject } from '../../src/domain/check/rule.ts';
import { RULES } from '../../src/domain/check/rules/index.ts';
import type { ImagePlatformSource } from '../../src/domain/image/image-platforms.ts';
import { combineEvidence } from '../../src/domain/image/combine-evidence.ts';
import { TAG_PLATFORMS } from '../../src/domain/image/tag-platforms.ts';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { refOf } from '../../src/domain/kubernetes/object-ref.ts';

export interface JudgedSample {
  readonly findings: readonly Finding[];
  readonly notEvaluated: readonly NotEvaluated[];
  readonly subjects: readonly WorkloadSubject[];
}

/** What the manifest source makes of a text. */
async function documentsOf(text: string): Promise<readonly (ManifestObject | UnreadableDocument)[]> {
  const documents: (ManifestObject | UnreadableDocument)[] = [];
  for await (const item of readManifestText(text, 'sample.yaml', { schema: loadSchema })) if (!('foreign' in item)) documents.push(item);
  return documents;
}

/** The objects of YAML text, Lists unrolled; without the documents that cannot be read. */
export async function objectsOf(yaml: string): Promise<readonly KubeObject[]> {
  return (await documentsOf(yaml)).flatMap((document) => ('object' in document ? [document.object] : []));
}

type SampleFacts = Pick<Sample, 'yaml' | 'cluster' | 'images' | 'kubernetesVersion'>;

function imagesOfSample({ images = {} }: SampleFacts): ImagePlatformSource {
  return {
    platformsOf(image) {
      const entries = images[image];
      if (entries === undefined) return TAG_PLATFORMS.platformsOf(image);
      if (entries.length === 0) return combineEvidence({ registry: null, registryProblem: { message: 'the registry has no such manifest', isMissing: true }, live: null, tag: TAG_PLATFORMS.platformsOf(image) });
      const platforms = entries.map((entry) => ({ os: entry.split('/')[0] ?? '', architecture: 'amd64', osVersion: entry.split('/')[1] ?? null, digest: null, sizeBytes: null }));
      return { shape: 'index', confidence: 'registry', platforms, os: null, because: `the registry lists ${entries.join(', ')}` };
    },
  };
}

/** Facts that the `cluster` of a sample gives: kinds that occur are completely known, all others not at all. */
export async function factsOfSample(sample: SampleFacts): Promise<CheckFacts> {
  const cluster = sample.cluster === undefined ? [] : await objectsOf(sample.cluster);
  const own = await objectsOf(sample.yaml);
  const known = new Set(cluster.map((object) => `${groupOf(object)}/${String(object.kind)}`));
  return factsOfObjects([...cluster, ...own], {
    kubernetesVersion: sample.kubernetesVersion ?? null, asOf: new Date('2026-11-30T00:00:00Z'), images: imagesOfSample(sample),
    completeness: (kind) => (known.has(kind) ? 'all' : 'none'),
  });
}

function groupOf(object: KubeObject): string {
  const apiVersion = String(object.apiVersion ?? '');
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
}

export async function judgeSample(sample: SampleFacts, rules: readonly Rule[] = RULES): Promise<JudgedSample> {
  const alone = await factsOfSample(sample);
  const documents = [...(sample.cluster === undefined ? [] : await objectsOf(sample.cluster)), ...await objectsOf(sample.yaml)];
  const selectable = documents.flatMap((object) => subjectsOf(object, alone)).map(selectableWorkloadOf);
  const facts = { ...alone, pods: podEvidenceOfObjects(documents), workloads: factTable(new Map(selectable.map((workload, index) => [String(index), workload])), true) };
  const set = ruleSetOf(rules);
  const outcome = { findings: [] as Finding[], notEvaluated: [] as NotEvaluated[] };
  const subjects: WorkloadSubject[] = [];
  for (const document of await documentsOf(sample.yaml)) {
    if (!('object' in document)) {
      runManifestRules(set.manifest, [document], NO_OBJECT, outcome);
      continue;
    }
    const { object } = document;
    runManifestRules(set.manifest, document.problems, refOf(object), outcome);
    const own = subjectsOf(object, facts);
    judgeObject(object, own, set, facts, outcome);
    subjects.push(...own);
  }
  runClusterRules(set.cluster, facts, outcome);
  return { ...outcome, subjects };
}
