import assert from 'node:assert/strict';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { CheckReport, PlacedFinding } from '../../../src/app/check-report.ts';
import { RULES } from '../../../src/domain/check/rules/index.ts';
import { renderSarif, type SarifOptions } from '../../../src/output/sarif.ts';
import { SAMPLE_RULES, WEB, findingOf, hostileReport, placeOf, reportOf, sampleReport, unreadableOf } from '../../support/check-report-builder.ts';

interface Result {
  readonly ruleId: string;
  readonly ruleIndex?: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly { readonly physicalLocation?: { readonly artifactLocation: { readonly uri: string; readonly uriBaseId?: string }; readonly region?: Record<string, number> }; readonly logicalLocations?: readonly { readonly fullyQualifiedName: string }[] }[];
  readonly partialFingerprints: Readonly<Record<string, string>>;
  readonly suppressions: readonly { readonly kind: string; readonly justification: string }[];
}
interface Run {
  readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string; readonly helpUri?: string; readonly help: { readonly text: string }; readonly defaultConfiguration: { readonly level: string } }[] } };
  readonly invocations: readonly { readonly executionSuccessful: boolean; readonly toolExecutionNotifications: readonly { readonly level: string; readonly message: { readonly text: string }; readonly associatedRule?: { readonly id: string; readonly index?: number } }[] }[];
  readonly results: readonly Result[];
}

function runOf(report: CheckReport, parts: Partial<SarifOptions> = {}): Run {
  const log = JSON.parse([...renderSarif(report, { rules: SAMPLE_RULES, generatedAt: new Date('2026-11-30T12:00:00Z'), toolVersion: '0.1.0', root: null, ...parts })].join('')) as { runs: [Run] };
  assertIsSarif(log);
  return log.runs[0];
}

const text = { type: 'object', required: ['text'], additionalProperties: false, properties: { text: { type: 'string', minLength: 1 }, markdown: { type: 'string' } } };
const index = { type: 'integer', minimum: 0 };
const position = { type: 'integer', minimum: 1 };
const uri = { type: 'string', pattern: String.raw`^([!$&'()*+,;=:@/?#\w.~-]|%[0-9A-F]{2})+$` };
const level = { enum: ['none', 'note', 'warning', 'error'] };
const closed = (properties: object, required: readonly string[] = Object.keys(properties)): object => ({ type: 'object', required, additionalProperties: false, properties });
const location = closed({
  physicalLocation: closed({ artifactLocation: closed({ uri, uriBaseId: { const: 'SRCROOT' } }, ['uri']), region: closed({ startLine: position, startColumn: position, endColumn: position }, ['startLine']) }, ['artifactLocation']),
  logicalLocations: { type: 'array', minItems: 1, items: closed({ name: { type: 'string', minLength: 1 }, fullyQualifiedName: { type: 'string' }, kind: { const: 'resource' }, properties: { type: 'object' } }, ['name', 'kind']) },
}, []);

/**
 * What this program writes of SARIF 2.1.0, in words of our own: types, what has to be there, and nothing besides. Outputs of the sample and hostile reports were
 * also valid by OASIS' schema (sarif-schema-2.1.0.json of errata 01), 2026-11-30.
 */
