import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openLocalTree } from '../../../src/adapters/files/local-tree.ts';
import { copyFiles, type CopyOptions, type CopyReport } from '../../../src/app/copy-files.ts';
import type { ExecStep } from '../../../src/app/exec-on-nodes.ts';
import type { CopyTotals } from '../../../src/app/hostprocess/copy/copy-ledger.ts';
import { readNodePath } from '../../../src/domain/hostprocess/copy/copy-path.ts';
import { ClusterError, InputError } from '../../../src/errors.ts';
import { copyingNode, LOST, openTestSink, pausesOnly, type CopyingNode, type CopyNodeParts } from '../../support/copy-node.ts';
import { ExecCluster, NONCE } from '../../support/exec-cluster.ts';
import { memoryRuns, type MemoryRuns } from '../../support/local-runs.ts';

const sha = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

interface Copied {
  readonly report: CopyReport;
  readonly node: CopyingNode;
  readonly cluster: ExecCluster;
  readonly records: MemoryRuns;
  readonly steps: readonly ExecStep[];
  readonly totals: readonly CopyTotals[];
  readonly error: unknown;
}

describe('copyFiles', () => {
  let here = '';
  beforeEach(async () => {
    here = await mkdtemp(join(tmpdir(), 'kubectl-win-copy-files-'));
  });
  afterEach(() => rm(here, { recursive: true, force: true }));

  const put = async (path: string, content: Uint8Array | string): Promise<void> => {
    await mkdir(dirname(join(here, path)), { recursive: true });
    await writeFile(join(here, path), content);
  };

  async function copy(direction: 'upload' | 'download', local: string, remote: string, parts: CopyNodeParts | CopyingNode = {}, options: Partial<CopyOptions> = {}): Promise<Copied> {
    const node = 'operations' in parts ? parts : copyingNode(parts);
    const path = readNodePath(remote);
    if (typeof path === 'string') throw new Error(path);
    const cluster = new ExecCluster(['win-1']);
    cluster.playCommand = node.play;
    const records = memoryRuns();
    const tree = openLocalTree(join(here, local));
    const steps: ExecStep[] = [];
    const totals: CopyTotals[] = [];
    let report: CopyReport | null = null;
    let failure: unknown = null;
    const { reader, writer, exec } = cluster;
    try {
      for await (const step of copyFiles({
        direction, remote: { side: 'node', target: { kind: 'node', name: 'win-1' }, path }, localPath: join(here, local), isInto: false, platform: 'linux', run: 'ab12c',
        objects: { origin: 'test', image: 'registry.example/base:v1', runAsUserName: 'NT AUTHORITY\\SYSTEM', pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {} },
        anchor: 'auto', namespace: { given: 'ops', configured: null }, timeoutSeconds: 600, startTimeoutSeconds: 300, dryRun: 'none', describe: { asOf: new Date('2026-11-30T12:00:00Z'), poolLabels: [] },
        confirm: async () => true, newNonce: () => NONCE, signal: new AbortController().signal, ...options,
      }, { reader, writer, exec, records, clock: pausesOnly, local: tree, openSink: openTestSink, onProgress: (one) => totals.push(one) }, (one) => {
        report = one;
      })) steps.push(step);
    } catch (error) {
      failure = error;
    } finally {
      await tree.close();
    }
    if (report === null && failure !== null) throw failure;
    assert.ok(report !== null);
    return { report, node, cluster, records, steps, totals, error: failure };
  }
  const results = ({ report }: Copied): readonly string[] => report.items.map(({ path, result }) => `${result} ${path}`.trimEnd());

  describe('to a node', () => {
    it('copies a file, under its name into a folder that is there, and forgets the run', async () => {
      await put('a.txt', 'hello');
      const copied = await copy('upload', 'a.txt', 'C:\\Temp', { entries: { 'C:\\Temp': 'folder' } });
      assert.deepEqual([results(copied), copied.report.to, copied.report.phase, copied.node.entries.get('C:\\Temp\\a.txt')], [['copied'], 'C:\\Temp\\a.txt', 'succeeded', Buffer.from('hello')]);
      assert.deepEqual([copied.report.items[0]?.sha256, copied.report.totals, copied.records.runs.size, copied.cluster.jobs.size], [sha('hello'), { files: 1, sizeBytes: 5, sentBytes: 5, doneBytes: 5, doneFiles: 1 }, 0, 0]);
      assert.deepEqual(copied.node.operations, ['copy-list', 'copy-receive']);
    });

    for (const [remote, entries, to] of [
      ['C:\\Temp\\b.txt', {}, 'C:\\Temp\\b.txt'], ['C:\\Temp\\new\\', {}, 'C:\\Temp\\new\\a.txt'], ['C:\\', {}, 'C:\\a.txt'], ['C:\\Temp\\a.txt', { 'C:\\Temp\\a.txt': Buffer.from('older') }, 'C:\\Temp\\a.txt'],
    ] as const) {
      it(`a file to ${remote} is ${to}`, async () => {
        await put('a.txt', 'hello');
        const copied = await copy('upload', 'a.txt', remote, { entries });
        assert.deepEqual([copied.report.to, copied.node.entries.get(to)], [to, Buffer.from('hello')]);
      });
    }

    it('copies what is in a folder, empty ones too, beside what is there, and nothing twice', async () => {
      for (const [path, content] of [['f/a', 'a'], ['f/deep/er/b', 'b'], ['f/big', randomBytes(700_000)]] as const) await put(path, content);
      await mkdir(join(here, 'f', 'empty'));
      await symlink('/etc', join(here, 'f', 'etc'));
      const node = copyingNode({ entries: { 'C:\\Temp\\there': Buffer.from('there') } });
      const first = await copy('upload', 'f', 'C:\\Temp', node);
      assert.deepEqual(results(first), ['copied a', 'copied big', 'copied deep/er/b', 'skipped etc']);
      assert.deepEqual([...node.entries.keys()].toSorted(), ['C:\\Temp\\a', 'C:\\Temp\\big', 'C:\\Temp\\deep', 'C:\\Temp\\deep\\er', 'C:\\Temp\\deep\\er\\b', 'C:\\Temp\\empty', 'C:\\Temp\\there']);
      assert.equal(first.report.phase, 'succeeded', 'what is skipped is no failure');
      await put('f/a', 'A');
      const second = await copy('upload', 'f', 'C:\\Temp', node);
      assert.deepEqual([results(second), second.report.totals.sentBytes], [['copied a', 'unchanged big', 'unchanged deep/er/b', 'skipped etc'], 1]);
    });

    it('goes on where the connection was lost, in the same pod', async () => {
      const content = randomBytes(3_000_000);
      await put('big', content);
      const copied = await copy('upload', 'big', 'C:\\big', { fates: { 2: { afterBytes: 1_200_000, error: LOST }, 4: { afterBytes: 900_000, error: LOST } } });
      assert.deepEqual([results(copied), copied.node.operations.length, copied.cluster.callsOf('create').length], [['resumed'], 6, 1]);
      assert.ok((copied.node.entries.get('C:\\big') as Buffer).equals(content));
      assert.ok(copied.report.totals.sentBytes < 1.9 * content.length);
      assert.equal(copied.report.notes.filter((note) => note.includes('goes on where it stopped')).length, 2);
    });

    it('goes on where the kubelet was not reached when what is sent had begun to be read', async () => {
      const content = randomBytes(3_000_000);
      await put('big', content);
      const unreached = new ClusterError('Internal error occurred: error dialing backend: dial tcp 10.0.0.4:10250: connect: connection refused', { reason: 'InternalError', status: 500 });
      const copied = await copy('upload', 'big', 'C:\\big', { fates: { 1: { afterBytes: 0, error: unreached }, 3: { afterBytes: 1_200_000, error: unreached } } });
      assert.deepEqual([results(copied), copied.report.phase, copied.cluster.callsOf('create').length], [['resumed'], 'succeeded', 1]);
      assert.ok((copied.node.entries.get('C:\\big') as Buffer).equals(content));
      assert.ok(copied.report.totals.sentBytes < 1.9 * content.length);
    });

    it('gives up when it is lost again and again, and says what has not arrived', async () => {
      await put('big', randomBytes(500_000));
      const copied = await copy('upload', 'big', 'C:\\big', { fates: Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8].map((number) => [number, { afterBytes: 0, error: LOST }])) });
      assert.deepEqual([results(copied), copied.report.phase, copied.report.outcome?.error?.reason], [['pending'], 'failed', 'ConnectionLost']);
    });

    it('leaves a file that became another one on the way, and copies the rest', async () => {
      await put('f/a', 'aaa');
      await put('f/b', 'bbb');
      let isFirst = true;
      const copied = await copy('upload', 'f', 'C:\\f', { corrupt: (bytes) => {
        const [byte] = bytes;
        if (!isFirst || byte === undefined) return bytes;
        isFirst = false;
        return Buffer.from('xxx');
      } });
      assert.deepEqual([results(copied), copied.report.phase], [['failed a', 'copied b'], 'failed']);
      assert.match(copied.report.items[0]?.message ?? '', /another SHA-256/);
      assert.deepEqual([...copied.node.entries.keys()], ['C:\\f', 'C:\\f\\b']);
    });

    for (const [title, remote, entries, message] of [
      ['a link', 'C:\\Temp', { 'C:\\Temp': { link: 'C:\\Windows' } }, /is a link on the node/], ['a file in the place of a folder', 'C:\\Temp', { 'C:\\Temp': Buffer.from('x') }, /is a file on the node/],
    ] as const) {
      it(`refuses ${title}, and changes nothing`, async () => {
        await put('f/a', 'a');
        const copied = await copy('upload', 'f', remote, { entries });
        assert.match(copied.report.outcome?.error?.message ?? '', message);
        assert.deepEqual([copied.node.operations, copied.node.entries.size], [['copy-list'], 1]);
      });
    }

    it('says which files have a folder or a link in their place, or on the way', async () => {
      for (const path of ['f/a', 'f/b', 'f/c/d', 'f/e']) await put(path, 'x');
      const copied = await copy('upload', 'f', 'C:\\f', { entries: { 'C:\\f\\a': 'folder', 'C:\\f\\b': { link: 'C:\\Windows\\b' }, 'C:\\f\\c': { link: 'C:\\Windows' } } });
      assert.deepEqual(copied.report.items.map(({ result, message }) => [result, message]), [['failed', 'a folder has its name on the node'], ['failed', 'a link has its name on the node'], ['failed', 'C:\\f\\c\\d is a link, which is not followed'], ['copied', null]]);
    });

    it('asks nobody where nothing can be copied', async () => {
      for (const [path, message] of [['none', /none: cannot be read: no such file/], ['f/a:b', null]] as const) {
        await put('f/a:b', 'x');
        const run = copy('upload', path, 'C:\\Temp\\', {});
        await assert.rejects(run, (error) => error instanceof InputError && (message ?? /cannot go into C:\\Temp by its name: it has a colon/).test(error.message));
      }
    });

    it('tells how far it is', async () => {
      await put('f/a', randomBytes(600_000));
      const { totals } = await copy('upload', 'f', 'C:\\f');
      const done = totals.map(({ doneBytes }) => doneBytes);
      assert.deepEqual([done.at(-1), done.toSorted((a, b) => a - b)], [600_000, done]);
      assert.ok(done.length > 3);
    });
  });

  describe('from a node', () => {
    it('copies a file into a folder that is there, with its time', async () => {
      const copied = await copy('download', '.', 'C:\\k\\a.log', { entries: { 'C:\\k\\a.log': Buffer.from('hello') } });
      assert.deepEqual([results(copied), copied.report.to, await readFile(join(here, 'a.log'), 'utf8'), copied.report.phase], [['copied'], `${here}/a.log`, 'hello', 'succeeded']);
      assert.deepEqual(copied.node.operations, ['copy-list', 'copy-send']);
    });

    it('copies what is in a folder, beside what is there, and nothing twice', async () => {
      const big = randomBytes(2_500_000);
      const node = copyingNode({ entries: { 'C:\\k\\a': Buffer.from('a'), 'C:\\k\\deep\\b': Buffer.alloc(0), 'C:\\k\\big': big, 'C:\\k\\empty': 'folder', 'C:\\k\\l': { link: 'C:\\Windows' }, 'C:\\k\\x.kubectl-win-part': Buffer.from('x') } });
      await put('out/there', 'there');
      const first = await copy('download', 'out', 'C:\\k', node);
      assert.deepEqual([results(first), first.report.phase], [['copied a', 'copied big', 'copied deep/b', 'skipped l', 'skipped x.kubectl-win-part'], 'succeeded']);
      assert.deepEqual((await readdir(join(here, 'out'), { recursive: true })).toSorted(), ['a', 'big', 'deep', 'deep/b', 'empty', 'there']);
      assert.ok((await readFile(join(here, 'out', 'big'))).equals(big));
      node.entries.set('C:\\k\\a', Buffer.from('A'));
      const second = await copy('download', 'out', 'C:\\k', node);
      assert.deepEqual([results(second).slice(0, 3), second.report.totals.sentBytes], [['copied a', 'unchanged big', 'unchanged deep/b'], 1]);
    });

    it('goes into the local folder by its name where that is asked for', async () => {
      const copied = await copy('download', 'out', 'C:\\k\\logs', { entries: { 'C:\\k\\logs\\a': Buffer.from('a') } }, { isInto: true });
      assert.deepEqual([copied.report.to, await readdir(join(here, 'out', 'logs'))], [`${here}/out/logs`, ['a']]);
      await put('drive/x', 'x');
      const drive = await copy('download', 'drive', 'C:\\', { entries: { 'C:\\a': Buffer.from('a') } }, { isInto: true });
      assert.deepEqual([drive.report.to, (await readdir(join(here, 'drive'))).toSorted()], [`${here}/drive`, ['a', 'x']], 'the root of a drive has no name');
    });

    it('goes on where the connection was lost', async () => {
      const content = randomBytes(3_000_000);
      const copied = await copy('download', 'big', 'C:\\big', { entries: { 'C:\\big': content }, fates: { 2: { afterBytes: 1_200_000, error: LOST } } });
      assert.deepEqual([results(copied), copied.node.operations], [['resumed'], ['copy-list', 'copy-send', 'copy-list', 'copy-send']]);
      assert.ok((await readFile(join(here, 'big'))).equals(content));
      assert.ok(copied.report.totals.sentBytes < 1.3 * content.length);
    });

    it('keeps what has arrived when it fails, for the next one', async () => {
      const content = randomBytes(3_000_000);
      const first = await copy('download', 'big', 'C:\\big', { entries: { 'C:\\big': content }, fates: Object.fromEntries([2, 4, 6, 8].map((number) => [number, { afterBytes: 600_000, error: LOST }])) });
      assert.deepEqual([results(first), first.report.phase, await readdir(here)], [['pending'], 'failed', ['big.kubectl-win-part']]);
      const second = await copy('download', 'big', 'C:\\big', { entries: { 'C:\\big': content } });
      assert.deepEqual([results(second), second.report.totals.sentBytes < 1_500_000, await readdir(here)], [['resumed'], true, ['big']]);
    });

    it('does not keep what arrives as another one', async () => {
      const copied = await copy('download', 'out', 'C:\\k', { entries: { 'C:\\k\\a': Buffer.from('aaa'), 'C:\\k\\b': Buffer.from('bbb') }, corrupt: (bytes) => (bytes.toString() === 'aaa' ? Buffer.from('xxx') : bytes) });
      assert.deepEqual([results(copied), await readdir(join(here, 'out'))], [['failed a', 'copied b'], ['b']]);
      assert.match(copied.report.items[0]?.message ?? '', /another SHA-256/);
    });

    it('takes a log that grows as it is when it is read, also when it has grown by much', async () => {
      const grown = randomBytes(5_000_000);
      const copied = await copy('download', 'out', 'C:\\k', { entries: { 'C:\\k\\a': Buffer.alloc(2_000_000), 'C:\\k\\log': Buffer.from('small') }, beforeSend: (path, entries) => {
        if (path === 'log') entries.set('C:\\k\\log', grown);
      } });
      assert.deepEqual(results(copied), ['copied a', 'copied log']);
      assert.ok((await readFile(join(here, 'out', 'log'))).equals(grown));
    });

    it('says what is gone or has grown meanwhile, and copies the rest', async () => {
      await put('out/log', 'line 1');
      const copied = await copy('download', 'out', 'C:\\k', { entries: { 'C:\\k\\gone': Buffer.from('x'), 'C:\\k\\log': Buffer.from('line 1'), 'C:\\k\\z': Buffer.from('z') }, beforeSend: (path, entries) => {
        if (path === 'gone') entries.delete('C:\\k\\gone');
        if (path === 'log') entries.set('C:\\k\\log', Buffer.from('line 1, line 2'));
      } });
      assert.deepEqual(copied.report.items.map(({ path, result, message }) => [path, result, message]), [['gone', 'failed', 'Could not find file'], ['log', 'failed', 'it has become longer meanwhile: the next copy takes all of it'], ['z', 'copied', null]]);
      assert.equal(await readFile(join(here, 'out', 'log'), 'utf8'), 'line 1');
    });

    it('refuses names that a node should not give, whatever they are, and asks for none of them', async () => {
      const evil = ['..\\..\\evil', '..', '\\evil', 'a\\..\\..\\evil', '/etc/evil', 'x\\/etc/evil', 'nul\u0000l'];
      let index = 0;
      const copied = await copy('download', 'out/deep', 'C:\\k', { entries: { 'C:\\k\\a': Buffer.from('a'), ...Object.fromEntries(evil.map((_, number) => [`C:\\k\\evil${number}`, Buffer.from('harmful')])) }, listed: (line) => {
        if (!line.includes('evil')) return line;
        const [kind, size, modified] = line.split('\t');
        const name = evil[index] ?? '';
        index += 1;
        return [kind, size, modified, name].join('\t');
      } });
      assert.deepEqual([copied.report.items.filter(({ result }) => result === 'refused').length, copied.report.items.filter(({ result }) => result === 'copied').map(({ path }) => path)], [evil.length, ['a']]);
      assert.deepEqual((await readdir(here, { recursive: true })).toSorted(), ['out', 'out/deep', 'out/deep/a']);
    });

    for (const [title, remote, entries, local, message] of [
      ['what is not there', 'C:\\none', {}, 'out', /C:\\none is not on the node/], ['a link', 'C:\\l', { 'C:\\l': { link: 'C:\\Windows' } }, 'out', /is a link on the node/], ['a file that is named as a folder', 'C:\\a\\', { 'C:\\a': Buffer.from('a') }, 'out', /was named as a folder/],
      ['a folder onto a file', 'C:\\k', { 'C:\\k\\a': Buffer.from('a') }, 'file', /the destination is a file/],
    ] as const) {
      it(`refuses ${title}`, async () => {
        await put('file', 'precious');
        const copied = await copy('download', local, remote, { entries });
        assert.match(copied.report.outcome?.error?.message ?? '', message);
        assert.deepEqual(await readdir(here), ['file']);
      });
    }

    it('writes through no link of this side', async () => {
      await put('outside/a', 'precious');
      await mkdir(join(here, 'out'));
      await symlink(join(here, 'outside', 'a'), join(here, 'out', 'a'));
      await symlink(join(here, 'outside'), join(here, 'out', 'sub'));
      const copied = await copy('download', 'out', 'C:\\k', { entries: { 'C:\\k\\a': Buffer.from('harmful'), 'C:\\k\\b': Buffer.from('b'), 'C:\\k\\sub\\a': Buffer.from('harmful') } });
      assert.deepEqual([results(copied), await readFile(join(here, 'outside', 'a'), 'utf8')], [['failed a', 'copied b', 'failed sub/a'], 'precious']);
    });

    it('ends where the node sends what is no copy', async () => {
      const copied = await copy('download', 'out', 'C:\\k', { entries: { 'C:\\k\\a': Buffer.from('a') }, listed: () => 'WARNING: the disk is full' });
      assert.match(copied.report.outcome?.error?.message ?? '', /^the node printed what is no part of a copy: "WARNING/);
    });
  });

  it('is only planned in a dry run', async () => {
    await put('a', 'hello');
    const copied = await copy('upload', 'a', 'C:\\Temp\\a', {}, { dryRun: 'client' });
    assert.deepEqual([copied.report.phase, copied.node.operations, copied.cluster.callsOf('create').length, results(copied)], ['planned', [], 0, ['pending']]);
    assert.equal(copied.steps.flatMap((step) => (step.type === 'planned' ? step.objects : [])).length, 1);
  });

  it('removes its pod when it is interrupted, and reports what has arrived', async () => {
    await put('big', randomBytes(3_000_000));
    const controller = new AbortController();
    const node = copyingNode();
    const entries = node.entries;
    const set = entries.set.bind(entries);
    entries.set = (path, entry) => {
      if (Buffer.isBuffer(entry) && entry.length > 1_000_000) controller.abort(new Error('Ctrl-C'));
      return set(path, entry);
    };
    const copied = await copy('upload', 'big', 'C:\\big', node, { signal: controller.signal });
    assert.deepEqual([copied.report.phase, results(copied), copied.cluster.jobs.size], ['interrupted', ['pending'], 0]);
    assert.ok(copied.report.totals.sentBytes > 1_000_000);
  });
});
