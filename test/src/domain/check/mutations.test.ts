/**
 * Objects of any shape, judged by all rules: every node of the rules' own samples (manifests and cluster objects) replaced by
 * values of other types, hostile texts and huge ones. KUBECTL_WIN_SEED repeats a run, KUBECTL_WIN_MUTATIONS sets its length.
 */
import assert from 'node:assert/strict';
import { Judge } from '../../../../src/app/check/judge.ts';
import type { CheckReport } from '../../../../src/app/check-report.ts';
import type { ManifestObject } from '../../../../src/app/ports.ts';
import { factsOfObjects } from '../../../../src/domain/check/facts-of-objects.ts';
import { patchCommandFor } from '../../../../src/domain/check/fix/patch-command.ts';
import { ruleSetOf } from '../../../../src/domain/check/judge-object.ts';
import { podEvidenceOfObjects } from '../../../../src/domain/check/pod-evidence-of-objects.ts';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import { kindKey } from '../../../../src/domain/kubernetes/resource.ts';
import { TAG_PLATFORMS } from '../../../../src/domain/image/tag-platforms.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { render, parseOutputFormat, FINDING_FORMATS } from '../../../../src/output/print.ts';
import { checkView } from '../../../../src/output/views/check.ts';
import { objectsOf } from '../../../support/check-sample.ts';
import { seededRandom, testSeed, type Random } from '../../../support/random.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';

/** How many objects are judged: as many as take about three seconds. */
const MUTATIONS = Number(process.env['KUBECTL_WIN_MUTATIONS'] ?? 1_000);
/** Longest time that one object may take, in milliseconds; far above what any takes, for CI's machines are slow. */
const SLOWEST_MILLISECONDS = 2_000;
/** Every so many reports are printed in all formats. */
const PRINTED = 40;

const AS_OF = new Date('2026-11-30T00:00:00Z');

/** What stands in place of a node. Words that would look like a mistake of ours in a message are left out. */
const VALUES: readonly unknown[] = [
  null, [], {}, '', 0, -1, 1.5, 2 ** 53, true, false, [null], [[]], [{}], [''], [0], ['a', null, {}, 'b'], { '': '' }, { a: null }, { constructor: 1 }, { length: 3 },
  JSON.parse('{"__proto__": {"name": "x"}, "hasOwnProperty": 1, "toString": 2}'),
  '7', '-0', '1e400', '0x10', 'nan', '.inf', '1e', '10.0.', '99999999999999999999', 'constructor', '__proto__', 'toString', 'hasOwnProperty', 'true', ' ', '\t', '/', ':', '@', '\\', 'c:', 'C:\\', '..', '$', '*', '-', '=',
  'a\nb', 'a\r\nb\u001b[31mred\u001b]0;title\u0007', '\u202egnp.exe', '\u0000', '\ud800', 'caf\u00e9', '\u6f22\u5b57', '\u{1f642}', "it's `a` \"b\" $(c) %d% {slot} {{ .Values.x }}", '<!-- ]]> <script> &amp;', '| a | b |', '::error::x',
  'mcr.microsoft.com/windows/servercore:ltsc2022', 'windows', 'linux', '10.0.20348', '2022-01-01', 'x'.repeat(70_000), ' '.repeat(70_000), ':'.repeat(20_000), 'a/'.repeat(20_000), '{'.repeat(20_000), '\\'.repeat(20_000), '-'.repeat(20_000), 'a.'.repeat(20_000), '_a'.repeat(20_000),
];

type Path = readonly (string | number)[];

/** Paths of every node below an object, itself included. */
function pathsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key]))];
}

/** A copy with another value at a path, or without it. */
function withValue(value: unknown, path: Path, change: { readonly to: unknown } | { readonly rename: string } | 'removed' | 'twice'): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return typeof change === 'object' && 'to' in change ? change.to : {};
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    if (rest.length > 0) return items.map((item, index) => (index === step ? withValue(item, rest, change) : item));
    if (change === 'removed') return items.filter((_item, index) => index !== step);
    if (change === 'twice') return [...items, items[Number(step)]];
    return items.map((item, index) => (index === step ? ('to' in change ? change.to : { [change.rename]: item }) : item));
  }
  const entries = Object.entries(value as object);
  if (rest.length > 0) return Object.fromEntries(entries.map(([key, item]) => [key, key === step ? withValue(item, rest, change) : item]));
  if (change === 'removed') return Object.fromEntries(entries.filter(([key]) => key !== step));
  if (change === 'twice') return Object.fromEntries(entries.map(([key, item]) => [key, key === step ? [item, item] : item]));
  return Object.fromEntries(entries.map(([key, item]) => (key !== step ? [key, item] : 'to' in change ? [key, change.to] : [change.rename, item])));
}

const NAMES = ['__proto__', 'constructor', 'toString', '', 'a b', '\u001b[2J', 'x'.repeat(400), 'a/b/c', '0'];

function mutated(object: KubeObject, random: Random): KubeObject {
  let result: unknown = object;
  for (let count = random.chance(70) ? 1 : 1 + random.below(4); count > 0; count--) {
    const paths = pathsOf(result);
    const path = random.pick(paths);
    if (path.length === 0) continue;
    const kind = random.below(20);
    result = withValue(result, path, kind === 0 ? 'removed' : kind === 1 ? 'twice' : kind === 2 ? { rename: random.pick(NAMES) } : { to: random.pick(VALUES) });
  }
  return result as KubeObject; // whatever it is now, it is an object
}

