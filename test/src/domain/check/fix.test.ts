/** The fixes of every rule, done in the text of its bad samples. */
import assert from 'node:assert/strict';
import { mergeFixes } from '../../../../src/domain/check/fix/merge-fixes.ts';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import { judgeSample, objectsOf } from '../../../support/check-sample.ts';
import { findingsOf, fixesOf, fixSample } from '../../../support/fix-sample.ts';

/** Rules whose remedy changes a field, but no program can say to what. */
const WITHOUT_FIX: Readonly<Record<string, string>> = {
  'no-node-fits': 'which of the obstacles on which node should go is for people to say',
  'deadline-below-first-pull': 'how long a first pull takes is not known',
  'resources-beyond-nodes': 'what the program needs is not known',
  'build-pin-missing': 'which nodes the pod is meant for is not known: the build is part of the question',
  'host-process-base-image-misused': 'whether the pod or its image is the mistake is not known',
  'observed-symptom': 'it tells what has happened to pods of a cluster; what it comes from is found by other rules',
  'injected-linux-container': 'a webhook has put the container in: the manifest does not hold it',
  'host-process-command-metacharacters': 'the script would have to be written anew',
};

const CHANGES_FIELD = /^(?:Set|Add|Remove|Replace|Change|Rename|Raise|Lower|Make|Put|Name)\b/;

describe('the fixes of rules', () => {
  for (const rule of RULES) {
    for (const [index, sample] of rule.samples.bad.entries()) {
      it(`${rule.id}: leave nothing to find in bad sample ${index + 1}, and nothing to do a second time`, async function () {
        const findings = await findingsOf(rule, sample);
        if (!findings.some(({ fix }) => fix !== null)) return;
        const fixed = await fixSample(rule, sample);
        assert.deepEqual(fixed.refused, []);
        assert.notEqual(fixed.text, sample.yaml);
        const after = await judgeSample({ ...sample, yaml: fixed.text });
        const own = after.findings.filter((finding) => finding.rule === rule.id);
        assert.deepEqual(own.filter(({ fix }) => fix !== null).map(({ message }) => message), [], fixed.text);
        assert.equal(own.length, findings.filter(({ fix }) => fix === null).length, fixed.text);
        assert.deepEqual(after.findings.filter((finding) => finding.rule !== rule.id && finding.severity !== 'info').map((finding) => `${finding.rule}: ${finding.message}`), [], fixed.text);
        assert.equal((await fixSample(rule, { ...sample, yaml: fixed.text })).text, fixed.text);
      });

      it(`${rule.id}: change in bad sample ${index + 1} the same in the text and in the value`, async () => {
        const wanted = await fixesOf(rule, sample);
        const { text } = await fixSample(rule, sample);
        const results = new Map(wanted.map(({ object, fixes }) => [JSON.stringify(object), mergeFixes(object, fixes).result]));
        assert.deepEqual(await objectsOf(text), (await objectsOf(sample.yaml)).map((object) => results.get(JSON.stringify(object)) ?? object));
      });
    }

    it(`${rule.id}: say in a few words what they do, and stay away from server-set fields`, async () => {
      for (const sample of rule.samples.bad) {
        for (const { fix } of await findingsOf(rule, sample)) {
          if (fix === null) continue;
          assert.match(fix.title, /^[a-z][^\n]{5,140}[^.]$/);
          assert.ok(fix.edits.length > 0);
          for (const { path } of fix.edits) assert.ok(path[0] !== 'status' && path[0] !== 'kind' && path[0] !== 'apiVersion' && path.length > 0, String(path));
        }
      }
    });
  }

  it('exist for every rule whose remedy changes a field, but for those that say why not', async () => {
    const missing: string[] = [];
    for (const rule of RULES) {
      const findings = (await Promise.all(rule.samples.bad.map((sample) => findingsOf(rule, sample)))).flat();
      if (findings.some(({ fix }) => fix !== null)) {
        assert.ok(!Object.hasOwn(WITHOUT_FIX, rule.id), `${rule.id} has a fix: take it off the list`);
      } else if ((CHANGES_FIELD.test(rule.remediation) || findings.some(({ remedy }) => CHANGES_FIELD.test(remedy))) && !Object.hasOwn(WITHOUT_FIX, rule.id)) missing.push(`${rule.id}: ${rule.remediation}`);
    }
    assert.deepEqual(missing, []);
    assert.deepEqual(Object.keys(WITHOUT_FIX).filter((id) => !RULES.some((rule) => rule.id === id)), [], 'rules that do not exist');
  });
});
