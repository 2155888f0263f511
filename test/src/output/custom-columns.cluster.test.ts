import assert from 'node:assert/strict';
import { UsageError } from '../../../src/errors.ts';
import { ColumnWriter } from '../../../src/output/column-writer.ts';
import { parseCustomColumns, parseCustomColumnsFile, renderCustomColumns } from '../../../src/output/custom-columns.ts';
import { sortByPath } from '../../../src/output/sort-by.ts';
import { realKubectl, serveNodeList, type NodeListServer, type RealKubectl } from '../../support/real-kubectl.ts';
import { seededRandom, testSeed, type Random } from '../../support/random.ts';
import { randomDocument, type Document } from './jsonpath-generator.ts';

const TABLES = 60;

const PATHS = [
  'metadata.name', '.metadata.name', '{metadata.name}', '{.metadata.name}', '.a', '.b', '.spec', '.spec.a', '.status', 'list[*].a', '.list[0].spec', '.list',
  '.numbers', '.numbers[*]', '.numbers[:2]', '.nope', '.nope.x', '.metadata.labels', ".metadata.labels['z']", '.metadata.labels.kubernetes\\.io/os', '.é', '.list[?(@.a)].a', '.n1', '.x-y',
] as const;

/**
 * Cells of several lines are cut here and not by kubectl, and kubectl counts characters where we count columns, so the
 * generated texts have neither line breaks nor tabs nor wide characters.
 */
function inOneLine(document: Document): Document {
  return JSON.parse(JSON.stringify(document).replaceAll('\\n', '_').replaceAll('\\t', '_').replaceAll('😀', '_')) as Document;
}

function randomNode(random: Random, name: string): Document {
  const document = inOneLine(randomDocument(random));
  return { ...document, kind: 'Node', metadata: { ...document.metadata, name } } as unknown as Document;
}

