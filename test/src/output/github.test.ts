import assert from 'node:assert/strict';
import type { CheckReport } from '../../../src/app/check-report.ts';
import { renderGithub } from '../../../src/output/github.ts';
import { findingOf, hostileReport, placeOf, reportOf, unreadableOf } from '../../support/check-report-builder.ts';

const printed = (report: CheckReport, root: string | null = null): string => [...renderGithub(report, { root })].join('');

describe('renderGithub', () => {
  it('prints nothing where there is nothing to say', () => assert.equal(printed(reportOf()), ''));

  it('puts the worst first, for GitHub shows ten of a kind', () => {
    const findings = (['info', 'warning', 'error'] as const).map((severity) => findingOf({ severity }));
    assert.deepEqual(printed(reportOf({ findings, unreadable: [unreadableOf()] })).match(/^::\w+/gm), ['::error', '::error', '::warning', '::notice', '::notice']);
  });

  it('names files relative to the checkout', () => {
    assert.match(printed(reportOf({ findings: [findingOf({ place: placeOf({ file: '/runner/work/deploy/web.yaml' }) })] }), '/runner/work'), /^::error file=deploy\/web\.yaml,line=21,col=9,endColumn=18,title=run-as-user-on-windows::deployment\/web in namespace shop /);
  });

  it('escapes properties and text as the runner unescapes them', () => {
    const [line = ''] = printed(reportOf({ findings: [findingOf({ message: '100% of\na,b:c', remedy: '', path: [], place: placeOf({ file: 'a,b:c%.yaml' }) })] })).split('\n');
    assert.match(line, /file=a%2Cb%3Ac%25\.yaml,/);
    assert.ok(line.endsWith('::deployment/web in namespace shop: 100%25 of a,b:c'), line);
  });

  it('cannot be made to begin a command of its own', () => {
    const text = printed(hostileReport());
    assert.equal(text.trimEnd().split('\n').length, 4);
    for (const line of text.trimEnd().split('\n')) assert.match(line, /^::(error|warning|notice) [^\r]*$/);
  });
});
