import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { RULES } from '../../src/domain/check/rules/index.ts';
import { ClusterError } from '../../src/errors.ts';
import { PROJECT_ROOT } from '../../src/tooling/source-commands.ts';
import { fakeCluster, forbidden, rawNode } from '../support/fake-cluster.ts';
import { assertGolden } from '../support/golden.ts';
import { runCommand, type RunOptions, type RunResult } from '../support/run-command.ts';
import { assertMatchesSchema } from '../support/schema.ts';

const SAMPLE = join(PROJECT_ROOT, 'src', 'sample', 'sample-cluster.json');
const ESCAPE = '\u001B';

const WEB = `# the shop's front
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels: { app: web }
  template:
    metadata:
      labels: { app: web }
    spec:
      os: { name: windows }
      nodeSelector:
        kubernetes.io/os: windows # the Windows pool
      hostPID: true
      containers:
        - name: web
          image: mcr.microsoft.com/windows/servercore/iis:windowsservercore-ltsc2025
          securityContext:
            privileged: false # as the scanner asks
          resources:
            limits: { memory: 2Gi }
            requests: { memory: 2Gi }
---
apiVersion: v1
kind: Service
metadata: { name: web, namespace: shop }
spec:
  selector: { app: web }
  ports: [{ port: 80 }]
`;
const CLEAN = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n';
const BROKEN = 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\n spec: {}\n';

interface JsonReport {
  readonly kind: string;
  readonly findings: readonly { readonly rule: string; readonly severity: string; readonly file: string | null; readonly line: number | null; readonly evidence: readonly string[]; readonly object: { readonly kind: string | null; readonly name: string } }[];
  readonly summary: Readonly<Record<string, number>>;
  readonly suppressed: readonly unknown[];
  readonly unreadable: readonly { readonly file: string; readonly line: number | null }[];
}

