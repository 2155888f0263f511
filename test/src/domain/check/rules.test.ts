/** Every rule: its metadata, its place, and its samples, which are run. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatFieldPath } from '../../../../src/domain/kubernetes/field-path.ts';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import { judgeSample } from '../../../support/check-sample.ts';

const FOLDER = join(import.meta.dirname, '../../../../src/domain/check/rules');

/** Rules on the cluster as a whole look at the nodes of every sample, which may be old for a purpose; they meet their own samples only. */
const OF_OBJECTS = RULES.filter(({ scope }) => scope !== 'cluster');

describe('the rules of check', () => {
  it('have a file each, named after their id, in the folder of their topic, and every file is registered', () => {
    const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile() && entry.name !== 'index.ts').map((entry) => entry.name.replace(/\.ts$/, '')).filter((name) => !name.startsWith('shared-'));
    assert.deepEqual(files.toSorted(), RULES.map(({ id }) => id).toSorted());
  });

  it('have ids of their own', () => {
    assert.equal(new Set(RULES.map(({ id }) => id)).size, RULES.length);
  });

  for (const rule of RULES) {
    describe(rule.id, () => {
      it('says what it finds, why, what to do, and who says so', () => {
        assert.match(rule.id, /^[a-z0-9]+(-[a-z0-9]+)*$/);
        assert.ok(rule.facts.length > 0 && rule.facts.every((fact) => /^([A-Z]{2,3}-\d{3}|C\d{1,2})$/.test(fact)), String(rule.facts));
        assert.match(rule.summary, /^[A-Z`].*[^.]$/);
        assert.ok(rule.summary.length <= 100, 'the summary is one line');
        assert.match(rule.rationale, /\.$/);
        assert.match(rule.remediation, /^[A-Z`].*\.$/s);
        assert.match(rule.reference, /^https:\/\//);
        assert.match(rule.asOf, /^\d{4}-\d\d-\d\d$/);
        for (const [id, text] of Object.entries(rule.messages)) assert.doesNotMatch(text, /\.$/, `message ${id} ends with a full stop`);
        assert.ok(rule.samples.bad.length > 0, 'a bad sample');
        assert.ok(rule.samples.good.length > 0, 'a good sample');
      });

      for (const [index, sample] of rule.samples.bad.entries()) {
        it(`finds what is wrong in bad sample ${index + 1}, and no other rule finds anything to warn of`, async () => {
          const { findings } = await judgeSample(sample, rule.scope === 'cluster' ? RULES : OF_OBJECTS);
          const own = findings.filter((finding) => finding.rule === rule.id);
          assert.ok(own.length > 0, `not found; others: ${findings.map((finding) => finding.rule).join(', ')}`);
          assert.deepEqual(findings.filter((finding) => finding.rule !== rule.id && finding.severity !== 'info').map((finding) => `${finding.rule}: ${finding.message}`), []);
          for (const finding of own) assert.doesNotMatch(finding.message + finding.remedy, /\{\w+\}|undefined|\[object/, 'an unfilled slot');
          if (sample.path !== undefined) assert.equal(formatFieldPath(own[0]?.path ?? []), sample.path);
          if (sample.severity !== undefined) assert.equal(own[0]?.severity, sample.severity);
        });
      }

      for (const [index, sample] of rule.samples.good.entries()) {
        it(`finds nothing in good sample ${index + 1}, nor does another rule warn`, async () => {
          const { findings } = await judgeSample(sample, rule.scope === 'cluster' ? RULES : OF_OBJECTS);
          assert.deepEqual(findings.filter((finding) => finding.rule === rule.id || finding.severity !== 'info').map((finding) => `${finding.rule}: ${finding.message}`), []);
        });
      }
    });
  }

  it('exist where their tests look for them', () => {
    assert.ok(existsSync(FOLDER));
  });
});
