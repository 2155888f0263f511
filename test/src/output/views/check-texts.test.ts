import assert from 'node:assert/strict';
import { countMissingFacts, findingsByObject, findingsToRead, groupNotEvaluated, messageAndRemedy, objectLead, objectName, objectText, placeText, reportNotes, subjectText, summaryLine, workloadText } from '../../../../src/output/views/check-texts.ts';
import { findingOf, LOGS, placeOf, reportOf, sampleReport, WEB, workloadOf } from '../../../support/check-report-builder.ts';

describe('summaryLine', () => {
  it('counts what was found, what was looked at, and what was not judged and why', () => {
    assert.equal(summaryLine(sampleReport()), '2 errors, 1 warning, 1 info in 2 workloads (1 Windows) and 1 other object; 3 not evaluated (nodes: 2, CustomResourceDefinitions: 1); 2 suppressed; 1 unreadable');
  });
  it('leaves out what there is none of', () => {
    const report = reportOf({ workloads: [workloadOf()] });
    assert.equal(summaryLine({ ...report, summary: { ...report.summary, objects: 1 } }), 'No findings in 1 workload (1 Windows)');
    assert.equal(summaryLine({ ...report, summary: { ...report.summary, objects: 0 } }), 'No resources found');
  });
  it('names facts by how many questions they leave open', () => {
    const reasons = ['pods not known', 'nodes not known: where it lands', 'nodes not known', 'nodes and pods not known', 'odd'];
    assert.deepEqual([...countMissingFacts(reasons.map((reason) => ({ rule: 'x', object: WEB, reason })))], [['nodes', 2], ['pods', 1], ['nodes and pods', 1], ['odd', 1]]);
  });
});

describe('reportNotes', () => {
  it('says what the counts stand for', () => {
    assert.deepEqual(reportNotes(sampleReport()), [
      'not evaluated, nodes not known: 2 questions (image-build-mismatch)',
      'not evaluated, CustomResourceDefinitions not known: 1 question (gmsa-crd-missing)',
      '--live or --inventory judges files against the nodes of a cluster',
      'suppressed by annotation: host-path-on-windows of deployment/web in namespace shop: only on nodes with this folder',
      '1 finding of the baseline left out',
      '1 finding can be fixed by --fix',
      '1 finding can be fixed by --fix=all, which may change what runs',
    ]);
  });
  it('offers no fix that was just refused', () => {
    assert.deepEqual(reportNotes(sampleReport(), { fixed: 'safe' }).filter((note) => note.includes('--fix')), ['1 finding can be fixed by --fix=all, which may change what runs']);
    assert.deepEqual(reportNotes(sampleReport(), { fixed: 'all' }).filter((note) => note.includes('--fix')), []);
  });
  it('says why an annotation suppresses nothing', () => {
    const evidence = ['seen', 'the annotation ignore.kubectl-win/os-name-missing suppressed this until 2026-11-01'];
    assert.deepEqual(reportNotes(reportOf({ findings: [findingOf({ rule: 'os-name-missing', evidence, fix: null })] })), ['not suppressed: os-name-missing of deployment/web in namespace shop: the annotation ignore.kubectl-win/os-name-missing suppressed this until 2026-11-01']);
  });
  it('stays short, and says how much it leaves out', () => {
    const notEvaluated = Array.from({ length: 30 }, (_, index) => ({ rule: `rule-${index}`, object: WEB, reason: 'nodes not known: what happens there' }));
    assert.deepEqual(reportNotes(reportOf({ notEvaluated })), ['not evaluated, nodes not known: 30 questions (rule-0, rule-1, rule-2 and 27 more)', '--live or --inventory judges files against the nodes of a cluster']);
    const suppressed = Array.from({ length: 30 }, () => ({ finding: findingOf(), by: 'annotation' as const, reason: 'known' }));
    const notes = reportNotes(reportOf({ suppressed }), { most: 3 });
    assert.equal(notes.length, 4);
    assert.equal(notes[3], 'suppressed: and 27 more like these; -o json has them all');
    assert.deepEqual(reportNotes(reportOf({ suppressed: suppressed.map((one) => ({ ...one, by: 'baseline' as const })) })), ['30 findings of the baseline left out']);
  });
});