describe('tables against the real kubectl', function () {
  this.timeout(120_000);
  let kubectl: RealKubectl;
  let server: NodeListServer;
  before(async function () {
    this.timeout(0);
    kubectl = await realKubectl();
    server = await serveNodeList();
  });
  after(async () => {
    kubectl.close();
    await server.close();
  });

  async function kubectlGets(args: readonly string[]): Promise<string> {
    const { exitCode, stdout } = await kubectl.run(['get', 'nodes', '--server', server.url, ...args]);
    return exitCode === 0 ? withoutTrailingSpaces(stdout) : 'error';
  }

  /** kubectl pads before an empty last cell; we end each line at its text. */
  function withoutTrailingSpaces(text: string): string {
    return text.replace(/ +$/gm, '');
  }

  async function outputOrError(make: () => Promise<Iterable<string>>): Promise<string> {
    try {
      return [...(await make())].join('');
    } catch (error) {
      if (error instanceof UsageError) return 'error';
      throw error;
    }
  }

  const seed = testSeed();
  it(`custom-columns print the same for ${TABLES} generated tables (KUBECTL_WIN_SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    for (let number = 0; number < TABLES; number += 1) {
      const items = Array.from({ length: random.below(5) }, (_, index) => randomNode(random, `node-${index}`));
      server.list = { kind: 'NodeList', apiVersion: 'v1', metadata: {}, items };
      const spec = Array.from({ length: 1 + random.below(4) }, (_, index) => `${random.pick(['NAME', 'x', 'Long Header', ''])}${index}:${random.pick(PATHS)}`).join(',');
      const noHeaders = random.chance(25);
      const theirs = await kubectlGets(['-o', `custom-columns=${spec}`, ...(noHeaders ? ['--no-headers'] : [])]);
      const ours = await outputOrError(() => renderCustomColumns(parseCustomColumns(spec), items, { noHeaders }));
      assert.equal(ours, theirs, `${spec} over ${JSON.stringify(items)}`);
    }
  });

  it('custom-columns-file prints the same', async () => {
    const items = [randomNode(seededRandom(1), 'one'), randomNode(seededRandom(2), 'two')];
    server.list = { kind: 'NodeList', apiVersion: 'v1', metadata: {}, items };
    const template = 'NAME   OS\tNUMBERS\nmetadata.name  .metadata.labels.kubernetes\\.io/os\t{.numbers}\nignored line\n';
    const file = kubectl.write('columns.txt', template);
    for (const flags of [[], ['--no-headers']]) {
      const theirs = await kubectlGets(['-o', `custom-columns-file=${file}`, ...flags]);
      assert.equal([...(await renderCustomColumns(parseCustomColumnsFile(template), items))].join(''), theirs);
    }
  });

  it('malformed specs fail in the same words', async () => {
    server.list = { kind: 'NodeList', apiVersion: 'v1', metadata: {}, items: [randomNode(seededRandom(1), 'one')] };
    for (const spec of ['NAME', 'NAME:.a,', 'NAME:{.a', 'NAME:{.a}{.b}', 'NAME:a}']) {
      const { stderr } = await kubectl.run(['get', 'nodes', '--server', server.url, '-o', `custom-columns=${spec}`]);
      assert.throws(() => parseCustomColumns(spec), (error: Error) => {
        assert.equal(`error: ${error.message}\n`, stderr);
        return true;
      });
    }
  });

  it('a table looks the same', async () => {
    const rows = [
      ['aks-win-000000', 'Ready', '5d', '<none>', ''],
      ['n', 'NotReady,SchedulingDisabled', '3d4h', 'a\nb', 'last\rline'],
      ['\u001b[31mred', 'x', '', 'y\fz', '\u001b'],
    ];
    const headers = ['Name', 'Status', 'Age', 'A', 'B'];
    server.table = {
      kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: {},
      columnDefinitions: headers.map((name) => ({ name, type: 'string', format: '', description: '', priority: 0 })),
      rows: rows.map((cells, index) => ({ cells, object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: { name: `n${index}` } } })),
    };
    for (const noHeaders of [false, true]) {
      const theirs = await kubectlGets(noHeaders ? ['--no-headers'] : []);
      const writer = new ColumnWriter(headers.map((header) => header.toUpperCase()), { noHeaders, emptyCell: '' });
      assert.equal([...(await writer.format(rows.map((cells) => ({ cells }))))].join(''), theirs);
    }
  });

  it(`--sort-by sorts the same (KUBECTL_WIN_SEED=${seed})`, async () => {
    const random = seededRandom(seed);
    const values: readonly (readonly unknown[])[] = [
      ['b', 'a', 'C', 'é', '😀', 'ｚ', 'windows-10', 'windows-9'],
      ['100m', '1', '2Gi', '1.5Gi', '1e3', '900', '16Ki', '0.5'],
      [3, 20, 100, -1, 7, 40],
      [0.5, 1.5, -2.25, 1234567.5],
    ];
    for (const [round, each] of [...values, ...values].entries()) {
      // Each value once: kubectl's sort is not stable.
      const shuffled = each.map((value) => ({ value, place: random.below(1_000_000) })).sort((left, right) => left.place - right.place);
      const items = shuffled.map(({ value }, index) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${index}` }, ...(round >= values.length && index === 0 ? {} : { value }) }));
      server.list = { kind: 'NodeList', apiVersion: 'v1', metadata: {}, items };
      for (const path of ['.value', '{.value}', 'value']) {
        const theirs = await kubectlGets(['--sort-by', path, '-o', 'custom-columns=V:.value', '--no-headers']);
        const sorted = sortByPath(items, path);
        assert.equal([...(await renderCustomColumns(parseCustomColumns('V:.value'), sorted, { noHeaders: true }))].join(''), theirs);
      }
    }
  });

  it('--sort-by fails in the same words when no object has the field', async () => {
    const items = [1, 2].map((number) => ({ apiVersion: 'v1', kind: 'Node', metadata: { name: `n${number}` } }));
    server.list = { kind: 'NodeList', apiVersion: 'v1', metadata: {}, items };
    const { stderr } = await kubectl.run(['get', 'nodes', '--server', server.url, '--sort-by', '.nope', '-o', 'custom-columns=V:.value']);
    assert.throws(() => sortByPath(items, '.nope'), (error: Error) => {
      assert.equal(`error: ${error.message}\n`, stderr);
      return true;
    });
  });
});
