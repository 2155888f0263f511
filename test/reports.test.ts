/**
 * Public reports about listing nodes, about clients and kubeconfig, about workloads that a checker could have found at fault,
 * about images, about pulls, and about commands on nodes, by their number in ../shared/cases/reports.md: each has a test whose title names it, or stands among the exceptions with a reason.
 */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { casesOrSkip } from './support/cases.ts';

const PROJECT_ROOT = resolve(import.meta.dirname, '..');

/** What the reports are about, in a few words, so that this list can be read without them. */
const REPORTS: Readonly<Record<string, string>> = {
  R003: 'the pause image is of another Windows version', R004: 'the pause image was built on another version', R005: 'the default pause image is 1809 only',
  R006: 'wish: pick the pause image by build number', R007: 'the pause image lacks 1909', R008: 'base image retagged, build mixed up', R009: 'sandbox creation fails on 1903 and 1909',
  R028: 'Windows 11 as a node', R044: 'the sandbox image has no ltsc2025', R072: 'taint os=Windows with a capital W', R078: 'Windows nodes only: DNS is pending',
  R080: 'selector on kubernetes.io/os finds nothing on old nodes', R081: 'the uninitialized taint stays', R098: 'cri-dockerd', R153: 'usage above the size of the disk',
  R154: 'disk full, DiskPressure False', R165: 'an update broke part of a pool', R174: 'odd kubelet versions in a skew check', R175: 'three minors since 1.28',
  R179: 'who may not list nodes sees nothing at all', R180: 'a plugin stops at "cannot list resource nodes"', R181: 'a role with resourceNames: get works, list does not',
  R182: 'a Role for nodes is not enough', R183: 'no Auth Provider found for name "oidc"', R184: 'no Auth Provider found for name "oidc", other plugins work',
  R186: 'exec providers; auth that is not supported', R187: 'the error of an exec plugin is hidden', R188: '410 Expired on many objects', R189: 'fear of losing objects beyond 500',
  R195: 'Windows 11 that says Windows 10', R196: 'kernel 6.2.09200.192', R198: 'kernelVersion of three parts',
  R001: 'image and host of different builds', R012: 'which images run on 1803', R013: 'an index without Server 2022', R016: 'a moving tag changes its build', R020: 'an init container of another build',
  R022: 'an image newer than its host', R024: 'a gap of revisions', R026: 'the update of February 2020', R027: '1909 on Server 2019', R033: 'an official image without Server 2022', R036: 'a HostProcess image in an index',
  R037: 'an attestation in an index', R038: 'Server 2022 on Server 2019', R040: '1809 on 1803', R041: 'an entry without os.version', R043: 'an index of old builds', R046: 'coredns on Windows', R048: 'a chart without selectors',
  R050: 'kube-proxy on Windows', R052: 'affinity as a pin', R053: 'an agent that tolerates all', R054: 'an agent without affinity', R055: 'a DaemonSet of the pause image', R056: 'a DaemonSet of systemd logs',
  R057: 'the node problem detector', R058: 'metricbeat', R059: 'node-exporter', R061: 'kube-state-metrics', R062: 'a Linux agent fails with chown', R065: 'metrics-server', R066: 'Container Insights',
  R071: 'taint sku=windows', R079: 'a DaemonSet on no node', R082: 'build pods without a toleration', R083: 'runAsUser and the token', R086: 'runAsUser and no pin', R088: 'os.name against chown',
  R090: 'runAsNonRoot on old kubelets', R091: 'no selector', R092: 'runAsNonRoot does not help', R093: 'runAsNonRoot beside ContainerAdministrator', R094: 'wish: forbid ContainerAdministrator',
  R096: 'the restricted profile', R099: 'hostPath on early containerd', R100: 'a mount at D:', R103: 'a path for Azure Files', R104: 'rules of HostProcess', R106: 'HostProcess without hostNetwork',
  R107: 'paths before containerd 1.7', R116: 'the domain is not reached', R117: 'host names for gMSA', R118: 'gMSA by annotation', R128: 'd: is taken for a pod', R129: 'd: is taken for a pod, when writing',
  R131: 'a file of PowerShell in UTF-16', R132: 'kustomize > file in UTF-16', R134: 'UTF-16 that is cut',
  R025: 'an official image that is not built yet', R029: 'the builder is older than the base', R143: 'the deadline of a pull', R144: 'a pull is given up after a minute', R147: 'a list of images that is for other builds',
  R148: 'pulls by DaemonSets wait for tainted nodes', R150: 'DaemonSets that only sleep', R151: 'DaemonSets cannot end', R155: 'the garbage collector frees nothing',
  R110: 'a program without its extension', R113: 'builtins and programs of the image in a HostProcess container', R114: 'building on the base image', R115: 'building in several stages on the base image', R121: 'Git Bash is no terminal',
  R123: 'sh -c on Windows', R126: 'exec that hangs', R127: 'exec that ends with 0 without a status', R136: 'output in a code page', R137: 'quotes in arguments of programs', R138: 'kubectl debug on Windows nodes', R139: 'kubectl debug that knows the system of a node',
};

