/**
 * Public reports about listing nodes, and about clients and kubeconfig, by their number in ../shared/cases/reports.md: each
 * has a test whose title names it, or stands among the exceptions with a reason.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { casesOrSkip } from './support/cases.ts';

const PROJECT_ROOT = resolve(import.meta.dirname, '..');

/** What the reports are about, in a few words, so that this list can be read without them. */
const REPORTS: Readonly<Record<string, string>> = {
  R003: 'the pause image is of another Windows version', R004: 'the pause image was built on another version', R005: 'the default pause image is 1809 only',
  R006: 'wish: pick the pause image by build number', R007: 'the pause image lacks 1909', R008: 'base image retagged, build mixed up', R009: 'sandbox creation fails on 1903 and 1909',
  R028: 'Windows 11 as a node', R044: 'the sandbox image has no ltsc2025', R072: 'taint os=Windows with a capital W', R078: 'Windows nodes only: DNS is pending',
  R080: 'selector on kubernetes.io/os finds nothing on old nodes', R081: 'the uninitialized taint stays', R098: 'cri-dockerd', R153: 'usage above the size of the disk',
  R154: 'disk full, DiskPressure False', R165: 'an update broke part of a pool', R174: 'odd kubelet versions in a skew check', R175: 'three minors since 1.28',
  R179: 'who may not list nodes sees nothing at all', R180: 'a plugin stops at "cannot list resource nodes"', R181: 'a role with resourceNames: get works, list does not',
  R182: 'a Role for nodes is not enough', R183: 'no Auth Provider found for name "oidc"', R184: 'no Auth Provider found for name "oidc", other plugins work',
  R186: 'exec providers; auth that is not supported', R187: 'the error of an exec plugin is hidden', R188: '410 Expired on many objects', R189: 'fear of losing objects beyond 500',
  R195: 'Windows 11 that says Windows 10', R196: 'kernel 6.2.09200.192', R198: 'kernelVersion of three parts',
};

/** Reports without a test of `nodes`; at most ten. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  R006: 'answered by the order of steps of upgrade-plan; which builds a pause image has is tested in src/domain/windows/pause-images',
  R008: 'about tags of base images in workloads, which check will judge; a node shows nothing of it',
};

/** Numbers that titles of suites and tests name. */
function namedByTests(): ReadonlySet<string> {
  const numbers = new Set<string>();
  for (const file of globSync('test/**/*.test.ts', { cwd: PROJECT_ROOT })) {
    if (join(PROJECT_ROOT, file) === import.meta.filename) continue;
    const text = readFileSync(join(PROJECT_ROOT, file), 'utf8');
    // a title is the first argument of describe or it, or the first text of a row of a table of tests
    for (const [, title = ''] of text.matchAll(/(?:\b(?:describe|it)\(|^\s*\[)\s*(['"`][^\n]*)/gm)) for (const [number] of title.matchAll(/\bR\d{3}\b/g)) numbers.add(number);
  }
  return numbers;
}

describe('reports about nodes and clients', () => {
  it('each has a test that names it, or a reason why not', () => {
    const named = namedByTests();
    assert.deepEqual(Object.keys(REPORTS).filter((number) => !named.has(number) && EXCEPTIONS[number] === undefined), []);
  });

  it('has at most ten exceptions, none of which has a test or is no report', () => {
    const named = namedByTests();
    assert.ok(Object.keys(EXCEPTIONS).length <= 10);
    assert.deepEqual(Object.keys(EXCEPTIONS).filter((number) => named.has(number) || REPORTS[number] === undefined), []);
  });

  it('names no number that is no report of this list', () => {
    assert.deepEqual([...namedByTests()].filter((number) => REPORTS[number] === undefined), []);
  });

  it('leaves out no report that asks for `nodes` or for all commands', function () {
    const rows = [...readFileSync(join(casesOrSkip(this), 'reports.md'), 'utf8').matchAll(/^\| (R\d{3}) \|.*\| ([^|]*) \|$/gm)];
    assert.ok(rows.length > 100, `${rows.length} rows`);
    const asked = rows.filter(([, , command = '']) => /`nodes`|^all\b|^all:/.test(command)).map(([, number = '']) => number);
    assert.deepEqual(asked.filter((number) => REPORTS[number] === undefined), []);
  });
});
