import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openManifestEditor } from '../../../src/adapters/manifests/edit/open-manifest-editor.ts';
import { fixManifests, NOT_SAFE, type FixableFinding, type FixManifestsOptions, type FixedFile } from '../../../src/app/fix-manifests.ts';
import type { Finding, Fix } from '../../../src/domain/check/finding.ts';
import { refOf } from '../../../src/domain/kubernetes/object-ref.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/object.ts';

const TEXT = '# mine\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  hostPID: true # why\n  hostNetwork: true\n';
const OBJECT: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec: { hostPID: true, hostNetwork: true } };
const REMOVED = TEXT.replace('  hostPID: true # why\n', '');
const WITH_OS = `${REMOVED}  os:\n    name: windows\n`;

function findingOf(fix: Fix | null, object: KubeObject = OBJECT): Finding {
  return {
    rule: 'some-rule', facts: ['SEC-001'], severity: 'error', effect: 'rejected', object: refOf(object), container: null, path: ['spec'], message: 'wrong', nodes: [],
    confidence: 'proven', evidence: [], remedy: 'Change it.', reference: 'https://kubernetes.io/', fix,
  };
}

const SAFE = findingOf({ title: 'remove spec.hostPID', isSafe: true, edits: [{ op: 'remove', path: ['spec', 'hostPID'] }] });
const UNSAFE = findingOf({ title: 'set spec.os.name', isSafe: false, edits: [{ op: 'set', path: ['spec', 'os', 'name'], value: 'windows' }] });
const IMPOSSIBLE = findingOf({ title: 'impossible', isSafe: true, edits: [{ op: 'set', path: ['spec', 'hostNetwork', 'x'], value: 1 }] });