/** Reports without a test; at most ten. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  R006: 'answered by the order of steps of upgrade-plan; which builds a pause image has is tested in src/domain/windows/pause-images',
  R090: 'kubelets of 2020 looked at UIDs only; none of them runs against an API server that is in support',
  R099: 'an early containerd on Windows refused hostPath; node-not-fit tells of a containerd that old, whatever its pods mount',
  R116: 'whether the DNS of a pod finds the domain is in no manifest',
};

/** Reports about images and pulls without a test; at most ten. */
const IMAGE_EXCEPTIONS: Readonly<Record<string, string>> = {
  R029: 'builders move with their base images, which is a matter of planning an upgrade and of nothing that a cluster or registry shows',
};

/** Reports that ask something of `prepull`, each with what it does about it; a suite of prepull names every one. */
const PREPULL_REPORTS: Readonly<Record<string, string>> = {
  R081: 'nodes that their cloud never took over are named where the pods of workloads do not tolerate the taint', R143: '45 minutes for a pull, a note where less than 30 are asked for, and a line every 5 minutes',
  R144: 'a pull that the runtime of the node cancels is tried again, and its settings are named', R147: 'exact references of what workloads use, onto nodes of their build, and tags that have moved anew',
  R148: 'taints are tolerated, nodes that take no pod are refused, and none keeps the others waiting', R150: 'nothing is left, and pods sleep only where --hold or --keep-warm asks for it', R151: 'Jobs whose pods end',
  R154: 'the free space of the disk counts, whatever DiskPressure says; DiskPressure refuses a node', R155: 'a note where pulls fill a disk so far that the kubelet removes images',
};

/** Reports that ask something of `hostprocess exec`, each with what it does about it; a suite of hostprocess names every one. */
const EXEC_REPORTS: Readonly<Record<string, string>> = {
  R081: 'every taint is tolerated, and such nodes are reached', R106: 'hostNetwork always', R107: 'a note where files of an image lie elsewhere, by containerd and build', R110: 'names with their extension',
  R113: 'a shell, and cmd for its builtins; programs are those of the host', R114: 'an image that is pinned, and nothing is built', R121: 'no terminal unless it is asked for, and a word about mintty', R123: 'PowerShell, or what is asked for',
  R126: 'a time of its own, and the pod is deleted', R127: 'exit code 0 together with the sign of the end alone', R128: 'drive letters are no pods', R129: 'drive letters are no pods, when writing either', R136: 'decoded once, over the whole, and what is not UTF-8 as bytes',
  R137: 'arguments byte for byte', R138: 'a pod that the API server takes for Windows', R139: 'exit codes and many nodes on top',
};

/** Reports about HostProcess pods and exec without a test; at most ten. */
const EXEC_EXCEPTIONS: Readonly<Record<string, string>> = {
  R115: 'how images are built upon the base image is nothing that a command on nodes does; the base image is used as it is',
};

