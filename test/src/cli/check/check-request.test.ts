import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Check from '../../../../commands/check.ts';
import { readCheckRequest, ruleToExplain, type CheckRequest } from '../../../../src/cli/check/check-request.ts';
import { RULES } from '../../../../src/domain/check/rules/index.ts';
import { fakeCluster } from '../../../support/fake-cluster.ts';
import { runCommand, type RunResult } from '../../../support/run-command.ts';

interface Probed extends RunResult {
  readonly request: CheckRequest | null;
}

/** The request that a command line becomes, read by the command's own parser. */
async function probe(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Probed> {
  let request: CheckRequest | null = null;
  class Probe extends Check {
    override async run(): Promise<number> {
      request = readCheckRequest(this.words, this.flags, (await this.settings()).check, await this.formatFile());
      return 0;
    }
  }
  const result = await runCommand(['check', ...argv], { commands: { check: Probe as never }, reader: fakeCluster(), env: { HOME: '/nowhere', ...env } });
  return { ...result, request };
}

async function requestOf(...argv: string[]): Promise<CheckRequest> {
  const { request, stderr } = await probe(argv);
  assert.ok(request !== null, stderr);
  return request;
}

/** What is printed for a command line that is refused. */
async function refusalOf(...argv: string[]): Promise<string> {
  const { request, stderr, stdout, exitCode } = await probe(argv);
  assert.ok(request === null, 'it was not refused');
  assert.deepEqual([stdout, exitCode], ['', 2], stderr);
  return stderr;
}

const ids = ({ selected }: CheckRequest): readonly string[] => selected.rules.map(({ id }) => id);

describe('readCheckRequest', () => {
  it('without anything: all rules on the namespace of the context, as a table, errors fail', async () => {
    const { selected, ...rest } = await requestOf();
    assert.deepEqual(rest, {
      format: { name: 'table' }, outputFiles: [], scope: { namespace: undefined, labelSelector: undefined, targets: [], customResources: 'known' }, minSeverity: 'info', failOn: 'error',
      kubernetesVersion: undefined, assumedReleases: [], fix: null,
    });
    assert.equal(selected.rules.length, RULES.length);
    assert.equal(selected.severities.size, 0);
  });

  const scopes: readonly [readonly string[], Partial<CheckRequest['scope']>][] = [
    [['-n', 'shop'], { namespace: 'shop' }],
    [['-n', ''], { namespace: undefined }],
    [['-A'], { namespace: null }],
    [['-A', '-n', 'shop'], { namespace: null }],
    [['-l', 'app=web'], { labelSelector: 'app=web' }],
    [['--custom-resources', 'all'], { customResources: 'all' }],
    [['deploy'], { targets: [{ type: 'deploy', name: null }] }],
    [['deploy,sts'], { targets: [{ type: 'deploy', name: null }, { type: 'sts', name: null }] }],
    [['deploy', 'web', 'api'], { targets: [{ type: 'deploy', name: 'web' }, { type: 'deploy', name: 'api' }] }],
    [['deploy/web', 'sts/db'], { targets: [{ type: 'deploy', name: 'web' }, { type: 'sts', name: 'db' }] }],
    [['rollouts.argoproj.io/web'], { targets: [{ type: 'rollouts.argoproj.io', name: 'web' }] }],
    [['deploy', '-l', 'app=web', '-A'], { targets: [{ type: 'deploy', name: null }], labelSelector: 'app=web', namespace: null }],
  ];
  for (const [argv, expected] of scopes) {
    it(`reads ${argv.join(' ')}`, async () => {
      assert.deepEqual((await requestOf(...argv)).scope, { namespace: undefined, labelSelector: undefined, targets: [], customResources: 'known', ...expected });
    });
  }

  it('selects rules by id and number, in commas and repeated', async () => {
    assert.deepEqual(ids(await requestOf('--rule', 'os-name-missing,image-build-mismatch', '--rule=os-name-missing')), RULES.map(({ id }) => id).filter((id) => id === 'os-name-missing' || id === 'image-build-mismatch'));
    const [number = ''] = RULES[0]?.facts ?? [];
    assert.ok(!ids(await requestOf('--skip', number.toLowerCase())).includes(RULES[0]?.id ?? ''));
  });

  it('reads severities, of which off leaves a rule out', async () => {
    const request = await requestOf('--severity', 'os-name-missing=error,image-build-mismatch=off');
    assert.deepEqual([...request.selected.severities], [['os-name-missing', 'error']]);
    assert.ok(!ids(request).includes('image-build-mismatch'));
  });

  it('reads releases in any case, in commas and repeated', async () => {
    assert.deepEqual((await requestOf('--windows', 'LTSC2022,23h2', '--windows=ltsc2025')).assumedReleases, ['ltsc2022', '23H2', 'ltsc2025']);
  });

  it('reads the version of Kubernetes', async () => {
    assert.equal((await requestOf('--kubernetes-version', '1.34')).kubernetesVersion, 'v1.34');
  });

  it('reads output files in every format of reports', async () => {
    assert.deepEqual((await requestOf('--output-file=sarif=a=b.sarif', '--output-file', 'json=x.json')).outputFiles, [{ format: { name: 'sarif' }, file: 'a=b.sarif' }, { format: { name: 'json' }, file: 'x.json' }]);
  });

  it('reads --fix, alone and with a word, and with --dry-run in all its spellings', async () => {
    const fixOf = async (...argv: string[]): Promise<unknown> => (await requestOf('-f', 'x.yaml', ...argv)).fix;
    assert.deepEqual(await fixOf('--fix'), { includeUnsafe: false, isDryRun: false });
    assert.deepEqual(await fixOf('--fix=all'), { includeUnsafe: true, isDryRun: false });
    assert.deepEqual(await fixOf('--fix=safe', '--dry-run'), { includeUnsafe: false, isDryRun: true });
    assert.deepEqual(await fixOf('--fix', '--dry-run=client'), { includeUnsafe: false, isDryRun: true });
    assert.deepEqual(await fixOf('--fix', '--dry-run=none'), { includeUnsafe: false, isDryRun: false });
    assert.equal((await requestOf('--dry-run=none')).fix, null);
  });

  // what is typed, and the sentence of the refusal
  const refused: readonly [string, RegExp][] = [
    ['-k overlays/prod', /-k is not supported: this program does not render kustomizations[^]*kubectl kustomize overlays\/prod \| kubectl win check -f -/],
    ['-f x.yaml deploy', /when paths, URLs, or stdin is provided as resource input, you may not specify resource arguments as well/],
    ['-f x.yaml -l app=web', /-l selects objects of a cluster; it cannot be used with -f/],
    ['-f x.yaml -A', /-A is for objects of a cluster; it cannot be used with -f/],
    ['-R', /-R needs a folder in -f/],
    ['--live', /--live says what the manifests of -f are judged against/],
    ['-f x.yaml --live --inventory y.json', /--live and --inventory cannot be used together/],
    ['-f x.yaml --save y.json', /--save needs a cluster to save from/],
    ['--inventory y.json --save z.json', /--save and --inventory cannot be used together/],
    ['--fix', /--fix mends files; give them with -f[^]*kubectl patch/],
    ['-f x.yaml --fix --dry-run -o json', /--fix --dry-run prints a diff; it cannot be used with -o/],
    ['-f x.yaml --fix --dry-run --output-file json=y.json', /--fix --dry-run prints a diff; it writes no report/],
    ['-f - --fix', /--fix cannot mend standard input/],
    ['-f x.yaml --dry-run', /--dry-run is for --fix: without it nothing is changed anyway/],
    ['-f - --inventory -', /standard input is read once/],
    ['deploy/web -l app=web', /selectors and the all flag cannot be used when passing resource\/name arguments/],
    ['deploy web -l app=web', /name cannot be provided when a selector is specified/],
    ['deploy/web -A', /a resource cannot be retrieved by name across all namespaces/],
    ['deploy web -A', /a resource cannot be retrieved by name across all namespaces/],
    ['deploy/web/x', /arguments in resource\/name form may not have more than one slash/],
    ['deploy/ web', /there is no need to specify a resource type as a separate argument when passing arguments in resource\/name form \(e\.g\. 'kubectl win check deploy\/<resource_name>' instead of 'kubectl win check deploy\/ web'\)?/],
    ['deploy sts/db', /there is no need to specify a resource type as a separate argument/],
    ['--rule os-name-mising', /invalid argument "os-name-mising" for "--rule" flag: no rule has this id or number[^]*did you mean os-name-missing\?[^]*kubectl win check --list/],
    ['--skip SEC-0044', /invalid argument "SEC-0044" for "--skip" flag[^]*did you mean SEC-004\?/],
    ['--severity nothing-like-it=error', /invalid argument "nothing-like-it" for "--severity" flag: no rule has this id or number/],
    ['--severity os-name-missing=fatal', /invalid argument "os-name-missing=fatal" for "--severity" flag: must be RULE=error\|warning\|info\|off/],
    ['--severity os-name-missing', /must be RULE=error\|warning\|info\|off/],
    ['--severity =error', /must be RULE=error\|warning\|info\|off/],
    ['--rule os-name-missing --skip os-name-missing', /no rule is left to run: what --rule names is skipped/],
    ['--windows ltsc2202', /invalid argument "ltsc2202" for "--windows" flag: no Windows release has this name[^]*did you mean ltsc2022\?[^]*valid: /],
    ['--kubernetes-version new', /invalid argument "new" for "--kubernetes-version" flag/],
    ['--output-file sarif', /invalid argument "sarif" for "--output-file" flag: must be FORMAT=FILE/],
    ['--output-file sarif=', /must be FORMAT=FILE/],
    ['--output-file =x', /must be FORMAT=FILE/],
    ['--output-file docx=x', /docx/],
    ['--output-file jsonpath={.kind}=x', /jsonpath|must be/],
    ['--output-file json=x.json --output-file yaml=x.json', /--output-file names x\.json twice/],
    ['-o docx', /docx/],
    ['--images remote', /images/],
    ['--min-severity fatal', /min-severity/],
    ['--fail-on never', /fail-on/],
    ['--fix=unsafe -f x.yaml', /fix/],
    ['--custom-resources some', /custom-resources/],
  ];
  for (const [line, message] of refused) {
    it(`refuses ${line}`, async () => {
      assert.match(await refusalOf(...line.split(' ')), message);
    });
  }

  describe('with settings', () => {
    let folder: string;
    let file: string;
    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'kubectl-win-check-'));
      file = join(folder, 'config.yaml');
    });
    afterEach(() => rm(folder, { recursive: true, force: true }));

    const settings = async (text: string, ...argv: string[]): Promise<Probed> => {
      await writeFile(file, text);
      return probe(argv, { KUBECTL_WIN_CONFIG: file });
    };

    it('skips and grades as the file says', async () => {
      const { request } = await settings('check:\n  skip: [os-name-missing]\n  severity: { image-build-mismatch: info }\n');
      assert.ok(request !== null && !ids(request).includes('os-name-missing'));
      assert.deepEqual([...request.selected.severities], [['image-build-mismatch', 'info']]);
    });

    it('lets flags beat the file', async () => {
      const { request } = await settings('check:\n  severity: { image-build-mismatch: off }\n', '--severity', 'image-build-mismatch=warning');
      assert.ok(request !== null && ids(request).includes('image-build-mismatch'));
      assert.deepEqual([...request.selected.severities], [['image-build-mismatch', 'warning']]);
    });

    it('lets flags beat the file also where one has the id and the other a number', async () => {
      const rule = RULES.find(({ id, facts }) => facts.some((fact) => RULES.filter((other) => other.facts.includes(fact)).length === 1) && id !== 'os-name-missing') ?? assert.fail();
      const number = rule.facts.find((fact) => RULES.filter((other) => other.facts.includes(fact)).length === 1) ?? '';
      const { request } = await settings(`check:\n  severity: { ${number}: off }\n`, '--severity', `${rule.id}=warning`);
      assert.ok(request !== null && ids(request).includes(rule.id));
    });

    it('runs a rule that is named on the command line, though the file skips it', async () => {
      const { request } = await settings('check:\n  skip: [os-name-missing]\n', '--rule', 'os-name-missing');
      assert.ok(request !== null);
      assert.deepEqual(ids(request), ['os-name-missing']);
    });

    for (const [name, text, place] of [
      ['skip', 'check:\n  skip:\n    - sysctls\n    - os-name-mising\n', ':4: check.skip'],
      ['severity', 'poolLabels: []\ncheck:\n  severity:\n    os-name-mising: info\n', ':4: check.severity'],
    ] as const) {
      it(`names file, line and field of a rule that does not exist in ${name}`, async () => {
        const { request, stderr, exitCode } = await settings(text.replace('sysctls', 'image-build-mismatch'));
        assert.deepEqual([request === null, exitCode], [true, 2]);
        assert.ok(stderr.includes(`${file}${place}: no rule has the id or number "os-name-mising"`), stderr);
        assert.match(stderr, /did you mean os-name-missing\?/);
      });
    }

    it('blames the flag for a word that stands in both', async () => {
      assert.match((await settings('check:\n  skip: [nonsense]\n', '--skip', 'nonsense')).stderr, /invalid argument "nonsense" for "--skip" flag/);
    });
  });
});

describe('ruleToExplain', () => {
  it('finds a rule by id, in any case, and by a number that one rule has', () => {
    assert.equal(ruleToExplain('OS-Name-Missing').id, 'os-name-missing');
  });

  it('names the rules of a number that several have', () => {
    const shared = RULES.flatMap(({ facts }) => facts).find((fact, _, all) => all.filter((other) => other === fact).length > 1) ?? assert.fail();
    assert.throws(() => ruleToExplain(shared), { name: 'UsageError', message: `${shared} is the number of several rules` });
  });

  it('refuses what no rule has, with a guess', () => {
    assert.throws(() => ruleToExplain('os-name-mising'), { name: 'UsageError', message: 'invalid argument "os-name-mising" for "--explain" flag: no rule has this id or number', suggestions: ['did you mean os-name-missing?', 'kubectl win check --list shows all'] });
  });
});