describe('fixing manifests', () => {
  it('says of a file that has vanished since it was judged that it is not there, and mends the others', async () => {
    const gone = join(folder, 'gone.yaml');
    const findings = [gone, file].map((one): FixableFinding => ({ file: one, object: OBJECT, finding: SAFE }));
    const fixed = await fixManifests(findings, { includeUnsafe: false, isDryRun: false }, { editor: openManifestEditor() });
    assert.deepEqual(fixed.map(({ isWritten, problem }) => [isWritten, problem]), [[false, `${gone}: no such file or folder`], [true, null]]);
    assert.deepEqual(readdirSync(folder), ['a.yaml']);
  });

  it('makes no file anew that vanishes while it is mended', async () => {
    const editor = openManifestEditor();
    const [fixed] = await fixManifests([{ file, object: OBJECT, finding: SAFE }], { includeUnsafe: false, isDryRun: false }, {
      editor: { open: async (name, signal) => { const manifest = await editor.open(name, signal); rmSync(name); return manifest; } },
    });
    assert.deepEqual([fixed?.isWritten, fixed?.problem, readdirSync(folder)], [false, `${file}: has vanished since it was read, and was not made anew`, []]);
  });

  it('names the folder where no file can be made in it', function () {
    const asOther = process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', process.execPath] : [process.execPath];
    if (process.platform === 'win32' || (asOther.length > 1 && spawnSync('setpriv', ['--version']).status !== 0)) this.skip();
    chmodSync(file, 0o666);
    chmodSync(folder, 0o555);
    const source = `import('${new URL('../../../src/adapters/manifests/edit/replace-file.ts', import.meta.url).href}').then(({ replaceFile }) => replaceFile(process.argv[1], Buffer.from(''), Buffer.from('x'))).catch((error) => console.log(error.message))`;
    const [program = '', ...argv] = asOther;
    const { stdout, stderr } = spawnSync(program, [...argv, '--input-type=module', '--eval', source, file], { encoding: 'utf8' });
    chmodSync(folder, 0o755);
    assert.equal(stdout, `${file}: cannot be written: permission denied to make a file in its folder, from which it is put in its place as a whole\n`, stderr);
    assert.equal(readFileSync(file, 'utf8'), TEXT);
  });

  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kubectl-win-fix-'));
    file = join(folder, 'a.yaml');
    writeFileSync(file, TEXT);
  });
  afterEach(() => { rmSync(folder, { recursive: true, force: true }); });

  const run = async (findings: readonly Finding[], options: Partial<FixManifestsOptions> = {}, object: KubeObject = OBJECT): Promise<FixedFile> => {
    const fixable = findings.map((finding): FixableFinding => ({ file, object, finding }));
    const [fixed] = await fixManifests(fixable, { includeUnsafe: false, isDryRun: false, ...options }, { editor: openManifestEditor() });
    assert.ok(fixed);
    return fixed;
  };

  it('tells of each file as soon as it is done, so that an interrupted run can say what it has changed', async () => {
    const other = join(folder, 'b.yaml');
    writeFileSync(other, TEXT);
    const controller = new AbortController();
    const told: FixedFile[] = [];
    const onFile = (fixed: FixedFile): void => {
      told.push(fixed);
      controller.abort(new Error('interrupted'));
    };
    const findings = [file, other].map((name): FixableFinding => ({ file: name, object: OBJECT, finding: SAFE }));
    await assert.rejects(fixManifests(findings, { includeUnsafe: false, isDryRun: false, signal: controller.signal, onFile }, { editor: openManifestEditor() }), /interrupted/);
    assert.deepEqual(told.map((fixed) => [fixed.file, fixed.isWritten]), [[file, true]]);
    assert.equal(readFileSync(file, 'utf8'), REMOVED);
    assert.equal(readFileSync(other, 'utf8'), TEXT);
  });

  it('does safe fixes, and says which were left out and why', async () => {
    const fixed = await run([SAFE, UNSAFE, IMPOSSIBLE, findingOf(null)]);
    assert.equal(readFileSync(file, 'utf8'), REMOVED);
    assert.deepEqual(fixed, {
      file, before: TEXT, after: REMOVED, applied: [SAFE], isWritten: true, note: null, problem: null,
      refused: [{ finding: UNSAFE, reason: NOT_SAFE }, { finding: IMPOSSIBLE, reason: 'spec.hostNetwork is no map' }],
    });
    assert.deepEqual(readdirSync(folder), ['a.yaml']);
  });

  it('does all of them where that is wanted', async () => {
    const fixed = await run([SAFE, UNSAFE], { includeUnsafe: true });
    assert.equal(readFileSync(file, 'utf8'), WITH_OS);
    assert.deepEqual(fixed.applied, [SAFE, UNSAFE]);
  });

  it('writes nothing in a dry run, and nothing where nothing changes', async () => {
    const dry = await run([SAFE], { isDryRun: true });
    assert.deepEqual([dry.after, dry.isWritten, readFileSync(file, 'utf8')], [REMOVED, false, TEXT]);
    chmodSync(folder, 0o500);
    const none = await run([IMPOSSIBLE]);
    chmodSync(folder, 0o700);
    assert.deepEqual([none.after, none.isWritten, none.problem], [TEXT, false, null]);
  });

  it('does not read files that have nothing to fix', async () => {
    const fixable: FixableFinding = { file: join(folder, 'missing.yaml'), object: OBJECT, finding: findingOf(null) };
    assert.deepEqual(await fixManifests([fixable], { includeUnsafe: true, isDryRun: false }, { editor: openManifestEditor() }), []);
  });

  it('keeps the mode of the file and a symbolic link to it', async () => {
    chmodSync(file, 0o640);
    const link = join(folder, 'link.yaml');
    symlinkSync('a.yaml', link);
    file = link;
    await run([SAFE]);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.equal(statSync(join(folder, 'a.yaml')).mode & 0o777, 0o640);
    assert.equal(readFileSync(link, 'utf8'), REMOVED);
  });

  const ENCODINGS: readonly (readonly [string, (text: string) => Buffer])[] = [
    ['UTF-8 with a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
    ['UTF-16, little endian', (text) => Buffer.from(`\ufeff${text}`, 'utf16le')],
    ['UTF-16, big endian', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
  ];
  for (const [name, encode] of ENCODINGS) {
    it(`keeps ${name}`, async () => {
      writeFileSync(file, encode(TEXT.replaceAll('\n', '\r\n')));
      await run([SAFE]);
      assert.deepEqual(readFileSync(file), encode(REMOVED.replaceAll('\n', '\r\n')));
    });
  }

  it('leaves a file alone that has changed since it was read', async () => {
    const manifest = await openManifestEditor().open(file);
    writeFileSync(file, `${TEXT}# new\n`);
    await assert.rejects(manifest.write(REMOVED), /a\.yaml: has changed since it was read/);
    assert.equal(readFileSync(file, 'utf8'), `${TEXT}# new\n`);
    assert.deepEqual(readdirSync(folder), ['a.yaml']);
  });

  it('goes on with the next file where one cannot be read', async () => {
    const missing = join(folder, 'missing.yaml');
    const findings = [missing, file].map((one): FixableFinding => ({ file: one, object: OBJECT, finding: SAFE }));
    const fixed = await fixManifests(findings, { includeUnsafe: false, isDryRun: false }, { editor: openManifestEditor() });
    assert.match(fixed[0]?.problem ?? '', /missing\.yaml: no such file/);
    assert.deepEqual(fixed[0]?.refused.map(({ finding }) => finding), [SAFE]);
    assert.deepEqual([fixed[1]?.isWritten, readFileSync(file, 'utf8')], [true, REMOVED]);
  });

  it('refuses a file without the right to write it', async function () {
    if (process.getuid?.() === 0) this.skip();
    chmodSync(file, 0o400);
    const fixed = await run([SAFE]);
    assert.match(fixed.problem ?? '', /cannot be written: permission denied/);
  });

  it('removes what a run that was killed has left beside the file', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    const leftover = join(folder, `.a.yaml.${pid}.0123abcd.tmp`);
    const fresh = join(folder, `.a.yaml.${pid}.0123abce.tmp`);
    for (const path of [leftover, fresh]) writeFileSync(path, 'half');
    utimesSync(leftover, new Date(0), new Date(0));
    await run([SAFE]);
    assert.deepEqual(readdirSync(folder).toSorted(), [`.a.yaml.${pid}.0123abce.tmp`, 'a.yaml']);
  });

  it('refuses compressed files', async () => {
    writeFileSync(file, Buffer.from([0x1f, 0x8b, 0x08, 0x00]));
    assert.match((await run([SAFE])).problem ?? '', /is compressed/);
  });

  it('gives the fixed text of standard input, and writes nothing', async () => {
    const [fixed] = await fixManifests([{ file: 'stdin', object: OBJECT, finding: SAFE }], { includeUnsafe: false, isDryRun: false }, { editor: openManifestEditor({ stdin: TEXT }) });
    assert.deepEqual([fixed?.after, fixed?.isWritten, fixed?.problem], [REMOVED, false, null]);
  });

  it('leaves out a fix of a finding about another object', async () => {
    const fixed = await run([findingOf(SAFE.fix, { ...OBJECT, metadata: { name: 'b' } })]);
    assert.deepEqual(fixed.refused.map(({ reason }) => reason), ['it is about another object']);
  });

  it('ends between two files when the signal aborts', async () => {
    const abort = new AbortController();
    abort.abort(new Error('stop'));
    await assert.rejects(run([SAFE], { signal: abort.signal }), /stop/);
    assert.equal(readFileSync(file, 'utf8'), TEXT);
  });
});