/** Numbers that titles of suites and tests name, in files whose path matches. */
function namedByTests(path = /./): ReadonlySet<string> {
  const numbers = new Set<string>();
  for (const file of globSync('test/**/*.test.ts', { cwd: PROJECT_ROOT }).filter((one) => path.test(one))) {
    if (join(PROJECT_ROOT, file) === import.meta.filename) continue;
    const text = readFileSync(join(PROJECT_ROOT, file), 'utf8');
    // a title is the first argument of describe or it, or the first text of a row of a table of tests
    for (const [, title = ''] of text.matchAll(/(?:\b(?:describe|it)\(|^\s*\[)\s*(['"`][^\n]*)/gm)) for (const [number] of title.matchAll(/\bR\d{3}\b/g)) numbers.add(number);
  }
  return numbers;
}

/** Rows of the list, with their last column. */
function rowsOf(folder: string): readonly { readonly number: string; readonly command: string }[] {
  return [...readFileSync(join(folder, 'reports.md'), 'utf8').matchAll(/^\| (R\d{3}) \|.*\| ([^|]*) \|$/gm)].map(([, number = '', command = '']) => ({ number, command }));
}

describe('reports about nodes, clients, workloads, images, pulls and commands on nodes', () => {
  it('each has a test that names it, or a reason why not', () => {
    const named = namedByTests();
    assert.deepEqual(Object.keys(REPORTS).filter((number) => !named.has(number) && EXCEPTIONS[number] === undefined && IMAGE_EXCEPTIONS[number] === undefined && EXEC_EXCEPTIONS[number] === undefined), []);
  });

  it('has at most ten exceptions, none of which has a test or is no report', () => {
    const named = namedByTests();
    for (const exceptions of [EXCEPTIONS, IMAGE_EXCEPTIONS, EXEC_EXCEPTIONS]) assert.ok(Object.keys(exceptions).length <= 10);
    assert.deepEqual(Object.keys({ ...EXCEPTIONS, ...IMAGE_EXCEPTIONS, ...EXEC_EXCEPTIONS }).filter((number) => named.has(number) || REPORTS[number] === undefined), []);
  });

  it('names no number that is no report of this list', () => {
    assert.deepEqual([...namedByTests()].filter((number) => REPORTS[number] === undefined), []);
  });

  it('names each that asks something of prepull in a suite of prepull', () => {
    const named = namedByTests(/prepull/);
    assert.deepEqual([...named].toSorted(), Object.keys(PREPULL_REPORTS));
    assert.deepEqual(Object.keys(PREPULL_REPORTS).filter((number) => REPORTS[number] === undefined), []);
  });

  it('names each that asks something of hostprocess exec in a suite of hostprocess', () => {
    const named = namedByTests(/hostprocess/);
    assert.deepEqual(Object.keys(EXEC_REPORTS).filter((number) => !named.has(number)), []);
    assert.deepEqual(Object.keys(EXEC_REPORTS).filter((number) => REPORTS[number] === undefined), []);
  });

  it('leaves out no report that asks for `exec`, or about HostProcess pods, exec and copies', function () {
    const folder = casesOrSkip(this);
    assert.deepEqual(rowsOf(folder).filter(({ command }) => command.includes('`exec`')).map(({ number }) => number), Object.keys(EXEC_REPORTS));
    const sections = readFileSync(join(folder, 'reports.md'), 'utf8').split(/^## /m).filter((section) => /^\d+\. (?:HostProcess|exec, copy)/.test(section));
    assert.equal(sections.length, 2);
    assert.deepEqual(sections.flatMap((section) => [...section.matchAll(/^\| (R\d{3}) \|/gm)].map(([, number = '']) => number)).filter((number) => REPORTS[number] === undefined), []);
  });

  it('leaves out no report that asks for `prepull`', function () {
    const rows = rowsOf(casesOrSkip(this));
    assert.deepEqual(rows.filter(({ command }) => command.includes('prepull')).map(({ number }) => number), Object.keys(PREPULL_REPORTS));
  });

  it('leaves out no report that asks for `nodes`, for `check` or for all commands', function () {
    const rows = rowsOf(casesOrSkip(this));
    assert.ok(rows.length > 100, `${rows.length} rows`);
    const asked = rows.filter(({ command }) => /`nodes`|`check|^all\b|^all:/.test(command)).map(({ number }) => number);
    assert.deepEqual(asked.filter((number) => REPORTS[number] === undefined), []);
  });

  it('leaves out no report about images, manifests and pulls', function () {
    const sections = readFileSync(join(casesOrSkip(this), 'reports.md'), 'utf8').split(/^## /m).filter((section) => /^\d+\. (?:Image build|No matching manifest|Pull, disk)/.test(section));
    assert.equal(sections.length, 3);
    assert.deepEqual(sections.flatMap((section) => [...section.matchAll(/^\| (R\d{3}) \|/gm)].map(([, number = '']) => number)).filter((number) => REPORTS[number] === undefined), []);
  });
});
