/** The shared manifests: what each must and must not yield, in each of the clusters they are judged against. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describeCases, readExpectations } from '../support/cases.ts';
import { runCommand } from '../support/run-command.ts';

interface CaseExpectation {
  /** Name of the inventory; `offline` for none. */
  readonly context: string;
  /** `Kind/name`, or `*` for any object of the file. */
  readonly object: string;
  readonly must?: readonly string[];
  readonly mustNot?: readonly string[];
}

interface FoundFinding {
  readonly severity: string;
  readonly facts: readonly string[];
  readonly path: string;
  readonly message: string;
  readonly object: { readonly kind: string | null; readonly name: string };
}

interface FoundReport {
  readonly findings: readonly FoundFinding[];
  readonly unreadable: readonly unknown[];
  readonly summary: { readonly objects: number };
}

/** Whether a finding is what a word of the expectations means: `SEC-004`, `SEC-004@error`, `path:hostNetwork`, `*@error`. */
function fits(finding: FoundFinding, word: string): boolean {
  const [name = '', severity] = word.split('@');
  if (severity !== undefined && finding.severity !== severity) return false;
  if (name.startsWith('path:')) return finding.path.split(name.slice('path:'.length)).slice(1).some((rest) => !/^\w/.test(rest));
  return name === '*' || finding.facts.includes(name);
}

describeCases('check on the shared manifests', (folder) => {
  for (const part of ['manifests-1.json', 'manifests-2.json']) {
    for (const { file, cases } of readExpectations(folder, part) as readonly { readonly file: string; readonly cases: readonly CaseExpectation[] }[]) {
      for (const context of new Set(cases.map((one) => one.context))) {
        it(`${file}, ${context}`, async () => {
          const inventory = context === 'offline' ? [] : ['--inventory', join(folder, 'expectations', 'inventories', `${context}.yaml`)];
          const { stdout, exitCode, stderr } = await runCommand(['check', '-f', join(folder, 'manifests', file), ...inventory, '--images', 'tags', '--fail-on', 'none', '-o', 'json'], { env: { HOME: '/nonexistent' } });
          assert.equal(exitCode, 0, stderr);
          const report = JSON.parse(stdout) as FoundReport;
          assert.ok(report.summary.objects + report.unreadable.length > 0, 'nothing was read');
          const misses: string[] = [];
          for (const one of cases.filter((expectation) => expectation.context === context)) {
            const mine = report.findings.filter(({ object }) => one.object === '*' || `${object.kind}/${object.name}` === one.object);
            for (const must of one.must ?? []) {
              const isMet = must.split('|').some((word) => (word === 'unreadable' ? report.unreadable.length > 0 : mine.some((finding) => fits(finding, word))));
              if (!isMet) misses.push(`${one.object}: ${must} is missing among ${[...new Set(mine.flatMap(({ facts }) => facts))].join(' ')}`);
            }
            for (const mustNot of one.mustNot ?? []) {
              if (mustNot === 'unreadable' && report.unreadable.length > 0) misses.push(`${one.object}: unreadable ${JSON.stringify(report.unreadable)}`);
              for (const finding of mine.filter((candidate) => mustNot.split('|').some((word) => fits(candidate, word)))) misses.push(`${one.object}: ${mustNot} was found: ${finding.path}: ${finding.message}`);
            }
          }
          assert.deepEqual(misses, []);
        });
      }
    }
  }
});
