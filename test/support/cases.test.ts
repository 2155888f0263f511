import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nameOf } from '../../src/domain/kubernetes/object.ts';
import { casesFolder, describeCases, isContinuousIntegration, nodeFiles, notRun, readCaseNodes, readNodeExpectations, readObjects } from './cases.ts';

describe('the shared cases', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-win-cases-'));
    mkdirSync(join(folder, 'expectations'));
  });
  after(() => { rmSync(folder, { recursive: true, force: true }); });

  it('are where KUBECTL_WIN_CASES says, and nowhere else', () => {
    assert.equal(casesFolder({ KUBECTL_WIN_CASES: folder }), folder);
    assert.throws(() => casesFolder({ KUBECTL_WIN_CASES: join(folder, 'missing') }), /KUBECTL_WIN_CASES=.*missing: no folder/);
  });

  it('know a CI system when they see one', () => {
    assert.deepEqual([{}, { CI: '' }, { CI: 'false' }, { CI: '0' }, { CI: '1' }, { CI: 'true' }].map(isContinuousIntegration), [false, false, false, false, true, true]);
  });

  it('make a suite without them fail on a CI system and skip elsewhere', () => {
    const before = process.env['CI'];
    const printed: string[] = [];
    const context = { skip: (): never => { throw new Error('skipped'); } };
    const end = (): never => notRun(context, 'no such folder', (line) => printed.push(line));
    try {
      process.env['CI'] = 'true';
      assert.throws(end, /^Error: not run: no such folder; with CI set this is a failure$/);
      assert.deepEqual(printed, []);
      delete process.env['CI'];
      assert.throws(end, /^Error: skipped$/);
      assert.deepEqual(printed, ['not run: no such folder\n']);
    } finally {
      if (before === undefined) delete process.env['CI'];
      else process.env['CI'] = before;
    }
  });

  it('read objects from Lists, typed Lists and several documents', () => {
    const file = join(folder, 'objects.yaml');
    writeFileSync(file, 'apiVersion: v1\nkind: NodeList\nitems: [{metadata: {name: a}}]\n---\nkind: List\nitems: [{kind: Node, metadata: {name: b}}, {kind: Pod, metadata: {name: c}}]\n---\nkind: Node\nmetadata: {name: d}\n---\n');
    assert.deepEqual(readObjects(file).map((object) => `${object.kind} ${String(object.metadata?.['name'])}`), ['Node a', 'Node b', 'Pod c', 'Node d']);
    writeFileSync(file, 'a: [');
    assert.throws(() => readObjects(file), /objects\.yaml: /);
  });
});

describeCases('the node files of the cases', (folder) => {
  for (const { file, nodes } of readNodeExpectations(folder)) {
    it(`${file} holds the nodes that are expected of it`, () => {
      assert.deepEqual(readCaseNodes(folder, file).map(nameOf).toSorted(), nodes.map(({ name }) => name).toSorted());
    });
  }

  it('all have an expectation', () => {
    assert.deepEqual(nodeFiles(folder), readNodeExpectations(folder).map(({ file }) => file).toSorted());
  });
});
