import assert from 'node:assert/strict';
import { link, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { notingFiles, refuseOverwriting } from '../../../../src/cli/check/output-files.ts';

describe('files of reports', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-output-'));
    file = join(folder, 'web.yaml');
    await writeFile(file, 'kind: Pod\n');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('are no files that are read, under whatever name', async () => {
    await symlink(file, join(folder, 'symbolic.yaml'));
    await link(file, join(folder, 'hard.yaml'));
    for (const name of ['web.yaml', 'symbolic.yaml', 'hard.yaml', `../${basename(folder)}/web.yaml`]) {
      const target = `${folder}/${name}`;
      assert.throws(() => refuseOverwriting([{ file: join(folder, 'new.json') }, { file: target }], [file]), { name: 'UsageError', message: `--output-file ${target} would replace ${file}, which is read` });
    }
  });

  it('may be others, new ones and what is no file', async () => {
    const other = join(folder, 'report.json');
    await writeFile(other, 'kind: Pod\n');
    refuseOverwriting([{ file: other }, { file: join(folder, 'new.json') }, { file: '/dev/null' }, { file: '-' }, { file: folder }], [file, '/dev/null', '-', folder, join(folder, 'missing.yaml')]);
  });

  it('are compared with those that manifests were found in', async () => {
    const files = new Set<string>();
    const document = { file: 'b.yaml', line: 1, column: null, message: 'broken', suggestions: [] };
    const object = { object: {}, file: 'a.yaml', problems: [], locate: () => ({ file: 'a.yaml', line: 1, column: 1, length: 1 }), lineText: () => '' };
    const manifests = notingFiles({ description: { source: 'files', context: null, location: '.' }, notes: ['note'], async* read() { yield object; yield document; } }, files);
    const read = [];
    for await (const entry of manifests.read()) read.push(entry);
    assert.deepEqual(read, [object, document]);
    assert.deepEqual([...files], ['a.yaml']);
    assert.deepEqual(manifests.notes, ['note']);
  });
});
