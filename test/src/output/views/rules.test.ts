import assert from 'node:assert/strict';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import type { Rule } from '../../../../src/domain/check/rule.ts';
import { parseOutputFormat, render } from '../../../../src/output/print.ts';
import type { View } from '../../../../src/output/view.ts';
import { ruleExplanationView, rulesView } from '../../../../src/output/views/rules.ts';
import { clusterText, lookedAt, versionWindow } from '../../../../src/output/views/rules-texts.ts';
import { SAMPLE_RULES } from '../../../support/check-report-builder.ts';
import { assertGolden } from '../../../support/golden.ts';
import { assertMatchesSchema } from '../../../support/schema.ts';
import { renderChecksPage } from '../../../../src/tooling/docs.ts';

async function printed(view: View<Rule>, format: string): Promise<string> {
  return [...(await render(view, parseOutputFormat(format, () => '')))].join('');
}
const [first] = SAMPLE_RULES;
assert.ok(first);

describe('rulesView', () => {
  for (const [format, file] of [['table', 'list.txt'], ['wide', 'list-wide.txt'], ['markdown', 'list.md'], ['name', 'list-name.txt'], ['json', 'list.json']] as const) {
    it(`prints ${format} as test/golden/check/${file}`, async () => assertGolden(`check/${file}`, await printed(rulesView(SAMPLE_RULES), format)));
  }
  it('promises what its schema says of every rule', async () => {
    for (const rules of [RULES, SAMPLE_RULES]) assertMatchesSchema('CheckRuleList', JSON.parse(await printed(rulesView(rules), 'json')));
  });
  it('prints docs/checks.md as Markdown', async () => assert.equal(await printed(rulesView(RULES), 'markdown'), renderChecksPage()));
  it('has a section with an anchor and samples for every rule of the page', () => {
    const page = renderChecksPage();
    for (const { id } of RULES) {
      assert.ok(page.includes(`[${id}](#${id})`), id);
      assert.ok(page.includes(`\n## ${id}\n`), id);
    }
    assert.equal(page.match(/^`{3,}yaml$/gm)?.length, RULES.flatMap(({ samples }) => [...samples.bad.slice(0, 2), ...samples.good.slice(0, 1)]).reduce((sum, { cluster }) => sum + (cluster === undefined ? 1 : 2), 0));
    assert.ok(Buffer.byteLength(page) < 1024 * 1024);
  });
});

describe('ruleExplanationView', () => {
  for (const [format, columns, file] of [['table', 80, 'explain.txt'], ['table', 40, 'explain-40.txt'], ['markdown', 80, 'explain.md'], ['yaml', 80, 'explain.yaml']] as const) {
    it(`prints ${format} as test/golden/check/${file}`, async () => assertGolden(`check/${file}`, await printed(ruleExplanationView(first, { columns }), format)));
  }
  it('says one rule in the words of the list', async () => {
    const [item] = (JSON.parse(await printed(rulesView([first]), 'json')) as { items: [Record<string, unknown>] }).items;
    assert.deepEqual(JSON.parse(await printed(ruleExplanationView(first, { columns: 80 }), 'json')), { apiVersion: 'kubectl-win/v1alpha1', kind: 'CheckRule', ...item });
  });
  it('says where in a bad sample the fault is', async () => {
    const rule = { ...first, samples: { bad: [{ yaml: 'spec: {}\n', path: 'spec.os.name', kubernetesVersion: '1.36' }], good: [{ yaml: 'spec: {}\n' }] } } as Rule;
    assert.match(await printed(ruleExplanationView(rule, { columns: 80 }), 'table'), /^Bad:\n {4}spec: \{\}\n {2}at spec\.os\.name\n {2}on Kubernetes 1\.36\n/m);
    const page = await printed(ruleExplanationView(rule, { columns: 80 }), 'markdown');
    assert.ok(page.includes('Bad (at `spec.os.name`, on Kubernetes 1.36):\n') && page.includes('Good:\n'), page);
  });
  it('explains every rule', async () => {
    for (const rule of RULES) assert.ok((await printed(ruleExplanationView(rule, { columns: 80 }), 'table')).includes(rule.reference), rule.id);
  });
});

describe('what a rule looks at', () => {
  const base = { os: 'windows', isolation: undefined } as const;
  const cases: readonly [object, string][] = [
    [{ scope: 'workload', ...base }, 'windows-pods'], [{ ...base, scope: 'workload', os: 'any' }, 'pods'], [{ scope: 'workload', ...base, isolation: 'process' }, 'process-windows-pods'],
    [{ scope: 'workload', ...base, isolation: 'host-process' }, 'host-process-pods'], [{ scope: 'object', kinds: ['/Service', 'networking.k8s.io/NetworkPolicy'] }, 'Service,NetworkPolicy'], [{ scope: 'cluster' }, 'cluster'],
  ];
  for (const [parts, expected] of cases) it(`is ${expected}`, () => assert.equal(lookedAt({ ...first, ...parts } as Rule), expected)); // of mixed parts, as no rule is
  it('is told in a cluster in short', () => {
    const cluster = "apiVersion: v1\nkind: Node\nmetadata:\n  name: win-1\n  labels:\n    a: b\nstatus:\n  nodeInfo:\n    kernelVersion: 10.0.20348.5386\n---\nkind: Node\nmetadata: {name: linux-1}\nstatus: {nodeInfo: {kernelVersion: 6.8.0}}\n---\n# nothing\n---\nkind: List\n";
    assert.equal(clusterText(cluster), 'Node win-1 (10.0.20348.5386), Node linux-1, List');
  });
  it('is told of which versions', () => {
    assert.deepEqual([versionWindow({}), versionWindow({ since: '1.25' }), versionWindow({ until: '1.31' }), versionWindow({ since: '1.25', until: '1.31' })], [null, '1.25 and later', 'up to 1.31', '1.25 to 1.31']);
  });
});
