import assert from 'node:assert/strict';
import { UsageError } from '../../../src/errors.ts';
import { FINDING_FORMATS, OUTPUT_FORMATS, parseOutputFormat, render, type RenderOptions } from '../../../src/output/print.ts';
import { assertGolden } from '../../support/golden.ts';
import { sampleView } from './sample-view.ts';

const noFile = (): string => {
  throw new Error('no file was to be read');
};

async function printed(format: string, options: RenderOptions = {}, items?: Parameters<typeof sampleView>[0]): Promise<string> {
  return [...(await render(sampleView(items), parseOutputFormat(format, noFile), options))].join('');
}

describe('render', () => {
  const golden = [
    ['table', 'table.txt'], ['wide', 'wide.txt'], ['json', 'list.json'], ['yaml', 'list.yaml'], ['name', 'name.txt'], ['markdown', 'table.md'], ['csv', 'table.csv'],
    ['jsonpath={range .items[*]}{.name}{"\\t"}{.build}{"\\n"}{end}', 'jsonpath.txt'],
    ['jsonpath-as-json={.items[*].support}', 'jsonpath-as-json.json'],
    ['custom-columns=NAME:.name,OS:osImage,TAINTS:.taints[*].key,PATCH:.patch,NOPE:.nope', 'custom-columns.txt'],
  ] as const;
  for (const [format, file] of golden) {
    it(`prints ${format} as test/golden/output/${file}`, async () => assertGolden(`output/${file}`, await printed(format)));
  }

  it('prints a table in colour only when told', async () => {
    assertGolden('output/table-colour.txt', await printed('table', { colour: true }));
    assert.equal((await printed('table')).includes('\u001b'), false);
  });

  it('leaves the headers out of tables when told', async () => {
    for (const format of ['table', 'wide', 'csv', 'custom-columns=NAME:.name']) {
      const withHeaders = await printed(format);
      assert.equal(await printed(format, { noHeaders: true }), withHeaders.slice(withHeaders.indexOf('\n') + 1));
    }
  });

  it('prints nothing for an empty table or list of names, and an empty list as a document', async () => {
    assert.equal(await printed('table', {}, []), '');
    assert.equal(await printed('wide', {}, []), '');
    assert.equal(await printed('name', {}, []), '');
    assert.equal(await printed('custom-columns=NAME:.name', {}, []), 'NAME\n');
    assert.deepEqual(JSON.parse(await printed('json', {}, [])), sampleView([]).document());
  });

  it('reads custom-columns over the document itself where it has no items', async () => {
    const view = { ...sampleView(), document: () => ({ kind: 'VersionInfo', clientVersion: '0.1.0' }) };
    const text = [...(await render(view, parseOutputFormat('custom-columns=VERSION:.clientVersion', noFile)))].join('');
    assert.equal(text, 'VERSION\n0.1.0\n');
  });

  it('lets no control character through to a terminal', async () => {
    for (const format of OUTPUT_FORMATS.filter((each) => !each.includes('-') && each !== 'jsonpath')) {
      // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
      assert.doesNotMatch(await printed(format), /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e]|\r(?!\n)/, format);
    }
  });
});

describe('formats of reports', () => {
  it('are offered where they are asked for alone', () => {
    assert.deepEqual(FINDING_FORMATS.filter((name) => !OUTPUT_FORMATS.includes(name)), ['github', 'junit', 'sarif']);
    for (const name of ['github', 'junit', 'sarif']) {
      assert.throws(() => parseOutputFormat(name, noFile), UsageError);
      assert.deepEqual(parseOutputFormat(name, noFile, FINDING_FORMATS), { name });
    }
  });

  it('need a view that has them', async () => {
    await assert.rejects(render(sampleView(), { name: 'sarif' }), new UsageError('the output format sarif is for reports of findings'));
  });

  it('come before the columns where a view has a rendering of its own, and are told about colour', async () => {
    const view = { ...sampleView(), renderings: { table: ({ colour }: { readonly colour?: boolean }) => [`own ${colour}\n`] } };
    assert.deepEqual([...(await render(view, { name: 'table' }, { colour: true }))], ['own true\n']);
    assert.equal([...(await render(view, { name: 'wide' }))].join(''), await printed('wide'));
  });

  it('go over the list that the view names in custom-columns, made on demand or not', async () => {
    const view = { ...sampleView(), listField: 'findings', document: () => ({ items: [{ rule: 'x' }], findings: [{ rule: 'a' }, { rule: 'b' }].values() }) };
    assert.equal([...(await render(view, parseOutputFormat('custom-columns=RULE:.rule', noFile)))].join(''), 'RULE\na\nb\n');
    assert.equal([...(await render({ ...view, document: () => ({ findings: ['a', 'b'].values() }) }, parseOutputFormat('jsonpath={.findings[1]}', noFile)))].join(''), 'b');
  });
});

