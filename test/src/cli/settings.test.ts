import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadSettings } from '../../../src/cli/settings.ts';
import { InputError } from '../../../src/errors.ts';

const NOTHING = { poolLabels: [], lifecycle: {}, check: { skip: [], severity: {}, source: null }, images: null, registries: {}, hostProcess: { image: null, pullSecrets: [], namespace: null, confirmAbove: 5 } };

describe('loadSettings', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'kubectl-win-settings-'));
    file = join(folder, 'config.yaml');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is empty without a file', async () => {
    assert.deepEqual(await loadSettings({ HOME: folder }), NOTHING);
  });

  it('reads ~/.kube/kubectl-win.yaml', async () => {
    await mkdir(join(folder, '.kube'));
    await writeFile(join(folder, '.kube', 'kubectl-win.yaml'), 'poolLabels: [example.com/pool]\n');
    assert.deepEqual((await loadSettings({ HOME: folder })).poolLabels, ['example.com/pool']);
  });

  it('reads every field', async () => {
    await writeFile(file, [
      '# dates of our support contract',
      'poolLabels:',
      '  - example.com/pool',
      'lifecycle:',
      '  releases:',
      '    ltsc2019: { extendedEnd: 2032-01-09 }',
      '  providers:',
      '    aks:',
      '      ltsc2022: { end: null, lastKubernetes: "1.40" }',
      '  containerd:',
      '    1.7: 2027-03-31',
      'check:',
      '  skip: [sysctls, SEC-004]',
      '  severity:',
      '    os-name-missing: off',
      '    IMG-001: warning',
      'images: registry',
      'registries:',
      '  docker.io: { mirrors: ["harbor.example/dockerhub", "http://cache.example:5000"] }',
      '  "registry.example:5000": { plainHTTP: true }',
      '  secure.example: { certificateAuthority: ca.pem, insecureSkipTLSVerify: false }',
      'hostProcess:',
      '  image: harbor.example/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0',
      '  pullSecrets: [harbor]',
      '  namespace: kubectl-win',
      '  confirmAbove: 0',
      '',
    ].join('\n'));
    assert.deepEqual(await loadSettings({ KUBECTL_WIN_CONFIG: file }), {
      poolLabels: ['example.com/pool'],
      lifecycle: {
        releases: { ltsc2019: { extendedEnd: '2032-01-09' } },
        providers: { aks: { ltsc2022: { end: null, lastKubernetes: '1.40' } } },
        containerd: { '1.7': '2027-03-31' },
      },
      check: {
        skip: ['sysctls', 'SEC-004'], severity: { 'os-name-missing': 'off', 'IMG-001': 'warning' },
        source: { file, lines: { 'skip.sysctls': 13, 'skip.SEC-004': 13, 'severity.os-name-missing': 15, 'severity.IMG-001': 16 } },
      },
      images: 'registry',
      registries: {
        'docker.io': { mirrors: ['harbor.example/dockerhub', 'http://cache.example:5000'] },
        'registry.example:5000': { plainHTTP: true },
        'secure.example': { certificateAuthority: join(folder, 'ca.pem'), insecureSkipTLSVerify: false },
      },
      hostProcess: { image: 'harbor.example/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', pullSecrets: ['harbor'], namespace: 'kubectl-win', confirmAbove: 0 },
    });
  });

  it('takes a containerd line that is newer than the tables', async () => {
    await writeFile(file, 'lifecycle:\n  containerd:\n    "2.10": 2030-01-01\n    2.9: 2029-01-01\n');
    assert.deepEqual((await loadSettings({ KUBECTL_WIN_CONFIG: file })).lifecycle.containerd, { '2.10': '2030-01-01', '2.9': '2029-01-01' });
  });

  it('lets the environment beat the file', async () => {
    await writeFile(file, 'poolLabels: [from-file]\n');
    assert.deepEqual((await loadSettings({ KUBECTL_WIN_CONFIG: file, KUBECTL_WIN_POOL_LABELS: 'a, b,' })).poolLabels, ['a', 'b']);
  });

  it('takes --images from the environment first, and refuses what is none', async () => {
    await writeFile(file, 'images: off\n');
    assert.equal((await loadSettings({ KUBECTL_WIN_CONFIG: file })).images, 'off');
    assert.equal((await loadSettings({ KUBECTL_WIN_CONFIG: file, KUBECTL_WIN_IMAGES: 'tags' })).images, 'tags');
    await assert.rejects(loadSettings({ KUBECTL_WIN_CONFIG: file, KUBECTL_WIN_IMAGES: 'tag' }), { name: 'UsageError', message: /KUBECTL_WIN_IMAGES is "tag", and has to be one of auto, registry, tags, off/ });
  });

  it('takes the image of HostProcess pods from the environment first, and refuses what is none', async () => {
    await writeFile(file, 'hostProcess: { image: from.example/file:v1 }\n');
    assert.equal((await loadSettings({ KUBECTL_WIN_CONFIG: file })).hostProcess.image, 'from.example/file:v1');
    assert.equal((await loadSettings({ KUBECTL_WIN_CONFIG: file, KUBECTL_WIN_HOSTPROCESS_IMAGE: 'from.example/env:v1' })).hostProcess.image, 'from.example/env:v1');
    await assert.rejects(loadSettings({ KUBECTL_WIN_CONFIG: file, KUBECTL_WIN_HOSTPROCESS_IMAGE: 'A B' }), { name: 'UsageError', message: /KUBECTL_WIN_HOSTPROCESS_IMAGE is "A B"/ });
  });

  it('takes a file with comments alone for an empty one', async () => {
    await writeFile(file, '# nothing yet\n');
    assert.deepEqual(await loadSettings({ KUBECTL_WIN_CONFIG: file }), NOTHING);
  });

  const refused: readonly [string, string, number | null, string, string?][] = [
    ['an unknown field', 'poolLabels: []\npoolLabel: x\n', 2, 'poolLabel: unknown field', 'Did you mean poolLabels?'],
    ['an unknown field far from any other', 'frobnicate: 1\n', 1, 'frobnicate: unknown field', 'Known fields: poolLabels, check, images, registries, hostProcess, lifecycle'],
    ['an unknown field deep inside', 'lifecycle:\n  releases:\n    ltsc2019:\n      extendetEnd: 2030-01-01\n', 4, 'lifecycle.releases.ltsc2019.extendetEnd: unknown field', 'Did you mean extendedEnd?'],
    ['an unknown release of a provider', 'lifecycle:\n  providers:\n    aks:\n      2022: { end: null }\n', 4, 'lifecycle.providers.aks.2022: unknown name', 'Did you mean ltsc2022?'],
    ['an unknown containerd line', 'lifecycle:\n  containerd:\n    1.77: 2030-01-01\n', 3, 'lifecycle.containerd.1.77: unknown name'],
    ['a containerd version that is no line', 'lifecycle:\n  containerd:\n    "2.9.1": 2030-01-01\n', 3, 'lifecycle.containerd.2.9.1: unknown name'],
    ['a day that does not exist', 'lifecycle:\n  releases:\n    ltsc2019: { extendedEnd: 2030-02-30 }\n', 3, 'lifecycle.releases.ltsc2019.extendedEnd: "2030-02-30" is no day: write it as YYYY-MM-DD'],
    ['null where a day must stand', 'lifecycle:\n  releases:\n    ltsc2019:\n      mainstreamEnd: null\n', 4, 'lifecycle.releases.ltsc2019.mainstreamEnd: null is no day: write it as YYYY-MM-DD'],
    ['a version that YAML read as a number', 'lifecycle:\n  providers:\n    aks:\n      ltsc2022:\n        lastKubernetes: 1.30\n', 5, 'lifecycle.providers.aks.ltsc2022.lastKubernetes: 1.3 is no Kubernetes minor version: write it in quotes, as "1.34"'],
    ['a text where a list must stand', 'poolLabels: agentpool\n', 1, 'poolLabels: must be a list of texts'],
    ['a release that does not exist', 'lifecycle:\n  releases:\n    ltsc2091: { extendedEnd: 2032-01-09 }\n', 3, 'lifecycle.releases.ltsc2091: unknown name', 'Did you mean ltsc2019?'],
    ['a provider that does not exist', 'lifecycle:\n  providers:\n    azurestack: {}\n', 3, 'lifecycle.providers.azurestack: unknown name', 'Known names: aks, aks-engine, eks, gke, openshift, rke2, k3s, capi, kubeadm, aws, azure, gcp, vsphere'],
    ['a containerd line that is read as a number', 'lifecycle:\n  containerd:\n    2.10: 2032-01-09\n', 3, 'lifecycle.containerd.2.10: write the key in quotes: without them it is read as a number'],
    ['a list where a map must stand', 'lifecycle: []\n', 1, 'lifecycle: must be a map'],
    ['an unknown field of check', 'check:\n  skipped: [a]\n', 2, 'check.skipped: unknown field', 'Known fields: skip, severity'],
    ['a text where a list of rules must stand', 'check:\n  skip: sysctls\n', 2, 'check.skip: must be a list of texts'],
    ['a severity that is none', 'check:\n  severity:\n    sysctls: fatal\n', 3, 'check.severity.sysctls: "fatal" is no severity: error, warning, info or off'],
    ['a severity that is false', 'check:\n  severity:\n    sysctls: false\n', 3, 'check.severity.sysctls: false is no severity: error, warning, info or off'],
    ['a list of severities', 'check:\n  severity: [sysctls]\n', 2, 'check.severity: must be a map'],
    ['a value of --images that is none', 'images: yes\n', 1, 'images: "yes" is none of auto, registry, tags, off'],
    ['a registry that is none', 'registries:\n  "https://x.example": {}\n', 2, 'registries.https://x.example: unknown name', 'write it as in image names: HOST[:PORT], without a scheme or wildcard; Docker Hub is docker.io'],
    ['a registry with a wildcard', 'registries:\n  x.example: {}\n  "*.example.com": {}\n', 3, 'registries.*.example.com: unknown name', 'write it as in image names: HOST[:PORT], without a scheme or wildcard; Docker Hub is docker.io'],
    ['Docker Hub by its server', 'registries:\n  index.docker.io: {}\n', 2, 'registries.index.docker.io: unknown name', 'write it as in image names: HOST[:PORT], without a scheme or wildcard; Docker Hub is docker.io'],
    ['a mirror that is none', 'registries:\n  docker.io:\n    mirrors: ["ftp://x", "a b"]\n', 3, 'registries.docker.io.mirrors: "ftp://x" is no mirror: write HOST[:PORT][/PREFIX], with http:// before it for plain HTTP'],
    ['a switch that is a text', 'registries:\n  x.example:\n    plainHTTP: "true"\n', 3, 'registries.x.example.plainHTTP: "true" is neither true nor false'],
    ['a file that is none', 'registries:\n  x.example:\n    certificateAuthority: 5\n', 3, 'registries.x.example.certificateAuthority: must be a text'],
    ['an image that is none', 'hostProcess:\n  image: "https://x.example/y"\n', 2, 'hostProcess.image: "https://x.example/y" is no reference of an image'],
    ['a namespace that is none', 'hostProcess:\n  namespace: Ops\n', 2, 'hostProcess.namespace: "Ops" is no name of a namespace'],
    ['a count that is none', 'hostProcess:\n  confirmAbove: -1\n', 2, 'hostProcess.confirmAbove: -1 is no count: write a whole number from 0 on'],
    ['a list at the top', '- a\n', 1, 'must be a map'],
    ['a key twice', 'poolLabels: [a]\npoolLabels: [b]\n', 2, 'not YAML: Map keys must be unique'],
    ['text that is no YAML', 'poolLabels: [a\n', null, 'not YAML: '],
  ];
  for (const [name, text, line, problem, suggestion] of refused) {
    it(`refuses ${name}, with file and line`, async () => {
      await writeFile(file, text);
      await assert.rejects(loadSettings({ KUBECTL_WIN_CONFIG: file }), (error: unknown) => {
        assert(error instanceof InputError);
        assert.equal(error.file, file);
        if (line === null) assert.ok(error.message.includes(problem), error.message);
        else assert.equal(error.message, `${file}:${line}: ${problem}`);
        if (suggestion !== undefined) assert.deepEqual(error.suggestions, [suggestion]);
        return true;
      });
    });
  }

  it('refuses a file that KUBECTL_WIN_CONFIG names and that is not there', async () => {
    await assert.rejects(loadSettings({ KUBECTL_WIN_CONFIG: file }), { name: 'InputError', message: `${file}: no such file` });
  });

  for (const [what, content, message] of [
    ['a binary file', 'PK\u0003\u0004\0\0', /config\.yaml: is binary, not a configuration file$/],
    ['a huge file', 'x: y\n'.repeat(1_000_000), /config\.yaml: is too large for a configuration file: it has more than 64 KiB$/],
    ['maps in maps in maps', `check: ${'{a: '.repeat(16_000)}`, /config\.yaml: cannot be read: its maps and lists stand too deep in each other$/],
    ['an anchor in itself', 'check: &a\n  severity: *a\n', /config\.yaml:2: check\.severity: must be a map$/],
    ['an anchor in itself, at the top', '&a\ncheck: *a\n', /config\.yaml:2: check: must be a map$/],
    ['many keys that are twice', 'x: y\n'.repeat(13_000), /config\.yaml:2: not YAML: Map keys must be unique$/],
  ] as const) {
    it(`refuses ${what} quickly, and says what it is`, async () => {
      await writeFile(file, content);
      const started = performance.now();
      await assert.rejects(loadSettings({ HOME: folder, KUBECTL_WIN_CONFIG: file }), (error) => error instanceof InputError && message.test(error.message));
      assert.ok(performance.now() - started < 5_000);
    });
  }

  it('refuses a folder', async () => {
    await assert.rejects(loadSettings({ KUBECTL_WIN_CONFIG: folder }), { name: 'InputError', message: `${folder}: is a folder, not a configuration file` });
  });
});