function judged(objects: readonly KubeObject[], cluster: readonly KubeObject[] | null): CheckReport {
  const known = new Set((cluster ?? []).map(kindKey));
  const facts = factsOfObjects([...cluster ?? [], ...objects], { kubernetesVersion: null, asOf: AS_OF, images: TAG_PLATFORMS, completeness: (kind) => (known.has(kind) ? 'all' : 'none') });
  const judge = new Judge({ ...facts, pods: podEvidenceOfObjects([...cluster ?? [], ...objects]) }, {
    rules: ruleSetOf(RULES), ruleNames: new Set(), control: { severities: new Map(), minSeverity: 'info', baseline: null },
    patchCommandOf: (finding, object) => (finding.fix === null ? null : patchCommandFor(object, [finding.fix], {})),
  });
  const inFiles = cluster === null;
  for (const object of objects) {
    const manifest: ManifestObject = { object, file: 'deploy/\u001bweb.yaml', locate: () => ({ file: 'deploy/\u001bweb.yaml', line: 1, column: 1, length: 1 }), lineText: () => 'kind: \u001b[31mX', problems: [] };
    const subjects = judge.introduce(object);
    if (inFiles) judge.visitManifest(manifest, subjects);
    else judge.visit(object, subjects);
  }
  judge.visitCluster();
  return judge.finish({ source: inFiles ? 'files' : 'cluster', context: null, location: 'test' }, null, []);
}

/** Sentences of a report that are made of what the objects hold. */
function sentencesOf({ findings, suppressed, notEvaluated, workloads }: CheckReport): readonly string[] {
  return [
    ...[...findings, ...suppressed.map(({ finding }) => finding)].flatMap(({ message, remedy, evidence, patchCommand }) => [message, remedy, ...evidence, patchCommand ?? '']),
    ...notEvaluated.map(({ reason }) => reason),
    ...workloads.flatMap(({ osEvidence, verdicts }) => [...osEvidence.map(({ text }) => text), ...verdicts.map(({ because }) => because)]),
  ];
}

async function assertPrintsAll(report: CheckReport): Promise<void> {
  for (const terminal of [null, { columns: 1 }, { columns: 80 }]) {
    for (const groupBy of ['object', 'rule'] as const) {
      const view = checkView(report, { rules: RULES, failOn: 'error', terminal, groupBy, root: '/work', asOf: AS_OF, generatedAt: AS_OF, toolVersion: '1.0.0' });
      for (const name of FINDING_FORMATS) {
        if (/^(?:jsonpath|custom-columns)/.test(name) || (terminal !== null && name !== 'table' && name !== 'wide')) continue;
        const text = [...await render(view, parseOutputFormat(name, () => '', FINDING_FORMATS), {})].join('');
        // oxlint-disable-next-line no-control-regex -- controls are what is looked for
        if (name !== 'csv') assert.doesNotMatch(text, /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/, `${name}: a control`);
        if (name === 'json') assertMatchesSchema('CheckReport', JSON.parse(text));
        else if (name === 'sarif') JSON.parse(text);
      }
    }
  }
}

describe('objects of any shape', function () {
  this.timeout(Math.max(60_000, MUTATIONS * 20));
  const seed = testSeed();

  it(`${MUTATIONS} changed samples are judged and printed (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const samples = await Promise.all(RULES.flatMap(({ samples: { bad, good } }) => [...bad, ...good]).map(async ({ yaml, cluster }) => ({ objects: await objectsOf(yaml), cluster: cluster === undefined ? null : await objectsOf(cluster) })));
    const usable = samples.filter(({ objects }) => objects.length > 0);
    let findings = 0;
    for (let index = 0; index < MUTATIONS; index++) {
      const { objects, cluster } = random.pick(usable);
      const isOfCluster = cluster !== null && random.chance(40);
      const changed = isOfCluster ? objects : objects.map((object) => mutated(object, random));
      const around = cluster === null ? random.chance(20) ? random.pick(usable).cluster : null : isOfCluster ? cluster.map((object) => mutated(object, random)) : cluster;
      const start = performance.now();
      try {
        const report = judged(changed, around);
        findings += report.findings.length;
        const took = performance.now() - start;
        assert.ok(took < SLOWEST_MILLISECONDS, `took ${took} ms`);
        for (const sentence of sentencesOf(report)) assert.doesNotMatch(sentence, /\bundefined\b|\[object |\bNaN\b|\{(?!slot\})[a-z]\w*\}/, sentence.slice(0, 1_000));
        if (index % PRINTED === 0) await assertPrintsAll(report);
      } catch (error) {
        throw new Error(`change ${index} of seed ${seed}: ${JSON.stringify({ changed, around }, (_key, value: unknown) => (typeof value === 'string' && value.length > 200 ? `${value.slice(0, 20)}… (${value.length})` : value)).slice(0, 6_000)}`, { cause: error });
      }
    }
    assert.ok(findings > MUTATIONS / 10, `${findings} findings`);
  });
});