describe('kubectl win check', function () {
  this.timeout(20_000);
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-check-'));
    file = join(folder, 'web.yaml');
    await writeFile(file, WEB);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const run = (argv: readonly string[], options: RunOptions = {}): Promise<RunResult> => runCommand(['check', ...argv], { env: { HOME: '/nowhere' }, ...options });
  const text = (name: string): Promise<string> => readFile(join(folder, name), 'utf8');
  const nameless = (output: string): string => output.replaceAll(folder, '/manifests').replaceAll(/ {3,}(?=\/manifests|MESSAGE|WHERE)/g, '   ');
  const jsonOf = ({ stdout }: RunResult): JsonReport => JSON.parse(stdout) as JsonReport;

  describe('on files', () => {
    it('finds what Windows does not take, and needs no cluster', async () => {
      const result = await run(['-f', file]);
      assert.equal(result.exitCode, 1);
      assert.deepEqual(result.readerOptions, []);
      assert.match(result.stdout, /^SEVERITY +EFFECT +RULE +NAMESPACE +OBJECT +WHERE +MESSAGE\n/);
      assert.match(result.stdout, /error +rejected +host-namespaces-on-windows +shop +deployment\.apps\/web +\S*web\.yaml:18:7 /);
      assert.match(result.stderr, /2 errors, .* in 1 workload \(1 Windows\) and 1 other object/);
      assert.match(result.stderr, /--live or --inventory judges files against the nodes of a cluster/);
    });

    it('prints the whole report as it did before', async () => {
      for (const [format, ending] of [['table', 'txt'], ['json', 'json']] as const) {
        const { stdout, stderr } = await run(['-f', file, '-o', format === 'table' ? '' : format]);
        assertGolden(`check/command.${ending}`, nameless(stdout));
        if (format === 'table') assertGolden('check/command-notes.txt', nameless(stderr));
      }
    });

    it('finds nothing in what is fine', async () => {
      await writeFile(file, CLEAN);
      assert.deepEqual(await run(['-f', file]).then(({ stdout, exitCode }) => [stdout, exitCode]), ['', 0]);
    });

    it('reads folders, with -R what is in them, several -f, and standard input', async () => {
      await mkdir(join(folder, 'deep'));
      await writeFile(join(folder, 'deep', 'more.yml'), WEB.replace('name: web', 'name: more'));
      await writeFile(join(folder, 'notes.txt'), 'no manifest');
      const objects = async (argv: readonly string[], options?: RunOptions): Promise<number | undefined> => jsonOf(await run([...argv, '-o', 'json'], options)).summary['objects'];
      assert.equal(await objects(['-f', folder]), 2);
      assert.equal(await objects(['-R', '-f', folder]), 4);
      assert.equal(await objects(['-f', file, '-f', join(folder, 'deep')]), 4);
      assert.equal(await objects(['-f', `${file},${join(folder, 'deep')}`]), 4);
      assert.equal(await objects(['-f', '-'], { stdin: WEB }), 2);
    });

    it('judges kinds that it does not know by their shape, and leaves others alone', async () => {
      await writeFile(file, WEB.replace('apps/v1', 'example.com/v1').replace('kind: Deployment', 'kind: Machine'));
      const report = jsonOf(await run(['-f', file, '-o', 'json']));
      assert.ok(report.findings.some(({ rule, object }) => rule === 'host-namespaces-on-windows' && object.kind === 'Machine'));
      assert.equal(report.summary['objects'], 2);
    });

    it('judges them against a cluster with --live, and against a recording with --inventory', async () => {
      const reader = fakeCluster({ objects: { nodes: [rawNode('win1')] } });
      const live = await run(['-f', file, '--live', '-o', 'json'], { reader });
      assert.ok(jsonOf(live).findings.some(({ rule }) => rule === 'image-build-mismatch' || rule === 'windows-taint-not-tolerated'), live.stdout);
      const recorded = await run(['-f', file, '--inventory', SAMPLE, '-o', 'json']);
      assert.ok(jsonOf(recorded).summary['objects'] === 2, recorded.stderr);
    });

    it('takes objects without a namespace for those of -n, and mends them in place all the same', async () => {
      const bare = join(folder, 'bare.yaml');
      await writeFile(bare, WEB.replace('\n  namespace: shop', '').replace(', namespace: shop', ''));
      const report = jsonOf(await run(['-f', bare, '-n', 'prod', '-o', 'json']));
      assert.deepEqual([...new Set(report.findings.map(({ object }) => (object as { namespace?: string | null }).namespace))], ['prod']);
      await run(['-f', bare, '-n', 'prod', '--fix']);
      const mended = await readFile(bare, 'utf8');
      assert.doesNotMatch(mended, /hostPID|namespace/);
    });

    it('judges them as if the nodes ran a release', async () => {
      const { stdout } = await run(['-f', file, '--windows', 'ltsc2022', '-o', 'json']);
      assert.ok((JSON.parse(stdout) as JsonReport).findings.some(({ rule }) => rule === 'image-build-mismatch'), stdout);
    });
  });

  describe('on documents that cannot be read', () => {
    it('judges the others, and counts it as an error', async () => {
      await writeFile(join(folder, 'broken.yaml'), BROKEN);
      const report = await run(['-f', folder, '-o', 'json']);
      assert.equal(report.exitCode, 1);
      const { unreadable, findings } = jsonOf(report);
      assert.deepEqual(unreadable.map((one) => one.line), [5]);
      assert.ok(findings.some(({ rule, line }) => rule === 'unreadable-document' && line === 5));
      assert.ok(findings.some(({ rule }) => rule === 'host-namespaces-on-windows'));
    });

    it('exits with 2 only where nothing at all could be read, whatever --fail-on says', async () => {
      await writeFile(join(folder, 'broken.yaml'), BROKEN);
      assert.equal((await run(['-f', join(folder, 'broken.yaml')])).exitCode, 2);
      assert.equal((await run(['-f', join(folder, 'broken.yaml'), '--fail-on', 'none'])).exitCode, 2);
      assert.equal((await run(['-f', join(folder, 'broken.yaml'), '-f', file, '--fail-on', 'none'])).exitCode, 0);
    });

    it('leaves out what this program wrote, and says so', async () => {
      const report = join(folder, 'report.json');
      await run(['-f', file, '--output-file', `json=${report}`]);
      for (const source of [folder, `${report},${file}`]) {
        const { stdout, stderr } = await run(['-f', source, '-o', 'json']);
        assert.deepEqual([(JSON.parse(stdout) as JsonReport).summary['objects'], (JSON.parse(stdout) as JsonReport).unreadable], [2, []]);
        assert.match(stderr, /note: written by kubectl win, without the objects themselves, left out: \S*report\.json/);
      }
      const alone = await run(['-f', report]);
      assert.equal(alone.exitCode, 2);
      assert.match(alone.stderr, /holds no Kubernetes objects[^]*written by kubectl win/);
    });

    it('names a file that is not there', async () => {
      const alone = await run(['-f', join(folder, 'nope.yaml')]);
      assert.equal(alone.exitCode, 2);
      assert.match(alone.stdout + alone.stderr, /nope\.yaml.*no such file/);
      assert.doesNotMatch(alone.stdout, /nope\.yaml:|place that is named/);
      const asTerminal = await run(['-f', join(folder, 'nope.yaml')], { isTerminal: true });
      assert.doesNotMatch(asTerminal.stdout, /nope\.yaml:|\| \^|place that is named/);
      const [finding] = jsonOf(await run(['-f', join(folder, 'nope.yaml'), '-o', 'json'])).findings;
      assert.deepEqual([finding?.rule, finding?.line], ['unreadable-document', null]);
      const others = (await Promise.all(['sarif', 'junit', 'github', 'markdown', 'html'].map((format) => run(['-f', join(folder, 'nope.yaml'), '-o', format])))).map(({ stdout }) => stdout).join('');
      assert.doesNotMatch(others, /nope\.yaml:|line=|startLine|<pre>/);
      assert.equal((await run(['-f', join(folder, 'nope.yaml'), '-f', file])).exitCode, 1);
    });

    it('takes a drive letter for a part of a path, no scheme of a URL (R128, R129)', async () => {
      const { stdout, stderr } = await run(['-f', 'd:/manifests/web.yaml']);
      assert.match(stdout + stderr, /d:\/manifests\/web\.yaml.*no such file/);
    });

    it('refuses files that hold nothing', async () => {
      await writeFile(file, '# nothing\n');
      const { exitCode, stdout, stderr } = await run(['-f', file]);
      assert.equal(exitCode, 2);
      assert.match(stdout + stderr, /holds no (?:Kubernetes )?objects/);
    });
  });

  describe('prints', () => {
    const formats: readonly [string, RegExp][] = [
      ['wide', /^SEVERITY +EFFECT.*REFERENCE/],
      ['yaml', /^apiVersion: kubectl-win\/v1alpha1\nkind: CheckReport\n/],
      ['name', /^deployment\.apps\/web\n$/],
      ['csv', /^SEVERITY,EFFECT,RULE,/],
      ['junit', /^<\?xml version="1\.0" encoding="UTF-8"\?>\n<testsuites name="kubectl win check" /],
      ['github', /^::error file=\S*web\.yaml,line=\d+,col=\d+,/],
      ['markdown', /privileged-on-windows/],
      ['html', /^<!DOCTYPE html>/i],
      ['jsonpath={.summary.errors}', /^2$/],
      ['jsonpath={range .findings[*]}{.rule}{"\\n"}{end}', /^privileged-on-windows\n/m],
      ['custom-columns=RULE:.rule,LINE:.line', /^RULE +LINE\n/],
    ];
    for (const [format, expected] of formats) {
      it(`-o ${format}`, async () => {
        const { stdout, exitCode } = await run(['-f', file, '-o', format]);
        assert.match(stdout, expected);
        assert.equal(exitCode, 1);
      });
    }

    it('-o json by its schema', async () => {
      const { stdout, stderr } = await run(['-f', file, '-o', 'json']);
      assertMatchesSchema('CheckReport', JSON.parse(stdout));
      assert.equal(stderr, '');
    });

    it('-o sarif with file, line and rules', async () => {
      const { stdout } = await run(['-f', file, '-o', 'sarif']);
      const sarif = JSON.parse(stdout) as { version: string; runs: readonly { tool: { driver: { rules: readonly { id: string }[] } }; results: readonly { ruleId: string; level: string }[] }[] };
      assert.equal(sarif.version, '2.1.0');
      assert.equal(sarif.runs[0]?.tool.driver.rules.length, RULES.length);
      assert.deepEqual(sarif.runs[0]?.results.filter(({ level }) => level === 'error').map(({ ruleId }) => ruleId).toSorted(), ['host-namespaces-on-windows', 'privileged-on-windows']);
    });

    it('several reports in one run, each into its file', async () => {
      const { stdout, exitCode } = await run(['-f', file, ...['sarif', 'json', 'junit', 'html'].flatMap((format) => ['--output-file', `${format}=${join(folder, `out.${format}`)}`])]);
      assert.match(stdout, /^SEVERITY/);
      assert.equal(exitCode, 1);
      assert.equal((JSON.parse(await text('out.json')) as JsonReport).kind, 'CheckReport');
      assert.match(await text('out.sarif'), /"version": "2\.1\.0"/);
      assert.match(await text('out.junit'), /^<\?xml/);
      assert.match(await text('out.html'), /^<!doctype html>/i);
    });

    for (const [title, name, argv] of [
      ['a manifest', 'web.yaml', (path: string) => ['-f', path]],
      ['a manifest under another name', 'link.yaml', () => ['-f', file]],
      ['a manifest of a folder', 'web.yaml', () => ['-f', folder]],
      ['an inventory', 'web.yaml', (path: string) => ['--inventory', path]],
    ] as const) {
      it(`refuses to write a report over ${title}`, async () => {
        const target = join(folder, name);
        if (target !== file) await link(file, target);
        const before = await readFile(file, 'utf8');
        const { exitCode, stderr, stdout } = await run([...argv(target), '--output-file', `json=${target}`]);
        assert.equal(exitCode, 2);
        assert.equal(stdout, '');
        assert.match(stderr, /^error: --output-file .* would replace .*, which is read\nname another file for the report\n/);
        assert.equal(await readFile(file, 'utf8'), before);
        if (target !== file) await rm(target);
      });
    }

    it('says which file it cannot write', async () => {
      const target = join(folder, 'missing', 'out.json');
      const { exitCode, stderr } = await run(['-f', file, '--output-file', `json=${target}`]);
      assert.equal(exitCode, 2);
      assert.ok(stderr.includes(target), stderr);
    });

    it('colours on terminals, and not with NO_COLOR', async () => {
      assert.ok((await run(['-f', file], { isTerminal: true })).stdout.includes(`${ESCAPE}[`));
      assert.ok(!(await run(['-f', file], { isTerminal: true, env: { HOME: '/nowhere', NO_COLOR: '1' } })).stdout.includes(ESCAPE));
      assert.ok(!(await run(['-f', file])).stdout.includes(ESCAPE));
    });

    it('the line of a finding with a caret on a terminal', async () => {
      const { stdout } = await run(['-f', file], { isTerminal: true, env: { HOME: '/nowhere', NO_COLOR: '1' } });
      assert.match(stdout, /hostPID: true\n.*\^/);
    });

    it('no escape sequence of a manifest', async () => {
      await writeFile(file, WEB.replace('name: web\n  namespace', 'name: "web\\e[31m"\n  namespace'));
      const { stdout, stderr } = await run(['-f', file], { isTerminal: true, env: { HOME: '/nowhere', NO_COLOR: '1' } });
      assert.ok(!stdout.includes(ESCAPE) && !stderr.includes(ESCAPE));
    });
  });

  describe('exit codes', () => {
    const cases: readonly [readonly string[], number][] = [
      [[], 1], [['--fail-on', 'none'], 0], [['--fail-on', 'warning'], 1], [['--skip', 'host-namespaces-on-windows,privileged-on-windows'], 0], [['--severity', 'host-namespaces-on-windows=info,privileged-on-windows=off'], 0],
      [['--rule', 'os-name-missing'], 0], [['--min-severity', 'error'], 1], [['--rule', 'nonsense'], 2], [['--nonsense'], 2],
    ];
    for (const [argv, code] of cases) {
      it(`${code} with ${argv.length === 0 ? 'an error' : argv.join(' ')}`, async () => {
        const { exitCode, stdout } = await run(['-f', file, ...argv]);
        assert.equal(exitCode, code);
        if (code === 2) assert.equal(stdout, '');
      });
    }
  });

  describe('--baseline', () => {
    it('counts only what is new', async () => {
      const baseline = join(folder, 'baseline.json');
      await run(['-f', file, '--output-file', `json=${baseline}`]);
      const same = await run(['-f', file, '--baseline', baseline, '-o', 'json']);
      assert.deepEqual([same.exitCode, jsonOf(same).findings], [0, []]);
      assert.ok(jsonOf(same).suppressed.length >= 2);
      // two lines further down, with one finding more
      await writeFile(file, `# one\n# two\n${WEB.replace('hostPID: true', 'hostPID: true\n      hostIPC: true')}`);
      const moved = await run(['-f', file, '--baseline', baseline, '-o', 'json']);
      assert.equal(moved.exitCode, 1);
      assert.deepEqual(jsonOf(moved).findings.map(({ rule }) => rule), ['host-namespaces-on-windows']);
    });

    it('takes a report with suppressed findings, also one that was itself made with a baseline', async () => {
      await writeFile(file, WEB.replace('  namespace: shop\nspec:', '  namespace: shop\n  annotations:\n    ignore.kubectl-win/privileged-on-windows: agreed\nspec:'));
      const [first, second] = [join(folder, 'first.json'), join(folder, 'second.json')];
      await run(['-f', file, '--output-file', `json=${first}`]);
      const again = await run(['-f', file, '--baseline', first, '--output-file', `json=${second}`]);
      assert.equal(again.exitCode, 0, again.stderr);
      const third = await run(['-f', file, '--baseline', second, '-o', 'json']);
      assert.deepEqual([third.exitCode, jsonOf(third).findings], [0, []]);
    });

    for (const [name, content, message] of [['another version', '{"apiVersion":"kubectl-win/v9","kind":"CheckReport","findings":[]}', /is a CheckReport of kubectl-win\/v9, and this kubectl win reads those of kubectl-win\/v1alpha1/], ['no JSON', '{', /is not JSON/], ['another document', '{"kind":"WindowsNodeList"}', /is no CheckReport/], ['none', null, /cannot be read/]] as const) {
      it(`refuses ${name}, with its name`, async () => {
        const baseline = join(folder, 'baseline.json');
        if (content !== null) await writeFile(baseline, content);
        const { exitCode, stdout, stderr } = await run(['-f', file, '--baseline', baseline]);
        assert.deepEqual([exitCode, stdout], [2, '']);
        assert.ok(stderr.includes(baseline), stderr);
        assert.match(stderr, message);
      });
    }
  });

  describe('--fix', () => {
    it('mends what is safe, says so, and a second run changes nothing', async () => {
      const first = await run(['-f', file, '--fix']);
      assert.equal(first.exitCode, 0, first.stderr);
      const mended = await text('web.yaml');
      assert.ok(!mended.includes('hostPID') && !mended.includes('privileged'));
      assert.ok(mended.startsWith("# the shop's front\n") && mended.includes('kubernetes.io/os: windows # the Windows pool'));
      assert.match(first.stderr, /^-\s+hostPID: true$/m);
      assert.match(first.stderr, /web\.yaml: 2 findings mended/);
      assert.doesNotMatch(first.stdout, /host-namespaces-on-windows/);
      const second = await run(['-f', file, '--fix']);
      assert.equal(second.exitCode, 0);
      assert.equal(await text('web.yaml'), mended);
      assert.doesNotMatch(second.stderr, /mended|hostPID/);
    });

    it('--dry-run prints the diff and writes nothing', async () => {
      const { stdout, stderr, exitCode } = await run(['-f', file, '--fix', '--dry-run']);
      assert.match(stdout, /^--- .*web\.yaml\n\+\+\+ .*web\.yaml\n@@ /);
      assert.match(stderr, /2 findings would be mended/);
      assert.deepEqual([exitCode, await text('web.yaml')], [1, WEB]);
    });

    it('=all mends what can change how a pod behaves, too', async () => {
      await writeFile(file, WEB.replace('      os: { name: windows }\n', '').replace('      hostPID: true\n', '').replace('            privileged: false # as the scanner asks\n', '            runAsUserName: ContainerUser\n').replace('        kubernetes.io/os', '        beta.kubernetes.io/os').replace('securityContext:\n            runAsUserName', 'securityContext:\n            windowsOptions:\n              runAsUserName'));
      const safe = await run(['-f', file, '--fix']);
      assert.match(safe.stderr, /left: mending it can change what a working pod does \(--fix=all does it\)/);
      const all = await run(['-f', file, '--fix=all']);
      assert.match(all.stderr, /mended/);
      const mended = await text('web.yaml');
      const again = await run(['-f', file, '--fix=all']);
      assert.doesNotMatch(again.stderr, /findings? mended/);
      assert.equal(await text('web.yaml'), mended);
    });

    it('says nothing of a fix that another one has to come before', async () => {
      const tight = WEB.replace('hostPID: true', 'hostPID: false').replace('privileged: false', 'readOnlyRootFilesystem: null').replace('limits: { memory: 2Gi }', 'limits: { memory: 200Mi }').replace('requests: { memory: 2Gi }', 'requests: { memory: 100Mi }');
      await writeFile(file, tight);
      const safe = await run(['-f', file, '--fix']);
      assert.match(safe.stderr, / left: mending (?:it|them) can change/);
      const dry = await run(['-f', file, '--fix=all', '--dry-run']);
      const all = await run(['-f', file, '--fix=all']);
      assert.doesNotMatch(dry.stderr + all.stderr, /not mended/);
      assert.match(await text('web.yaml'), /requests: \{ memory: 300Mi \}/);
    });

    it('counts one in the singular', async () => {
      await writeFile(file, 'apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec:\n  nodeSelector: { kubernetes.io/os: windows }\n  containers: [{ name: a, image: x/a:1-ltsc2022, resources: { limits: { memory: 2Gi }, requests: { memory: 2Gi } } }]\n');
      const { stderr } = await run(['-f', file, '--fix', '--rule', 'os-name-missing']);
      assert.match(stderr, /: 1 left: mending it can change what a working pod does/);
    });

    const SHARED = `apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: { name: a }
  spec: &s
    os: { name: windows }
    hostPID: true
    containers: [{ name: a, image: x/a:1-ltsc2022 }]
- apiVersion: v1
  kind: Pod
  metadata: { name: b }
  spec: *s
`;

    it('mends at its anchor what all want that share it, else says once who does not, and offers it no more', async () => {
      const rule = ['--rule', 'host-namespaces-on-windows'];
      await writeFile(file, SHARED);
      const both = await run(['-f', file, '--fix', ...rule]);
      assert.match(both.stderr, /web\.yaml: 2 findings mended/);
      assert.equal(await text('web.yaml'), SHARED.replace('    hostPID: true\n', ''));
      const other = '- apiVersion: v1\n  kind: Pod\n  metadata: { name: c }\n  spec:\n    os: { name: windows }\n    hostIPC: true\n    containers: [{ name: a, image: x/a:1-ltsc2022 }]\n';
      const kept = SHARED.replace('{ name: b }', '{ name: b, annotations: { ignore.kubectl-win/host-namespaces-on-windows: wanted } }');
      await writeFile(file, kept + other);
      const one = await run(['-f', file, '--fix', ...rule]);
      assert.equal(await text('web.yaml'), kept + other.replace('    hostIPC: true\n', ''));
      assert.equal(one.stderr.split('not mended').length, 2, one.stderr);
      assert.match(one.stderr, /web\.yaml: host-namespaces-on-windows at spec\.hostPID of pod\/a not mended: the value is shared through the anchor &s, and the change is not wanted at items\[1\]\.spec\n/);
      assert.doesNotMatch(one.stderr, /can be fixed by --fix/);
      assert.equal(one.exitCode, 1);
    });

    it('says of a file with other names that they keep the old text, as with sed -i', async () => {
      await link(file, join(folder, 'other.yaml.kept'));
      const { stderr } = await run(['-f', file, '--fix']);
      assert.match(stderr, /web\.yaml: is a file of its own now: another name of the old one \(a hard link\) has the old text still\n/);
      assert.deepEqual([(await text('web.yaml')).includes('hostPID'), await text('other.yaml.kept')], [false, WEB]);
    });

    it('leaves broken files alone and mends the others', async () => {
      await writeFile(join(folder, 'broken.yaml'), BROKEN);
      const { exitCode } = await run(['-f', folder, '--fix']);
      assert.equal(exitCode, 1);
      assert.deepEqual([await text('broken.yaml'), (await text('web.yaml')).includes('hostPID')], [BROKEN, false]);
    });

    it('writes the report of what is left', async () => {
      const out = join(folder, 'out.json');
      await run(['-f', file, '--fix', '--output-file', `json=${out}`]);
      assert.equal((JSON.parse(await text('out.json')) as JsonReport).summary['errors'], 0);
    });
  });

  describe('suppression and configuration', () => {
    it('counts what an annotation suppresses', async () => {
      await writeFile(file, WEB.replace('  namespace: shop\nspec:', '  namespace: shop\n  annotations:\n    ignore.kubectl-win/host-namespaces-on-windows: "until 2027-01-31: agreed"\n    ignore.kubectl-win/privileged-on-windows: "until 2026-01-31: over"\nspec:'));
      const report = await run(['-f', file, '-o', 'json']);
      assert.equal(jsonOf(report).summary['suppressed'], 1);
      assert.ok(report.stdout.includes('suppressed this until 2026-01-31'));
    });

    it('names what an annotation asks to ignore though no rule is called so', async () => {
      const annotations = (names: readonly string[]): string => WEB.replace('  namespace: shop\nspec:', `  namespace: shop\n  annotations:\n${names.map((name) => `    ignore.kubectl-win/${name}: agreed\n`).join('')}spec:`);
      await writeFile(file, annotations(['os-name-mising', 'sec-04', 'zzz', 'privileged-on-windows']));
      const { stderr } = await run(['-f', file, '--rule', 'os-name-missing']);
      const notes = stderr.split('\n').filter((line) => line.startsWith('note: the annotation'));
      const of = 'of deployment/web in namespace shop suppresses nothing, for no rule has this id or number;';
      assert.equal(notes[0], `note: the annotation ignore.kubectl-win/os-name-mising ${of} did you mean os-name-missing?`);
      assert.match(notes[1] ?? '', /sec-04 .* did you mean SEC-0\d\d\?$/);
      assert.equal(notes[2], `note: the annotation ignore.kubectl-win/zzz ${of} kubectl win check --list shows all`);
      // a rule that is not asked for is a rule
      assert.equal(notes.length, 3);
    });

    it('names file and line of a rule in the configuration that does not exist', async () => {
      const config = join(folder, 'config.yaml.txt');
      await writeFile(config, 'check:\n  skip: [privileged]\n');
      const { exitCode, stderr } = await run(['-f', file], { env: { KUBECTL_WIN_CONFIG: config } });
      assert.equal(exitCode, 2);
      assert.ok(stderr.includes(`${config}:2: check.skip: no rule has the id or number "privileged"`), stderr);
    });
  });

  describe('--list and --explain', () => {
    it('list every rule, without a cluster', async () => {
      const { stdout, exitCode, readerOptions } = await run(['--list', '-o', 'name']);
      assert.deepEqual([exitCode, readerOptions], [0, []]);
      assert.equal(stdout.trim().split('\n').length, RULES.length);
    });

    it('explains a rule by id and by number', async () => {
      const { stdout, exitCode } = await run(['--explain', 'os-name-missing']);
      assert.equal(exitCode, 0);
      assert.match(stdout, /os-name-missing/);
      assert.equal((await run(['--explain', 'OS-NAME-MISSING'])).stdout, stdout);
    });

    it('list those of --rule, without those of --skip', async () => {
      const ids = async (argv: readonly string[]): Promise<readonly string[]> => (await run(['--list', '-o', 'name', ...argv])).stdout.trim().split('\n');
      assert.deepEqual(await ids(['--rule', 'os-name-missing']), ['os-name-missing']);
      assert.equal((await ids(['--skip', 'os-name-missing'])).length, RULES.length - 1);
      assert.match((await run(['--list', '--rule', 'os-name-mising'])).stderr, /"--rule" flag: no rule has this id or number\ndid you mean os-name-missing\?/);
    });

    it('are not told beside objects, which nobody would check', async () => {
      for (const argv of [['--list', 'pods'], ['--explain', 'os-name-missing', 'deploy/web'], ['--list', '-f', file]]) {
        const { exitCode, stdout, stderr } = await run(argv);
        assert.deepEqual([exitCode, stdout], [2, ''], argv.join(' '));
        assert.match(stderr, /checks nothing: it cannot be used with (?:resource arguments|-f)/);
      }
    });

    it('refuses a rule that does not exist, and a format that is for findings', async () => {
      const { exitCode, stderr } = await run(['--explain', 'os-name-mising']);
      assert.equal(exitCode, 2);
      assert.match(stderr, /did you mean os-name-missing\?/);
      assert.equal((await run(['--list', '-o', 'sarif'])).exitCode, 2);
    });
  });

  describe('on a cluster', () => {
    it('judges the sample that comes with the program', async () => {
      const { stdout, stderr, exitCode } = await run(['--inventory', SAMPLE, '-o', 'json']);
      assert.equal(exitCode, 1, stderr);
      const report = jsonOf({ stdout } as RunResult);
      assert.ok((report.summary['windowsWorkloads'] ?? 0) > 50);
      assert.ok(new Set(report.findings.map(({ rule }) => rule)).size > 15);
      assertMatchesSchema('CheckReport', report);
    });

    it('says what may not be read, and judges the rest', async () => {
      const deployment: KubeObject = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'default' }, spec: { template: { metadata: {}, spec: { os: { name: 'windows' }, hostPID: true, containers: [{ name: 'web', image: 'a:1' }] } } } };
      const { stdout, stderr, exitCode } = await run([], { reader: fakeCluster({ objects: { deployments: [deployment] }, errors: { 'list nodes': forbidden('list', 'nodes') } }) });
      assert.equal(exitCode, 1);
      assert.match(stdout, /host-namespaces-on-windows/);
      assert.match(stdout, /kubectl patch|MESSAGE/);
      assert.match(stderr, /note: not allowed to list nodes: what needs them was not evaluated/);
      assert.match(stderr, /nodes not known/);
    });

    it('goes on without custom resources whose webhook does not work, and ends for the same of its own', async () => {
      const broken = new ClusterError('Error from server (InternalError): conversion webhook failed', { reason: 'InternalError', status: 500 });
      const nodes = { nodes: [rawNode('win-a')] };
      const { stderr, exitCode } = await run([], { reader: fakeCluster({ objects: nodes, errors: { 'list gmsacredentialspecs': broken } }) });
      assert.equal(exitCode, 0);
      assert.match(stderr, /note: gmsacredentialspecs\.windows\.k8s\.io could not be listed: Error from server \(InternalError\): conversion webhook failed/);
      assert.equal((await run([], { reader: fakeCluster({ objects: nodes, errors: { 'list deployments': broken } }) })).exitCode, 3);
    });

    it('exits with 3 where the cluster refuses everything', async () => {
      const every = ['nodes', 'namespaces', 'runtimeclasses', 'storageclasses', 'persistentvolumes', 'persistentvolumeclaims', 'csinodes', 'daemonsets', 'serviceaccounts', 'customresourcedefinitions', 'gmsacredentialspecs',
        'pods', 'events', 'deployments', 'statefulsets', 'cronjobs', 'jobs', 'replicationcontrollers', 'podtemplates', 'replicasets', 'services', 'networkpolicies'];
      const { exitCode, stdout, stderr } = await run([], { reader: fakeCluster({ errors: Object.fromEntries(every.map((resource) => [`list ${resource}`, forbidden('list', resource)])) }) });
      assert.deepEqual([exitCode, stdout], [3, '']);
      assert.match(stderr, /^Error from server \(Forbidden\): /);
    });
  });

  it('names a fault once that pods have for different reasons', async () => {
    await writeFile(file, ['web', 'more'].map((name) => WEB.replaceAll('name: web', `name: ${name}`).replace('      os: { name: windows }\n', '').replace('hostPID: true', name === 'web' ? 'hostPID: false' : 'securityContext: { windowsOptions: { runAsUserName: ContainerUser } }')).join('---\n'));
    const { stdout } = await run(['-f', file, '--rule', 'os-name-missing', '--group-by', 'rule'], { isTerminal: true });
    assert.equal(stdout.match(/os-name-missing/g)?.length, 1);
    assert.equal(stdout.match(/the pod is for Windows/g)?.length, 1, stdout);
    const report = jsonOf(await run(['-f', file, '--rule', 'os-name-missing', '-o', 'json']));
    assert.ok(report.findings.every(({ evidence }) => evidence.length > 0));
  });

  it('judges what is there of the objects that are named, and then says which are not', async () => {
    const web = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web', namespace: 'default' }, spec: { template: { metadata: {}, spec: { os: { name: 'windows' }, hostPID: true, containers: [{ name: 'web', image: 'x' }] } } } };
    const reader = (): ReturnType<typeof fakeCluster> => fakeCluster({ objects: { deployments: [web] } });
    const some = await run(['ds/missing', 'deploy/web', 'deploy/gone', '-o', 'json'], { reader: reader() });
    assert.equal(some.exitCode, 3);
    assert.ok(jsonOf(some).findings.some(({ object }) => object.name === 'web'));
    assert.match(some.stderr, /"missing" not found\n[^]*"gone" not found\n/);
    const none = await run(['deploy/gone', 'ds/missing'], { reader: reader() });
    assert.deepEqual([none.exitCode, none.stdout, none.stderr.match(/not found/g)?.length], [3, '', 2]);
  });

  it('takes the short names that the server has', async () => {
    const rollouts = { group: 'argoproj.io', version: 'v1alpha1', plural: 'rollouts', kind: 'Rollout', namespaced: true, shortNames: ['ro'] };
    const reader = fakeCluster({ resources: [rollouts], objects: { rollouts: [{ apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'web', namespace: 'default' }, spec: { template: { metadata: {}, spec: { os: { name: 'windows' }, hostPID: true, containers: [{ name: 'web', image: 'x' }] } } } }] } });
    assert.ok(jsonOf(await run(['ro', '-o', 'json'], { reader })).findings.some(({ object }) => object.kind === 'Rollout'));
  });

  it('says what a mistyped type may have meant, and where nodes are judged', async () => {
    const refused = async (type: string): Promise<string> => {
      const { exitCode, stderr } = await runCommand(['check', type, '--inventory', SAMPLE]);
      assert.equal(exitCode, 2, stderr);
      return stderr;
    };
    assert.match(await refused('depoy/web'), /resource type "depoy"\ndid you mean deploy\?\n/);
    assert.doesNotMatch(await refused('cm'), /did you mean/);
    assert.match(await refused('nodes'), /kubectl win nodes --show-issues/);
  });
});
