import assert from 'node:assert/strict';
import { UsageError } from '../../../src/errors.ts';
import { JsonPathError, parseJsonPath, printJsonPath } from '../../../src/output/jsonpath.ts';
import { readGolden, updatesGolden, assertGolden } from '../../support/golden.ts';
import { realKubectl, type RealKubectl } from '../../support/real-kubectl.ts';
import { seededRandom, testSeed } from '../../support/random.ts';
import { randomDocument, randomTemplate, type Document } from './jsonpath-generator.ts';
import { RECORD_FILE, type JsonPathRecord } from './jsonpath-record.ts';

const EXPRESSIONS = 240;
const TEMPLATES_PER_DOCUMENT = 20;
const SIDE_BY_SIDE = 4;

/** What kubectl prints with `label --local`, which needs no server; its errors without the dump of the object. */
async function kubectlPrints(kubectl: RealKubectl, file: string, format: string, template: string): Promise<string> {
  const { exitCode, stdout, stderr } = await kubectl.run(['label', '--local', '-f', file, 'a=b', '-o', `${format}=${template}`]);
  if (exitCode === 0) return stdout;
  if (stderr.startsWith('panic:') || exitCode === 2) return 'kubectl panics';
  return stderr.split('. Printing more information')[0]?.replace(/\n+$/, '') ?? '';
}

function wePrint(document: Document, format: string, template: string): string {
  try {
    return printJsonPath(parseJsonPath(template), document, { asJson: format === 'jsonpath-as-json' });
  } catch (error) {
    if (error instanceof JsonPathError) return `error: error parsing jsonpath ${template}, ${error.message}`;
    if (error instanceof UsageError) return `error: ${error.message}`;
    throw error;
  }
}

/** kubectl walks maps in random order under `*` and `..`, so there only the characters can be compared. */
function comparable(template: string, text: string): string {
  if (!template.includes('*') && !template.includes('..')) return text;
  return text.startsWith('error:') ? 'error' : text.split('').sort().join('');
}

/**
 * kubectl's answer; where maps are walked, one of several: whether a slice fails can hang on the value that comes first
 * (client-go's evalArray returns at the first empty one), and so on the random order. Asked again until it is as ours.
 */
async function kubectlPrintsAs(ours: string, kubectl: RealKubectl, file: string, format: string, template: string): Promise<string> {
  const attempts = template.includes('*') || template.includes('..') ? 40 : 1;
  let theirs = '';
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    theirs = await kubectlPrints(kubectl, file, format, template);
    if (comparable(template, theirs) === comparable(template, ours)) break;
  }
  return theirs;
}

/** Results in the order of the items; a few kubectls run at a time. */
async function sideBySide<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, async () => {
    for (const [index, item] of entries) results[index] = await work(item);
  }));
  return results;
}

/** The document as kubectl has it after `label a=b`. */
function labelled(document: Document): Document {
  return { ...document, metadata: { ...document.metadata, labels: { ...document.metadata.labels, a: 'b' } } };
}

describe('JSONPath against the real kubectl', function () {
  this.timeout(120_000);
  let kubectl: RealKubectl;
  before(async function () {
    this.timeout(0);
    kubectl = await realKubectl();
  });
  after(() => kubectl.close());

  it('the recorded answers of the fast suite are what kubectl says', async () => {
    const record = JSON.parse(readGolden(RECORD_FILE)) as JsonPathRecord;
    const file = kubectl.write('record.json', JSON.stringify(record.document));
    const cases = await sideBySide(record.cases, async ({ format, template, output }) => {
      const answer = await kubectlPrints(kubectl, file, format, template);
      if (!updatesGolden) assert.equal(comparable(template, answer), comparable(template, output), template);
      return { format, template, output: answer };
    });
    if (updatesGolden) assertGolden(RECORD_FILE, `${JSON.stringify({ document: record.document, cases }, null, 2)}\n`);
  });

  const seed = testSeed();
  it(`prints the same for ${EXPRESSIONS} generated templates (KUBECTL_WIN_SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    let panics = 0;
    const jobs: (() => Promise<void>)[] = [];
    for (let number = 0; number < EXPRESSIONS / TEMPLATES_PER_DOCUMENT; number += 1) {
      const document = randomDocument(random);
      const file = kubectl.write(`document-${number}.json`, JSON.stringify(document));
      for (let each = 0; each < TEMPLATES_PER_DOCUMENT; each += 1) {
        const template = randomTemplate(random, document);
        const format = random.chance(25) ? 'jsonpath-as-json' : 'jsonpath';
        jobs.push(async () => {
          const ours = wePrint(labelled(document), format, template);
          const theirs = await kubectlPrintsAs(ours, kubectl, file, format, template);
          if (theirs === 'kubectl panics') panics += 1;
          else assert.equal(comparable(template, ours), comparable(template, theirs), `${format}=${template} over ${JSON.stringify(document)}`);
        });
      }
    }
    await sideBySide(jobs, (job) => job());
    assert.ok(panics < EXPRESSIONS / 10, `kubectl panicked ${panics} times; the generator makes templates that tell nothing`);
  });
});
