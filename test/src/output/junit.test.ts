import assert from 'node:assert/strict';
import type { CheckReport } from '../../../src/app/check-report.ts';
import { type JunitOptions, renderJunit } from '../../../src/output/junit.ts';
import { findingOf, HOSTILE_TEXT, hostileReport, LOGS, placeOf, reportOf, sampleReport, unreadableOf, WEB, workloadOf } from '../../support/check-report-builder.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  text: string;
}

/** Reads XML as far as this format uses it and fails on what is not well-formed. */
function parseXml(xml: string): Element {
  assert.match(xml, /^<\?xml version="1\.0" encoding="UTF-8"\?>\n/);
  // https://www.w3.org/TR/xml/#charsets, read 2026-11-30
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  assert.doesNotMatch(xml, /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/u);
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open: Element[] = [root];
  const body = xml.slice(xml.indexOf('\n') + 1);
  const tokens = /<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)/gy;
  let end = 0;
  for (const [token, closing, name = '', attributes = '', empty, text] of body.matchAll(tokens)) {
    end += token.length;
    const top = open.at(-1) ?? root;
    if (text !== undefined) {
      assert.doesNotMatch(text, /&(?!(amp|lt|gt|quot|#10);)|\]\]>/);
      top.text += unescape(text);
    } else if (closing === '/') {
      assert.equal(top.name, name);
      open.pop();
    } else {
      const element: Element = { name, attributes: Object.fromEntries([...attributes.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, unescape(value)])), children: [], text: '' };
      top.children.push(element);
      if (empty !== '/') open.push(element);
    }
  }
  assert.equal(end, body.length, `not XML: ${body.slice(end, end + 80)}`);
  assert.deepEqual(open, [root]);
  assert.equal(root.children.length, 1);
  return root.children[0] ?? root;
}

function unescape(text: string): string {
  return text.replaceAll('&#10;', '\n').replaceAll('&quot;', '"').replaceAll('&gt;', '>').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}

const suitesOf = (report: CheckReport, parts: Partial<JunitOptions> = {}): Element => parseXml([...renderJunit(report, { failOn: 'error', root: null, ...parts })].join(''));
const outcomes = (root: Element): readonly string[] => root.children.flatMap(({ children }) => children.filter(({ name }) => name === 'testcase').map(({ attributes, children: inside }) => `${attributes['name']}: ${inside[0]?.name ?? 'passed'}`));

describe('renderJunit', () => {
  it('has a suite per object and a case per rule', () => {
    const root = suitesOf(sampleReport());
    assert.deepEqual(root.children.map(({ attributes }) => attributes['name']), ['unreadable documents', 'deployment/web in namespace shop', 'daemonset/logs in namespace kube-system']);
    assert.deepEqual(outcomes(root), [
      'deploy/broken.yaml:3:7: error', 'run-as-user-on-windows: failure', 'memory-limit-missing: system-out', 'host-path-on-windows: skipped', 'image-build-mismatch: skipped', 'gmsa-crd-missing: skipped',
      'image-build-mismatch: failure', 'os-name-missing: system-out',
    ]);
  });

  for (const report of [reportOf(), sampleReport(), hostileReport()]) {
    it(`counts what it holds (${report.findings.length} findings)`, () => {
      const root = suitesOf(report);
      const counts = { tests: 0, failures: 0, errors: 0, skipped: 0 };
      for (const suite of root.children) {
        const cases = suite.children.filter(({ name }) => name === 'testcase');
        const count = (name: string): number => cases.filter(({ children }) => children.some((child) => child.name === name)).length;
        const of = { tests: cases.length, failures: count('failure'), errors: count('error'), skipped: count('skipped') };
        for (const [key, value] of Object.entries(of)) assert.equal(suite.attributes[key], String(value));
        counts.tests += of.tests;
        counts.failures += of.failures;
        counts.errors += of.errors;
        counts.skipped += of.skipped;
      }
      for (const [key, value] of Object.entries(counts)) assert.equal(root.attributes[key], String(value));
    });
  }

  const gates = [['error', ['failure', 'system-out', 'system-out']], ['warning', ['failure', 'failure', 'system-out']], ['info', ['failure', 'failure', 'failure']], ['none', ['system-out', 'system-out', 'system-out']]] as const;
  for (const [failOn, expected] of gates) {
    it(`fails cases as --fail-on=${failOn} does`, () => {
      const findings = (['error', 'warning', 'info'] as const).map((severity) => findingOf({ rule: severity, severity }));
      assert.deepEqual(outcomes(suitesOf(reportOf({ findings }), { failOn })), ['error', 'warning', 'info'].map((rule, index) => `${rule}: ${expected[index]}`));
    });
  }

  it('fails a rule once, by its worst finding, with the text of all', () => {
    const [suite] = suitesOf(reportOf({ findings: [findingOf({ severity: 'info', message: 'little' }), findingOf({ message: 'much' })] })).children;
    const [one, ...others] = suite?.children ?? [];
    assert.equal(others.length, 0);
    assert.equal(one?.children[0]?.attributes['message'], 'much');
    assert.match(one?.children[0]?.text ?? '', /^error: much\.[^]*\n\ninfo: little\./);
  });

  it('passes a workload without findings, so that it is seen to have been judged', () => {
    assert.deepEqual(outcomes(suitesOf(reportOf({ workloads: [workloadOf()] }))), ['no findings: passed']);
  });

  it('keeps objects of the same name in two files apart', () => {
    const findings = ['dev.yaml', 'prod.yaml'].map((file) => findingOf({ place: placeOf({ file }) }));
    assert.deepEqual(suitesOf(reportOf({ findings, workloads: [workloadOf()], notEvaluated: [{ rule: 'x', object: LOGS, reason: 'nodes not known' }, { rule: 'y', object: WEB, reason: 'pods not known' }] })).children.map(({ attributes }) => attributes['file'] ?? null), ['dev.yaml', 'prod.yaml', null]);
  });

  it('shows what XML cannot hold, and keeps line breaks', () => {
    const [suite] = suitesOf(reportOf({ unreadable: [unreadableOf({ message: HOSTILE_TEXT, line: null })] })).children;
    const shown = '^[[31mred^[[0m \\u202egnp.exe^@\n::error::x]]>--><script>alert(1)</script>|`*_[a](b)@team %0A \\ud800\\ufffe é 漢字';
    assert.equal(suite?.children[0]?.children[0]?.attributes['message'], shown);
    assert.equal(suite?.children[0]?.children[0]?.text, `${shown}\nquote the value`);
  });
});