describe('parseOutputFormat', () => {
  it('takes no text as the table, and json and yaml in capitals, as kubectl', () => {
    assert.deepEqual(parseOutputFormat('', noFile), { name: 'table' });
    assert.deepEqual(parseOutputFormat('JSON', noFile), { name: 'json' });
    assert.deepEqual(parseOutputFormat('Yaml', noFile), { name: 'yaml' });
  });

  const allowed = 'csv,custom-columns,custom-columns-file,html,json,jsonpath,jsonpath-as-json,jsonpath-file,markdown,name,table,wide,yaml';
  for (const format of ['x', 'WIDE', 'go-template={{.}}', 'go-template', 'json=', 'toString', 'jsonpath file']) {
    it(`refuses ${format} in kubectl's words`, () => {
      assert.throws(() => parseOutputFormat(format, noFile), new UsageError(`unable to match a printer suitable for the output format "${format}", allowed formats are: ${allowed}`));
    });
  }

  it('refuses a format that the command does not have, and names those it has', () => {
    assert.throws(() => parseOutputFormat('csv', noFile, ['yaml', 'json']), new UsageError('unable to match a printer suitable for the output format "csv", allowed formats are: json,yaml'));
  });

  const malformed = [
    ['jsonpath', 'template format specified but no template given'],
    ['jsonpath-file=', 'template format specified but no template given'],
    ['jsonpath={.a', 'error parsing jsonpath {.a, unclosed action'],
    ['custom-columns', 'custom-columns format specified but no custom columns given'],
    ['custom-columns-file', 'custom-columns format specified but no custom columns given'],
    ['custom-columns=NAME', 'unexpected custom-columns spec: NAME, expected <header>:<json-path-expr>'],
  ] as const;
  for (const [format, message] of malformed) {
    it(`refuses ${format} before anything is fetched`, () => assert.throws(() => parseOutputFormat(format, noFile), new UsageError(message)));
  }

  it('reads templates from files', async () => {
    const files: Readonly<Record<string, string>> = { 'names.jsonpath': '{.items[*].name}', 'columns.txt': 'NAME  BUILD\n.name .build\n' };
    const readFile = (path: string): string => files[path] ?? '';
    const names = [...(await render(sampleView(), parseOutputFormat('jsonpath-file=names.jsonpath', readFile)))].join('');
    assert.equal(names, 'akswin000000 \u001b[31mred|=1+1');
    const columns = [...(await render(sampleView(), parseOutputFormat('custom-columns-file=columns.txt', readFile), { noHeaders: true }))].join('');
    assert.equal(columns, 'NAME             BUILD\nakswin000000     20348\n^[[31mred|=1+1   <nil>\n');
  });

  it('says which file could not be read and why', () => {
    const readFile = (): string => {
      throw new Error("ENOENT: no such file or directory, open 'nope'");
    };
    assert.throws(() => parseOutputFormat('jsonpath-file=nope', readFile), new UsageError("error reading --template nope, ENOENT: no such file or directory, open 'nope'"));
    assert.throws(() => parseOutputFormat('custom-columns-file=nope', readFile), new UsageError("error reading template nope, ENOENT: no such file or directory, open 'nope'"));
  });
});
