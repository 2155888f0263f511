import assert from 'node:assert/strict';
import type { CheckReport } from '../../../../src/app/check-report.ts';
import { FINDING_FORMATS, parseOutputFormat, render, type RenderOptions } from '../../../../src/output/print.ts';
import { checkView, type CheckViewOptions } from '../../../../src/output/views/check.ts';
import { HOSTILE_TEXT, LOGS, SAMPLE_RULES, WEB, findingOf, hostileReport, placeOf, reportOf, sampleReport, unreadableOf, workloadOf } from '../../../support/check-report-builder.ts';
import { assertGolden } from '../../../support/golden.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';

const OPTIONS: CheckViewOptions = {
  rules: SAMPLE_RULES, asOf: new Date('2026-11-30T00:00:00Z'), generatedAt: new Date('2026-11-30T12:00:00Z'), toolVersion: '0.1.0', failOn: 'error', terminal: null, groupBy: 'object', root: null,
};

async function printed(report: CheckReport, format: string, parts: Partial<CheckViewOptions> & RenderOptions = {}): Promise<string> {
  const noFile = (): string => '';
  return [...(await render(checkView(report, { ...OPTIONS, ...parts }), parseOutputFormat(format, noFile, FINDING_FORMATS), parts))].join('');
}

describe('checkView', () => {
  const golden = [
    ['table', 'table.txt', {}], ['wide', 'wide.txt', {}], ['json', 'report.json', {}], ['yaml', 'report.yaml', {}], ['name', 'name.txt', {}], ['csv', 'table.csv', {}],
    ['markdown', 'comment.md', {}], ['html', 'page.html', {}], ['sarif', 'report.sarif.json', {}], ['junit', 'junit.xml', {}], ['github', 'github.txt', {}],
    ['table', 'terminal-80.txt', { terminal: { columns: 80 } }], ['wide', 'terminal-wide-60.txt', { terminal: { columns: 60 } }],
    ['table', 'terminal-colour.txt', { terminal: { columns: 80 }, colour: true }], ['table', 'terminal-rules.txt', { terminal: { columns: 100 }, groupBy: 'rule' }],
    ['jsonpath={range .findings[*]}{.rule}{"\\t"}{.file}{"\\n"}{end}', 'jsonpath.txt', {}],
    ['custom-columns=RULE:.rule,FIELD:.path,OBJECT:.object.name', 'custom-columns.txt', {}],
  ] as const;
  for (const [format, file, parts] of golden) {
    it(`prints ${format} as test/golden/check/${file}`, async () => assertGolden(`check/${file}`, await printed(sampleReport(), format, parts)));
  }

  const reports = { empty: reportOf(), sample: sampleReport(), hostile: hostileReport() };
  for (const [name, report] of Object.entries(reports)) {
    it(`promises no more and no less than the schema in the ${name} report`, async () => {
      const document: unknown = JSON.parse(await printed(report, 'json'));
      assertMatchesSchema('CheckReport', document);
      const { load } = await import('js-yaml');
      assert.deepEqual(load(await printed(report, 'yaml')), document);
    });
  }

  it('lets no control character of a manifest through in any format', async () => {
    for (const format of FINDING_FORMATS.filter((each) => !each.includes('-') && each !== 'jsonpath')) {
      for (const terminal of [null, { columns: 20 }, { columns: 200 }]) {
        for (const groupBy of ['object', 'rule'] as const) {
          const text = await printed(hostileReport(), format, { terminal, groupBy });
          // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
          assert.doesNotMatch(text, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e]|\r(?!\n)|\p{Surrogate}/u, `${format} ${groupBy}`);
        }
      }
    }
  });

  it('counts the columns of table and wide the same up to the place, so that awk finds them', async () => {
    const columnsOf = (text: string): string[][] => text.trimEnd().split('\n').map((line) => line.split(/ {2,}/).slice(0, 6));
    assert.deepEqual(columnsOf(await printed(sampleReport(), 'table')), columnsOf(await printed(sampleReport(), 'wide')));
  });

  it('shows the worst objects of a cluster first where people read, and keeps the order of reading for programs', async () => {
    const report = reportOf({ findings: [findingOf({ severity: 'info' }), findingOf({ object: LOGS })] });
    for (const format of ['table', 'wide', 'markdown', 'html']) assert.match(await printed(report, format), /logs[^]*web/, format);
    assert.match(await printed(report, 'table', { terminal: { columns: 80 } }), /^daemonset\/logs[^]*^deployment\/web/m);
    for (const format of ['json', 'yaml', 'sarif', 'junit', 'name']) assert.match(await printed(report, format), /web[^]*logs/, format);
  });

  it('breaks the heads of findings on narrow terminals between words', async () => {
    const report = reportOf({ findings: [findingOf({ rule: 'host-process-in-restricted-namespace', object: { ...WEB, name: 'a-deployment-with-a-long-name', namespace: 'a-namespace-with-a-long-name' } })] });
    for (const groupBy of ['object', 'rule'] as const) {
      const lines = (await printed(report, 'table', { terminal: { columns: 60 }, groupBy })).split('\n');
      // a name or path that is too long by itself stays whole, so that it can be copied
      assert.deepEqual(lines.filter((line) => line.length > 60 && line.trim().includes(' ') && !/^ {6}deployment\/\S+ in namespace \S+$/.test(line)), []);
      assert.ok(lines.some((line) => /^ *error  host-process-in-restricted-namespace$/.test(line)), lines.join('\n'));
      assert.ok(lines.some((line) => line.startsWith('    refused by the API server')), lines.join('\n'));
    }
  });

  it('shows in wide what was seen of each object, also where the message is the same', async () => {
    const report = reportOf({ findings: [findingOf({ evidence: ['nodeSelector says so'] }), findingOf({ object: LOGS, evidence: ['the image\nsays so'] })] });
    assert.match(await printed(report, 'wide'), /nodeSelector says so[^]*the image says so/);
    assert.doesNotMatch(await printed(report, 'table'), /says so/);
    const rules = await printed(report, 'wide', { terminal: { columns: 80 }, groupBy: 'rule' });
    assert.match(rules, /deployment\/web.*\n(?: {8}spec.*\n)? {8}seen: nodeSelector says so\n.*daemonset\/logs.*\n(?: {8}spec.*\n)? {8}seen: the image\n {14}says so\n/);
    assert.equal(rules.match(/cannot be set for a Windows pod/g)?.length, 1);
  });

  it('keeps a message of several lines, and its remedy, in one row', async () => {
    const report = reportOf({ findings: [findingOf({ message: 'the kubelet says:\r\n  hcs failed\n', remedy: 'Mend it.' })] });
    const text = await printed(report, 'table');
    assert.equal(text.split('\n').length, 3);
    assert.ok(text.endsWith('the kubelet says: hcs failed; fix: Mend it.\n'), text);
  });

  it('names each object once, in kubectl\'s words, and none that has no name', async () => {
    const findings = [findingOf(), findingOf({ rule: 'other' }), findingOf({ object: LOGS }), findingOf({ object: { apiVersion: 'v1', kind: 'Pod', namespace: null, name: 'a' } }), findingOf({ object: { apiVersion: null, kind: 'Cluster', namespace: null, name: '' } })];
    assert.equal(await printed(reportOf({ findings }), 'name'), 'deployment.apps/web\ndaemonset.apps/logs\npod/a\n');
  });

  it('prints nothing but a message for stderr where nothing was found', async () => {
    const report = reportOf({ workloads: [workloadOf()] });
    for (const terminal of [null, { columns: 80 }]) assert.equal(await printed(report, 'table', { terminal }), '');
    assert.equal(checkView(report, OPTIONS).emptyMessage, 'No findings in 1 workload (1 Windows) and 1 other object');
  });

  it('makes the items of its document on demand, each time anew', () => {
    let made = 0;
    const findings = Array.from({ length: 1000 }, (_, index) => ({ ...findingOf({ path: ['spec', index] }), get message() { made += 1; return 'x'; } }));
    const document = checkView(reportOf({ findings }), OPTIONS).document();
    assert.equal(made, 0);
    const list = document['findings'] as Iterable<unknown>;
    for (const _first of list) break;
    assert.equal(made, 1);
    assert.equal([...list].length, 1000);
    assert.equal([...list].length, 1000);
  });

  it('prints 10,000 findings as a document that fits the schema, in small chunks', async () => {
    const findings = Array.from({ length: 10_000 }, (_, index) => findingOf({
      object: { ...WEB, name: `web-${index}` }, path: index % 3 === 0 ? [] : ['spec', 'containers', index, 'a/b'], message: index % 7 === 0 ? HOSTILE_TEXT : 'x', container: index % 2 === 0 ? null : 'c',
      place: index % 5 === 0 ? null : placeOf({ line: index + 1 }), severity: (['error', 'warning', 'info'] as const)[index % 3] ?? 'info',
    }));
    const report = reportOf({ findings });
    for (const format of ['json', 'sarif', 'junit', 'github', 'markdown', 'html', 'table'] as const) {
      const chunks = [...(await render(checkView(report, { ...OPTIONS, terminal: { columns: 80 } }), parseOutputFormat(format, () => '', FINDING_FORMATS)))];
      assert.ok(Math.max(...chunks.map((chunk) => chunk.length)) < 10_000, format);
      if (format === 'json') assertMatchesSchema('CheckReport', JSON.parse(chunks.join('')));
      if (format === 'sarif') assert.equal((JSON.parse(chunks.join('')) as { runs: { results: unknown[] }[] }).runs[0]?.results.length, 10_000);
    }
  }).timeout(20_000);

  it('shows a document that could not be read once where a finding tells of it', async () => {
    const object = { apiVersion: null, kind: null, namespace: null, name: '' };
    const finding = findingOf({ rule: 'unreadable-document', object, path: [], message: 'mapping values are not allowed here', place: placeOf({ file: 'deploy/broken.yaml', line: 3, column: 7, lineText: '' }) });
    const report = reportOf({ findings: [finding], unreadable: [unreadableOf()] });
    for (const format of ['table', 'csv', 'markdown', 'html', 'github', 'junit'] as const) {
      const text = await printed(report, format);
      const once = { github: /file=deploy\/broken\.yaml,line=3/g, junit: /<testcase [^>]*line="3"/g, table: /deploy\/broken\.yaml:3:7/g }[format === 'github' || format === 'junit' ? format : 'table'];
      assert.equal(text.match(once)?.length, 1, text);
    }
    const { runs: [run] } = JSON.parse(await printed(report, 'sarif')) as { runs: [{ results: unknown[]; invocations: [{ toolExecutionNotifications: unknown[] }] }] };
    assert.deepEqual([run.results.length, run.invocations[0].toolExecutionNotifications.length], [1, 1]);
    assert.equal((await printed(report, 'table', { terminal: { columns: 80 } })).match(/mapping values/g)?.length, 1);
  });

  it('shows unreadable documents as rows, in every format', async () => {
    const report = reportOf({ unreadable: [unreadableOf(), unreadableOf({ file: 'b.yaml', line: null, column: null })] });
    for (const format of ['table', 'csv', 'markdown', 'html', 'sarif', 'junit', 'github', 'json', 'yaml'] as const) {
      const text = await printed(report, format);
      assert.ok(text.includes('deploy/broken.yaml') && text.includes('b.yaml') && text.includes('mapping values are not allowed here'), format);
    }
    assert.match(await printed(report, 'table', { terminal: { columns: 80 } }), /^deploy\/broken\.yaml:3:7\n {2}error {2}unreadable-document/);
  });
});