const validate = new Ajv2020({ allErrors: true }).compile(closed({
  $schema: { const: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json' },
  version: { const: '2.1.0' },
  runs: {
    type: 'array', minItems: 1, maxItems: 1,
    items: closed({
      tool: closed({ driver: closed({
        name: { const: 'kubectl-win' }, semanticVersion: { type: 'string' }, informationUri: uri,
        rules: { type: 'array', items: closed({ id: { type: 'string' }, name: { type: 'string', pattern: '^[A-Z0-9][A-Za-z0-9]*$' }, shortDescription: text, fullDescription: text, help: text, helpUri: uri, defaultConfiguration: closed({ level }), properties: closed({ 'tags': { type: 'array', uniqueItems: true }, 'facts': { type: 'array' }, 'precision': { const: 'high' }, 'problem.severity': { enum: ['error', 'warning', 'recommendation'] } }) }, ['id', 'shortDescription', 'fullDescription', 'help', 'defaultConfiguration']) },
      }) }),
      invocations: { type: 'array', items: closed({
        executionSuccessful: { const: true }, endTimeUtc: { type: 'string' },
        toolExecutionNotifications: { type: 'array', items: closed({ level, descriptor: closed({ id: { type: 'string' } }), associatedRule: closed({ id: { type: 'string' }, index }, ['id']), message: text, locations: { type: 'array', items: location }, properties: { type: 'object' } }, ['level', 'message']) },
      }) },
      originalUriBaseIds: closed({ SRCROOT: closed({ description: text }) }),
      columnKind: { const: 'utf16CodeUnits' },
      results: { type: 'array', items: closed({
        ruleId: { type: 'string' }, ruleIndex: index, level, message: text, locations: { type: 'array', minItems: 1, maxItems: 1, items: location },
        partialFingerprints: { type: 'object', minProperties: 1, additionalProperties: { type: 'string' } },
        suppressions: { type: 'array', items: closed({ kind: { enum: ['inSource', 'external'] }, status: { const: 'accepted' }, justification: text.properties.text }) },
        properties: { type: 'object' },
      }, ['ruleId', 'level', 'message', 'locations', 'partialFingerprints', 'suppressions']) },
    }),
  },
}));

function assertIsSarif(log: unknown): void {
  assert.ok(validate(log), JSON.stringify(validate.errors?.slice(0, 5), null, 1));
}

const fingerprints = (findings: readonly PlacedFinding[]): readonly (string | undefined)[] => runOf(reportOf({ findings })).results.map(({ partialFingerprints }) => partialFingerprints['objectField/v1']);

describe('renderSarif', () => {
  it('lists every rule that was run, found or not, and unreadable documents as one more', () => {
    const { rules } = runOf(reportOf(), { rules: RULES }).tool.driver;
    assert.deepEqual(new Set(rules.map(({ id }) => id)), new Set([...RULES.map(({ id }) => id), 'unreadable-document']));
    assert.equal(rules.length, new Set(rules.map(({ id }) => id)).size);
    assert.deepEqual(runOf(reportOf()).tool.driver.rules.map(({ id }) => id), ['run-as-user-on-windows', 'image-build-mismatch', 'unreadable-document']);
    for (const rule of RULES) assert.equal(rules.find(({ id }) => id === rule.id)?.helpUri, rule.reference);
  });

  it('points from each result to its rule', () => {
    const { results, tool } = runOf(sampleReport());
    assert.ok(results.length > 5);
    for (const { ruleId, ruleIndex } of results) if (ruleIndex !== undefined) assert.equal(tool.driver.rules[ruleIndex]?.id, ruleId);
    assert.ok(results.some(({ ruleIndex }) => ruleIndex !== undefined));
    assert.ok(results.every(({ ruleId, ruleIndex }) => ruleIndex !== undefined || !SAMPLE_RULES.some(({ id }) => id === ruleId)));
  });

  it('takes the severity of the finding for its level', () => {
    const findings = (['error', 'warning', 'info'] as const).map((severity) => findingOf({ severity }));
    assert.deepEqual(runOf(reportOf({ findings })).results.map((result) => result.level), ['error', 'warning', 'note']);
  });

  it('gives place and object of a finding in a file, the object alone of one in a cluster', () => {
    const [inFile, live] = runOf(reportOf({ findings: [findingOf({ place: placeOf() }), findingOf()] })).results;
    assert.deepEqual(inFile?.locations[0]?.physicalLocation, { artifactLocation: { uri: 'deploy/web.yaml', uriBaseId: 'SRCROOT' }, region: { startLine: 21, startColumn: 9, endColumn: 18 } });
    assert.equal(live?.locations[0]?.physicalLocation, undefined);
    for (const result of [inFile, live]) assert.equal(result?.locations[0]?.logicalLocations?.[0]?.fullyQualifiedName, 'shop/Deployment/web');
  });

  it('keeps the fingerprint when lines and words change, and has another for another rule, object, field or container', () => {
    const [first] = fingerprints([findingOf({ place: placeOf() })]);
    assert.deepEqual(fingerprints([findingOf({ place: placeOf({ line: 99, column: 1, lineText: 'x' }), message: 'other words', nodes: ['a'] })]), [first]);
    const others = fingerprints([
      findingOf({ rule: 'other', place: placeOf() }), findingOf({ object: { ...WEB, namespace: null }, place: placeOf() }), findingOf({ object: { ...WEB, name: 'web2' }, place: placeOf() }),
      findingOf({ path: ['spec'], place: placeOf() }), findingOf({ container: 'c', path: ['spec', 'containers', 0], place: placeOf() }), findingOf({ container: 'd', path: ['spec', 'containers', 0], place: placeOf() }), findingOf({ place: placeOf() }), findingOf({ place: placeOf() }),
    ]);
    assert.equal(new Set(others).size, others.length);
    assert.equal(others[6], first);
  });

  it('does not change a fingerprint with the version of an object\'s API', () => {
    assert.deepEqual(fingerprints([findingOf({ object: { ...WEB, apiVersion: 'apps/v1beta2' } })]), fingerprints([findingOf()]));
  });

  it('exports what was suppressed with who did it and why', () => {
    const { results } = runOf(sampleReport());
    assert.deepEqual(results.filter(({ suppressions }) => suppressions.length > 0).map(({ ruleId, suppressions: [suppression] }) => [ruleId, suppression?.kind, suppression?.justification]), [
      ['host-path-on-windows', 'inSource', 'annotation: only on nodes with this folder'], ['os-name-missing', 'external', 'baseline, without a reason'],
    ]);
  });

  it('says once per rule and reason what was not evaluated, and what could not be read or seen', () => {
    const notifications = runOf(sampleReport()).invocations[0]?.toolExecutionNotifications ?? [];
    assert.deepEqual(notifications.map(({ level: how, associatedRule }) => [how, associatedRule?.id, associatedRule?.index]), [['error', undefined, undefined], ['note', 'image-build-mismatch', 1], ['note', 'gmsa-crd-missing', undefined], ['note', undefined, undefined]]);
    assert.match(notifications[1]?.message.text ?? '', /^Not evaluated for deployment\/web in namespace shop, daemonset\/logs in namespace kube-system: nodes not known/);
  });

  it('makes an unreadable document a result of its own, without a region where its line is not known', () => {
    const { results } = runOf(reportOf({ unreadable: [unreadableOf(), unreadableOf({ line: null, column: null })] }));
    assert.deepEqual(results.map(({ ruleId, level: how, locations }) => [ruleId, how, locations[0]?.physicalLocation?.region]), [['unreadable-document', 'error', { startLine: 3, startColumn: 7 }], ['unreadable-document', 'error', undefined]]);
  });

  it('survives names and messages that mean harm', () => {
    const { results } = runOf(hostileReport());
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    for (const { message } of results) assert.doesNotMatch(message.text, /[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});