describe('the words of a report', () => {
  it('name objects as kubectl does', () => {
    assert.equal(objectName(WEB), 'deployment.apps/web');
    assert.equal(objectName({ apiVersion: 'v1', kind: 'Service', namespace: null, name: 'a' }), 'service/a');
    assert.equal(objectName({ apiVersion: null, kind: null, namespace: null, name: '' }), '');
    assert.equal(objectText({ apiVersion: null, kind: null, namespace: null, name: '' }), 'a document');
    assert.equal(objectText(WEB), 'deployment/web in namespace shop');
    assert.equal(objectText({ apiVersion: null, kind: 'Cluster', namespace: null, name: '' }), 'the cluster');
    assert.equal(objectText({ apiVersion: 'x/v1', kind: 'Cluster', namespace: null, name: '' }), 'cluster/');
  });
  it('name a document without an object by its file, and lead a message with nothing where there is no object', () => {
    const none = { apiVersion: null, kind: null, namespace: null, name: '' };
    assert.deepEqual([subjectText({ object: none, place: placeOf() }), subjectText({ object: none, place: null }), subjectText({ object: WEB, place: placeOf() })], ['deploy/web.yaml', 'a document', 'deployment/web in namespace shop']);
    assert.deepEqual([objectLead(none, 'spec'), objectLead(WEB), objectLead(WEB, 'spec')], ['', 'deployment/web in namespace shop: ', 'deployment/web in namespace shop spec: ']);
  });
  it('say of a workload what it is for and what will happen', () => {
    assert.equal(workloadText(workloadOf()), 'Windows; refused by the API server');
    assert.equal(workloadText(workloadOf({ os: 'contradictory', verdicts: [] })), 'contradictory OS');
    const failing = (nodes: readonly string[], because: string) => ({ verdict: 'fails-at-start', nodes, because }) as const;
    assert.equal(workloadText(workloadOf({ verdicts: [failing(['a', 'b'], 'build 1'), failing(['c'], 'build 2'), { verdict: 'fields-ignored', nodes: ['d'], because: '' }] })), 'Windows; fails at start on 3 nodes, runs with fields ignored on 1 node');
    assert.equal(workloadText(workloadOf({ os: 'linux', verdicts: [{ verdict: 'runs', nodes: ['a'], because: '' }, { verdict: 'unknown', nodes: ['b', 'c'], because: '' }] })), 'Linux; runs on 1 node, not known whether it runs on 2 nodes');
  });
  it('leave out of a place what is not known', () => {
    assert.deepEqual([placeText(placeOf()), placeText({ file: 'a', line: 1, column: null }), placeText({ file: 'a', line: null, column: null })], ['deploy/web.yaml:21:9', 'a:1', 'a']);
  });
  it('join message and remedy at once, however many blanks are in them', () => {
    const start = performance.now();
    const message = `a${' '.repeat(250_000)}b`;
    assert.equal(messageAndRemedy({ message: `${message} \r\n \n c`, remedy: '' }), `${message} c`);
    assert.ok(performance.now() - start < 2_000);
  });
  it('join message and remedy in one line', () => assert.deepEqual([messageAndRemedy({ message: 'a\n b', remedy: 'C.' }), messageAndRemedy({ message: 'a', remedy: '' })], ['a b; fix: C.', 'a']));
});

describe('findingsByObject', () => {
  it('brings findings of an object together, worst first, and keeps objects of two files apart', () => {
    const findings = [findingOf({ severity: 'info' }), findingOf({ object: LOGS }), findingOf({ severity: 'error' }), findingOf({ place: placeOf() })];
    assert.deepEqual(findingsByObject(findings).map((group) => group.map(({ object, severity, place }) => [object.name, severity, place?.file ?? null])), [
      [['web', 'error', null], ['web', 'info', null]], [['logs', 'error', null]], [['web', 'error', 'deploy/web.yaml']],
    ]);
  });
  it('brings the worst objects of a cluster first, and leaves files in their order', () => {
    const other = { ...WEB, name: 'other' };
    const findings = [findingOf({ severity: 'info' }), findingOf({ object: LOGS, severity: 'warning' }), findingOf({ object: other, severity: 'info' }), findingOf({ object: other, severity: 'error' })];
    const names = (found: readonly { readonly object: { readonly name: string } }[]): readonly string[] => found.map(({ object }) => object.name);
    assert.deepEqual(findingsByObject(findings).map(([{ object }]) => object.name), ['other', 'logs', 'web']);
    assert.deepEqual(names(findingsToRead(findings)), ['other', 'other', 'logs', 'web']);
    assert.deepEqual(names(findingsToRead(findings.map((finding) => ({ ...finding, place: placeOf() })))), names(findings));
  });
  it('takes two groups of one kind for two', () => assert.equal(groupNotEvaluated([{ rule: 'a', object: WEB, reason: 'x' }, { rule: 'a', object: WEB, reason: 'y' }]).length, 2));
});
