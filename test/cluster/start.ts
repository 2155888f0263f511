import { spawn } from 'node:child_process';
import { createPrivateKey, randomUUID, sign } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { arrayAt, isRecord, nameOf, stringAt } from '../../src/domain/kubernetes/object.ts';
import { ApiError, createApiClient, forEachBounded } from './api-client.ts';
import type { ApiClient } from './api-client.ts';
import { ensureParts, kwokStagesFile } from './build.ts';
import type { Parts, PartName } from './build.ts';
import { createAuthority, createServiceAccountKeys } from './certificates.ts';
import type { Authority, Identity } from './certificates.ts';
import { freePorts } from './ports.ts';
import { startSupervisor } from './supervisor.ts';
import type { Component, Supervisor } from './supervisor.ts';

/** What can run beside etcd and the API server. */
export type ExtraComponent = 'controllers' | 'scheduler' | 'kwok' | 'kubelet';

export interface ClusterOptions {
  /**
   * Default none: etcd and the API server alone. Then nothing changes a node or a pod but the test, and there are no
   * service accounts but those the test makes, no endpoints, no garbage collection, and deleted namespaces stay.
   */
  readonly with?: 'all' | readonly ExtraComponent[];
  /** Further arguments of kube-apiserver; the last one of a kind counts. */
  readonly apiServerArgs?: readonly string[];
  /**
   * Which nodes kwok plays: `all` (default), or a label selector. kwok makes each of its nodes Ready, so one that is to
   * stay NotReady must not match.
   */
  readonly kwokNodes?: string;
  /**
   * true: kwok renews the leases of its nodes, as kubelets do: 500 nodes make 50 writes a second. Default: it renews none, so that the controllers
   * find each node Unknown 50 s after its last word, and kwok makes it Ready again at once.
   */
  readonly kwokLeases?: boolean;
  /** kwok stages (YAML) in place of stages.yaml. */
  readonly kwokStages?: string;
  /** Program that the kubelet stand-in runs in place of windows-process; see kubelet/main.go. */
  readonly windowsProcess?: string;
  /** Default `program`: the words of an exec are those of windows-process. `windows-shell`: shim, cmd.exe and PowerShell lie between; see windows-process/windows-shell.go. */
  readonly standInPlays?: 'program' | 'windows-shell';
  /** The folder for what windows-shell leaves of each exec (`execRecords`); default: one beside the logs. */
  readonly recordFolder?: string;
  /** What the audit log holds of each request; default Metadata. `Request`: its body, too. */
  readonly auditLevel?: 'Metadata' | 'Request';
  /**
   * true: nodes/NAME/proxy reaches the stand-in, too. The API server refuses to pass anything on to 127.0.0.1, so nodes get addresses of
   * 198.51.100.0/24 (RFC 5737), at most 254 of them, behind an egress proxy that is the stand-in itself.
   */
  readonly nodeProxy?: boolean;
}

/** What the kubelet of a node says when it is asked by nodes/NAME/proxy. */
export interface KubeletAnswers {
  /** Body of /stats/summary; default: 404. */
  readonly summary?: unknown;
  /** What NodeLogQuery finds, by provider or file; `off`: enableSystemLogQuery is false, as it is by default, and the query is passed over; default: 404. */
  readonly logs?: 'off' | Readonly<Record<string, string>>;
  /** It takes requests and answers none. */
  readonly isSilent?: boolean;
}

/** What windows-shell had of an exec; see windows-process/windows-shell.go. */
export interface ExecRecord {
  /** It was executed in. */
  readonly pod: string;
  /** As the kubelet got it. */
  readonly argv: readonly string[];
  /** That the shim made of it. */
  readonly line: string;
  /** That the program itself had at last, its name first; the values that a cmdlet or a script had. */
  readonly words: readonly string[];
  /** Of the runner; '' where there was none. */
  readonly kind: string;
  readonly nonce: string;
  readonly errorAction: string;
  readonly name: string;
  readonly arguments: string | null;
  /** Of code, of a script, or of a line of cmd. */
  readonly text: string;
  readonly batch: string;
  /** It came at the beginning of stdin. */
  readonly isFramed: boolean;
  /** Of what the program read. */
  readonly stdinBytes: number;
  readonly stdinSha256: string;
  /** What was not played, or why nothing ran. */
  readonly problem: string;
  readonly hasTerminal: boolean;
  /** false: it was still running, or was killed. */
  readonly isEnded: boolean;
}

/** A request that came by nodes/NAME/proxy. */
export interface KubeletRequest {
  readonly node: string;
  readonly path: string;
  readonly query: Readonly<Record<string, readonly string[]>>;
}

export interface UserOptions {
  readonly groups?: readonly string[];
  /** Namespace of the context. */
  readonly namespace?: string;
  /** End of the certificate; one in the past makes an expired certificate. */
  readonly notAfter?: Date;
}

/** Somebody who can call the API server. */
export interface ClusterUser {
  readonly name: string;
  /** Client certificate and key, PEM. */
  readonly identity: Identity;
  /** Path of a kubeconfig that holds everything inline. */
  readonly kubeconfig: string;
}

export interface LoadNodesOptions {
  /** Another name for a node; files of the cases use some names twice. */
  readonly rename?: (name: string, index: number) => string;
  /** Labels added to each node, e.g. for `kwokNodes`. */
  readonly labels?: Readonly<Record<string, string>>;
  /** true: exec, attach and logs of pods on these nodes reach the kubelet stand-in. */
  readonly kubelet?: boolean;
  /** true: cpu, memory and pods are added where the file has no allocatable, so that pods can be scheduled there. */
  readonly room?: boolean;
}

export interface KubectlOptions {
  /** Default: the administrator's. */
  readonly kubeconfig?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
}

/** A process that has ended. */
export interface Finished {
  /** null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What tests read of an audit event (audit.k8s.io/v1). */
export interface AuditEvent {
  readonly stage: 'ResponseStarted' | 'ResponseComplete' | 'Panic';
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string; readonly groups?: readonly string[] };
  readonly impersonatedUser?: { readonly username: string; readonly groups?: readonly string[] };
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string; readonly namespace?: string; readonly name?: string; readonly apiGroup?: string };
  readonly responseStatus?: { readonly code?: number };
  /** With `auditLevel: 'Request'`. */
  readonly requestObject?: unknown;
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

export interface TestCluster {
  readonly server: string;
  /** CA of the server, PEM. */
  readonly ca: string;
  /** Path of the administrator's kubeconfig (group system:masters). */
  readonly kubeconfig: string;
  readonly admin: ClusterUser;
  /** The administrator's calls. */
  readonly api: ApiClient;
  /** Paths of the programs, e.g. `parts.kubectl`. */
  readonly parts: Parts;
  /** State folder: certificates, kubeconfigs, logs. Gone after `stop`. */
  readonly folder: string;
  /** What the log of a component says, e.g. `kube-apiserver`. */
  log(component: string): Promise<string>;
  /** Somebody with a client certificate: CN is the name, each O a group. No rights but what RBAC bindings give. */
  user(name: string, options?: UserOptions): Promise<ClusterUser>;
  /** A client for another user, or for a token. */
  clientFor(user: ClusterUser | { readonly token: string }): ApiClient;
  /** Token of a service account through the TokenRequest API. */
  serviceAccountToken(namespace: string, name: string, expirationSeconds?: number): Promise<string>;
  /** A token as the cluster itself would have signed it, with this end: one that has expired, or soon will. */
  signServiceAccountToken(namespace: string, name: string, expires: Date): Promise<string>;
  /** Path of a new kubeconfig with the fields of `user` as given, e.g. `{ token }` or `{ exec: … }`. */
  kubeconfigFor(user: Readonly<Record<string, unknown>>, options?: { readonly namespace?: string; readonly cluster?: Readonly<Record<string, unknown>> }): Promise<string>;
  /** A namespace that is ready for pods: its default service account is there. */
  createNamespace(name: string, labels?: Readonly<Record<string, string>>): Promise<void>;
  /**
   * Nodes as they are, status included, 32 at once; the server's answers in the same order. The server sets
   * creationTimestamp, uid and resourceVersion anew; a podCIDR that it refuses is left out.
   */
  loadNodes(nodes: readonly KubeObject[], options?: LoadNodesOptions): Promise<readonly KubeObject[]>;
  deleteNodes(): Promise<void>;
  /** From now on; needs `nodeProxy` and a node that was loaded with `kubelet`. */
  setKubelet(node: string, answers: KubeletAnswers): Promise<void>;
  /** What came by nodes/NAME/proxy so far, in its order. */
  kubeletRequests(): Promise<readonly KubeletRequest[]>;
  /** Of windows-shell, by the pod's name and a number: what was executed in this pod, or in all. */
  execRecords(pod?: string): Promise<readonly ExecRecord[]>;
  /** The real kubectl. */
  kubectl(args: readonly string[], options?: KubectlOptions): Promise<Finished>;
  /** A place in the audit log, for `auditEvents`. */
  auditMark(): Promise<number>;
  /** Events after a mark, in the order of the log. */
  auditEvents(mark?: number): Promise<readonly AuditEvent[]>;
  /** Ends one component as a crash or an update would; `restart` brings it back with its arguments. */
  stopComponent(name: string): Promise<void>;
  restartComponent(name: string): Promise<void>;
  /** Ends everything and removes the state folder. */
  stop(): Promise<void>;
}

/**
 * The one type of node address that the API server may dial. No file of the cases and no cloud provider uses it, so an
 * address out of a case file is never dialled.
 */
const kubeletAddressType = 'KubectlWinTestKubelet';

/** A documentation range: nobody's. The stand-in's certificate names each of them. */
const proxiedAddresses: readonly string[] = Array.from({ length: 254 }, (_, index) => `198.51.100.${index + 1}`);

const everything = ['controllers', 'scheduler', 'kwok', 'kubelet'] as const satisfies readonly ExtraComponent[];

/** Which programs these options need. */
export function partsFor(options: ClusterOptions): readonly PartName[] {
  const extras = options.with === 'all' ? everything : options.with ?? [];
  const parts: PartName[] = ['etcd', 'kube-apiserver', 'kubectl'];
  if (extras.includes('controllers')) parts.push('kube-controller-manager');
  if (extras.includes('scheduler')) parts.push('kube-scheduler');
  if (extras.includes('kwok')) parts.push('kwok');
  if (extras.includes('kubelet')) parts.push('kubelet', 'windows-process');
  return parts;
}

/**
 * Starts a control plane on free loopback ports, building the programs first where they are missing. It ends with
 * `stop`, and with this process, however that ends. Throws GoMissingError.
 */
export async function startCluster(options: ClusterOptions = {}): Promise<TestCluster> {
  const parts = await ensureParts(partsFor(options)) as Parts;
  // Another program may take a port between the look and the use.
  for (let attempt = 1; ; attempt++) {
    const supervisor = await startSupervisor();
    try {
      return await startIn(supervisor, parts, options);
    } catch (error) {
      await supervisor.stopAll();
      if (attempt === 3 || !(error instanceof Error && error.message.includes('address already in use'))) throw error;
    }
  }
}

async function startIn(supervisor: Supervisor, parts: Parts, options: ClusterOptions): Promise<TestCluster> {
  const { folder } = supervisor;
  const extras: readonly ExtraComponent[] = options.with === 'all' ? everything : options.with ?? [];
  const ports = await freePorts(7);
  const [etcdPort = 0, peerPort = 0, apiPort = 0, controllersPort = 0, schedulerPort = 0, kwokPort = 0, kubeletPort = 0] = ports;
  const server = `https://127.0.0.1:${apiPort}`;
  const authority = await createAuthority();
  const file = (name: string): string => join(folder, name);
  const save = async (name: string, text: string): Promise<string> => {
    await writeFile(file(name), text, { mode: 0o600 });
    return file(name);
  };
  const saveIdentity = async (name: string, identity: Identity): Promise<void> => {
    await Promise.all([save(`${name}.crt`, identity.cert), save(`${name}.key`, identity.key)]);
  };

  const serviceAccountKeys = createServiceAccountKeys();
  const [serving, apiServerAsClient, adminIdentity] = await Promise.all([
    authority.issue({ commonName: 'kube-apiserver', ipAddresses: ['127.0.0.1', '10.96.0.1', ...(options.nodeProxy === true ? proxiedAddresses : [])], dnsNames: ['localhost', 'kubernetes', 'kubernetes.default.svc'] }),
    authority.issue({ commonName: 'kube-apiserver-kubelet-client', organizations: ['system:masters'] }),
    authority.issue({ commonName: 'admin', organizations: ['system:masters'] }),
    save('ca.crt', authority.cert),
    save('sa.key', serviceAccountKeys.privateKey),
    save('sa.pub', serviceAccountKeys.publicKey),
    save('audit.yaml', 'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules: [{level: ' + (options.auditLevel ?? 'Metadata') + '}]\n'),
  ]);
  const [connectSocket, answersFolder] = [file('connect.sock'), file('kubelets')];
  if (options.nodeProxy === true) {
    await mkdir(answersFolder);
    await save('egress.yaml', JSON.stringify({
      apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration',
      egressSelections: [{ name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport: { uds: { udsName: connectSocket } } } }],
    }));
  }
  const recordFolder = options.recordFolder ?? file('records');
  if (options.standInPlays === 'windows-shell') await mkdir(recordFolder, { recursive: true });
  await Promise.all([saveIdentity('server', serving), saveIdentity('kubelet-client', apiServerAsClient), saveIdentity('admin', adminIdentity)]);

  const kubeconfigText = (user: Readonly<Record<string, unknown>>, namespace?: string, cluster: Readonly<Record<string, unknown>> = {}): string => JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server, 'certificate-authority-data': base64(authority.cert), ...cluster } }],
    users: [{ name: 'user', user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'user', ...(namespace === undefined ? {} : { namespace }) } }],
    'current-context': 'test',
  }, null, 2);
  const asUser = (identity: Identity): Readonly<Record<string, unknown>> => ({ 'client-certificate-data': base64(identity.cert), 'client-key-data': base64(identity.key) });

  const admin: ClusterUser = { name: 'admin', identity: adminIdentity, kubeconfig: await save('admin.kubeconfig', kubeconfigText(asUser(adminIdentity))) };
  const components = new Map<string, Component>();
  const run = async (component: Component): Promise<void> => {
    components.set(component.name, component);
    await supervisor.start(component);
  };

  await Promise.all([
    run({ name: 'etcd', program: parts.etcd, args: etcdArgs(folder, etcdPort, peerPort) }),
    run({ name: 'kube-apiserver', program: parts['kube-apiserver'], args: [...apiServerArgs(file, etcdPort, apiPort, extras), ...(options.nodeProxy === true ? [`--egress-selector-config-file=${file('egress.yaml')}`] : []), ...options.apiServerArgs ?? []] }),
  ]);
  const api = createApiClient({ server, ca: authority.cert, ...adminIdentity });
  const failure = (): string | null => [...components.keys()].map((name) => supervisor.failure(name)).find((text) => text !== null) ?? null;
  const ready = async (what: string, seconds: number, probe: () => Promise<boolean>): Promise<void> => {
    const deadline = Date.now() + seconds * 1000;
    while (!(await probe().catch(() => false))) {
      const failed = failure();
      if (failed !== null) throw new Error(failed);
      if (Date.now() > deadline) throw new Error(`${what} not ready within ${seconds} s`);
      await sleep(25);
    }
  };
  await ready('kube-apiserver', 120, async () => (await api.send('GET', '/readyz')).status === 200);

  const systemUser = async (name: string, commonName: string): Promise<string> => save(`${name}.kubeconfig`, kubeconfigText(asUser(await authority.issue({ commonName }))));
  const starting: Promise<void>[] = [];
  if (extras.includes('controllers')) starting.push((async () => run({
    name: 'kube-controller-manager',
    program: parts['kube-controller-manager'],
    args: [
      `--kubeconfig=${await systemUser('controller-manager', 'system:kube-controller-manager')}`,
      '--leader-elect=false', `--service-account-private-key-file=${file('sa.key')}`, `--root-ca-file=${file('ca.crt')}`, '--use-service-account-credentials=true',
      `--secure-port=${controllersPort}`, '--bind-address=127.0.0.1', '--kube-api-qps=500', '--kube-api-burst=1000',
    ],
  }))());
  if (extras.includes('scheduler')) starting.push((async () => run({
    name: 'kube-scheduler',
    program: parts['kube-scheduler'],
    args: [
      `--kubeconfig=${await systemUser('scheduler', 'system:kube-scheduler')}`,
      '--leader-elect=false', `--secure-port=${schedulerPort}`, '--bind-address=127.0.0.1', '--kube-api-qps=500', '--kube-api-burst=1000',
    ],
  }))());
  if (extras.includes('kubelet')) starting.push(run({
    name: 'kubelet',
    program: parts.kubelet,
    args: [
      `--listen=127.0.0.1:${kubeletPort}`, `--tls-cert-file=${file('server.crt')}`, `--tls-private-key-file=${file('server.key')}`, `--client-ca-file=${file('ca.crt')}`,
      `--program=${options.windowsProcess ?? parts['windows-process']}`,
      ...(options.nodeProxy === true ? [`--connect-socket=${connectSocket}`, `--nodes=${answersFolder}`] : []),
      ...(options.standInPlays === 'windows-shell' ? [`--api-server=${server}`, `--api-client-certificate=${file('kubelet-client.crt')}`, `--api-client-key=${file('kubelet-client.key')}`] : []),
    ],
    // its programs inherit it
    env: options.standInPlays === 'windows-shell' ? { WINDOWS_SHELL: 'yes', SCRIPTS_SHA256: join(import.meta.dirname, 'scripts.sha256'), RECORD_FOLDER: recordFolder } : {},
  }));
  if (extras.includes('kwok')) starting.push((async () => {
    const own = options.kwokStages ?? await readFile(join(import.meta.dirname, 'stages.yaml'), 'utf8');
    const stages = await save('kwok.yaml', `${await readFile(kwokStagesFile(parts), 'utf8')}\n---\n${own}`);
    const nodes = options.kwokNodes ?? 'all';
    await run({
      name: 'kwok',
      program: parts.kwok,
      args: [
        `--kubeconfig=${admin.kubeconfig}`, nodes === 'all' ? '--manage-all-nodes' : `--manage-nodes-with-label-selector=${nodes}`,
        `--server-address=127.0.0.1:${kwokPort}`, '--node-ip=127.0.0.1', `--config=${stages}`,
        ...(options.kwokLeases === true ? ['--node-lease-duration-seconds=40'] : []),
      ],
    });
  })());
  await Promise.all(starting);

  const defaultAccountThere = async (namespace: string): Promise<boolean> => (await api.send('GET', `/api/v1/namespaces/${namespace}/serviceaccounts/default`)).status === 200;
  if (extras.includes('controllers')) await ready('kube-controller-manager', 120, () => defaultAccountThere('default'));
  else await api.create('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'default' } });
  if (extras.includes('scheduler')) await ready('kube-scheduler', 60, () => isHealthy(schedulerPort, authority));
  if (extras.includes('kubelet')) await ready('the kubelet stand-in', 60, () => accepts(kubeletPort));
  if (extras.includes('kwok')) await ready('kwok', 60, () => accepts(kwokPort));

  const auditFile = file('audit.log');
  const auditMark = async (): Promise<number> => {
    // An event is written after its answer; once this call's own event is there, so are those of the calls before it.
    const id = randomUUID();
    await api.send('GET', `/version?mark=${id}`);
    for (;;) {
      const bytes = await readFile(auditFile);
      const at = bytes.indexOf(id);
      const end = at < 0 ? -1 : bytes.indexOf('\n', at);
      if (end >= 0) return end + 1;
      await sleep(10);
    }
  };

  const addresses = new Map<string, string>();
  const addressOf = (node: string): string => {
    if (options.nodeProxy !== true) return '127.0.0.1';
    const address = addresses.get(node) ?? proxiedAddresses[addresses.size];
    if (address === undefined) throw new Error(`nodeProxy has addresses for ${proxiedAddresses.length} nodes`);
    addresses.set(node, address);
    return address;
  };

  let users = 0;
  const clients: ApiClient[] = [api];
  const cluster: TestCluster = {
    server,
    ca: authority.cert,
    kubeconfig: admin.kubeconfig,
    admin,
    api,
    parts,
    folder,
    log: (component) => readFile(file(`${component}.log`), 'utf8'),
    user: async (name, userOptions = {}) => {
      const identity = await authority.issue({ commonName: name, organizations: userOptions.groups ?? [], ...(userOptions.notAfter === undefined ? {} : { notAfter: userOptions.notAfter }) });
      return { name, identity, kubeconfig: await save(`user-${++users}.kubeconfig`, kubeconfigText(asUser(identity), userOptions.namespace)) };
    },
    clientFor: (user) => {
      const client = createApiClient({ server, ca: authority.cert, ...('token' in user ? { token: user.token } : user.identity) });
      clients.push(client);
      return client;
    },
    serviceAccountToken: async (namespace, name, expirationSeconds = 3600) => {
      const answer = await api.create(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds } });
      const token = stringAt(answer, 'status', 'token');
      if (token === undefined) throw new Error('the TokenRequest came back without a token');
      return token;
    },
    signServiceAccountToken: async (namespace, name, expires) => {
      const account = await api.get(`/api/v1/namespaces/${namespace}/serviceaccounts/${name}`);
      return signToken(serviceAccountKeys.privateKey, namespace, name, stringAt(account, 'metadata', 'uid') ?? '', expires);
    },
    kubeconfigFor: (user, { namespace, cluster: fields } = {}) => save(`user-${++users}.kubeconfig`, kubeconfigText(user, namespace, fields)),
    createNamespace: async (name, labels = {}) => {
      await api.create('/api/v1/namespaces', { metadata: { name, labels } });
      if (extras.includes('controllers')) await ready(`default service account of ${name}`, 60, () => defaultAccountThere(name));
      else await api.create(`/api/v1/namespaces/${name}/serviceaccounts`, { metadata: { name: 'default' } });
    },
    loadNodes: async (nodes, loadOptions = {}) => {
      const created: KubeObject[] = Array.from({ length: nodes.length }, () => ({}));
      await forEachBounded(nodes, 32, async (node, index) => {
        const body = loadable(node, index, loadOptions, { addressOf, port: kubeletPort });
        created[index] = await api.create('/api/v1/nodes', body).catch((error: unknown) => {
          if (!(error instanceof ApiError && error.status === 422 && error.message.includes('podCIDR'))) throw error;
          return api.create('/api/v1/nodes', withoutPodNetwork(body));
        });
      });
      return created;
    },
    deleteNodes: () => api.delete('/api/v1/nodes'),
    setKubelet: async (node, answers) => {
      const address = addresses.get(node);
      if (address === undefined) throw new Error(`no node ${node} was loaded with kubelet in a cluster with nodeProxy`);
      // in one step: the stand-in may be reading
      await rename(await save(`kubelets/${address}.json.new`, JSON.stringify(answers)), file(`kubelets/${address}.json`));
    },
    kubeletRequests: async () => {
      const names = new Map([...addresses].map(([node, address]) => [address, node]));
      const text = await readFile(file('kubelets/requests.jsonl'), 'utf8').catch(() => '');
      return text.split('\n').filter((line) => line !== '').map((line) => {
        const { address, ...request } = JSON.parse(line) as Omit<KubeletRequest, 'node'> & { readonly address: string };
        return { node: names.get(address) ?? address, ...request };
      });
    },
    execRecords: async (pod) => {
      const numbered = (await readdir(recordFolder)).flatMap((name) => {
        const [, of = '', number = ''] = /^(.*)-(\d+)\.json$/.exec(name) ?? [];
        return of !== '' && (pod === undefined || pod === of) ? [{ name, of, number: Number(number) }] : [];
      });
      return Promise.all(numbered.toSorted((a, b) => a.of.localeCompare(b.of) || a.number - b.number).map(async ({ name, of }) => ({ ...JSON.parse(await readFile(join(recordFolder, name), 'utf8')) as Omit<ExecRecord, 'pod'>, pod: of })));
    },
    kubectl: (args, kubectlOptions = {}) => runToEnd(parts.kubectl, args, {
      ...(kubectlOptions.input === undefined ? {} : { input: kubectlOptions.input }),
      // HOME: kubectl keeps its discovery cache there, and a port may come back with another cluster behind it.
      env: { ...process.env, HOME: folder, KUBECTL_WIN_IMAGES: 'tags', ...kubectlOptions.env, KUBECONFIG: kubectlOptions.kubeconfig ?? admin.kubeconfig },
    }),
    auditMark,
    auditEvents: async (mark = 0) => {
      await auditMark();
      const text = (await readFile(auditFile)).subarray(mark).toString('utf8');
      const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n').filter((line) => line !== '');
      return lines.map((line) => JSON.parse(line) as AuditEvent).filter((event) => !event.requestURI.startsWith('/version?mark='));
    },
    stopComponent: (name) => supervisor.stop(name),
    restartComponent: async (name) => {
      const component = components.get(name);
      if (component === undefined) throw new Error(`no component ${name}; there are ${[...components.keys()].join(', ')}`);
      await supervisor.stop(name);
      await supervisor.start(component);
      await ready('kube-apiserver', 60, async () => (await api.send('GET', '/readyz')).status === 200);
    },
    stop: async () => {
      for (const client of clients) client.close();
      await supervisor.stopAll();
    },
  };
  return cluster;
}

function etcdArgs(folder: string, clientPort: number, peerPort: number): readonly string[] {
  const [client, peer] = [`http://127.0.0.1:${clientPort}`, `http://127.0.0.1:${peerPort}`];
  return [
    '--name=default', `--data-dir=${join(folder, 'etcd')}`, '--unsafe-no-fsync',
    `--listen-client-urls=${client}`, `--advertise-client-urls=${client}`,
    `--listen-peer-urls=${peer}`, `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`,
  ];
}

function apiServerArgs(file: (name: string) => string, etcdPort: number, port: number, extras: readonly ExtraComponent[]): readonly string[] {
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1', `--secure-port=${port}`, '--advertise-address=127.0.0.1', '--endpoint-reconciler-type=none',
    `--tls-cert-file=${file('server.crt')}`, `--tls-private-key-file=${file('server.key')}`, `--client-ca-file=${file('ca.crt')}`,
    '--authorization-mode=Node,RBAC', '--enable-admission-plugins=NodeRestriction',
    // It gives each new node a not-ready taint that only the node-lifecycle controller takes away again.
    ...(extras.includes('controllers') ? [] : ['--disable-admission-plugins=TaintNodesByCondition']),
    '--service-account-issuer=https://kubernetes.default.svc', `--service-account-key-file=${file('sa.pub')}`, `--service-account-signing-key-file=${file('sa.key')}`,
    '--service-cluster-ip-range=10.96.0.0/16', '--allow-privileged=true',
    `--kubelet-preferred-address-types=${kubeletAddressType}`, `--kubelet-certificate-authority=${file('ca.crt')}`,
    `--kubelet-client-certificate=${file('kubelet-client.crt')}`, `--kubelet-client-key=${file('kubelet-client.key')}`,
    `--audit-policy-file=${file('audit.yaml')}`, `--audit-log-path=${file('audit.log')}`,
    '--max-requests-inflight=2000', '--max-mutating-requests-inflight=1000',
  ];
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

async function isHealthy(port: number, authority: Authority): Promise<boolean> {
  // The scheduler makes its own certificate, so only the port and the answer count; /healthz needs no login.
  const client = createApiClient({ server: `https://127.0.0.1:${port}`, ca: authority.cert, verify: false });
  try {
    return (await client.send('GET', '/healthz')).status === 200;
  } finally {
    client.close();
  }
}

async function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port }, () => { socket.destroy(); resolve(true); });
    socket.once('error', () => { resolve(false); });
  });
}

/** A node that the API server takes, with the same status. */
function loadable(node: KubeObject, index: number, options: LoadNodesOptions, kubelet: { readonly addressOf: (node: string) => string; readonly port: number }): KubeObject {
  const { resourceVersion: _version, uid: _uid, creationTimestamp: _created, managedFields: _managed, ...metadata } = node.metadata ?? {};
  const name = options.rename?.(nameOf(node), index) ?? nameOf(node);
  const status: Record<string, unknown> = isRecord(node['status']) ? { ...node['status'] } : {};
  if (options.kubelet === true) {
    status['addresses'] = [...arrayAt(status, 'addresses'), { type: kubeletAddressType, address: kubelet.addressOf(name) }];
    status['daemonEndpoints'] = { kubeletEndpoint: { Port: kubelet.port } };
  }
  if (options.room === true && status['allocatable'] === undefined) {
    status['allocatable'] = { cpu: '8', memory: '32Gi', pods: '110', 'ephemeral-storage': '100Gi' };
    status['capacity'] ??= status['allocatable'];
  }
  const labels = isRecord(metadata['labels']) ? metadata['labels'] : {};
  return {
    ...node,
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { ...metadata, name, ...(options.labels === undefined ? {} : { labels: { ...labels, ...options.labels } }) },
    status,
  };
}

function withoutPodNetwork(node: KubeObject): KubeObject {
  const { podCIDR: _one, podCIDRs: _all, ...spec } = isRecord(node['spec']) ? node['spec'] : {};
  return { ...node, spec };
}

/** A bound token as kube-apiserver signs it: https://kubernetes.io/docs/reference/access-authn-authz/service-accounts-admin/, read 2026-11-30. */
function signToken(privateKey: string, namespace: string, name: string, uid: string, expires: Date): string {
  const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const exp = Math.floor(expires.getTime() / 1000);
  const issued = Math.min(Math.floor(Date.now() / 1000), exp - 600);
  const issuer = 'https://kubernetes.default.svc';
  const body = `${encode({ alg: 'ES256' })}.${encode({
    aud: [issuer], iss: issuer, iat: issued, nbf: issued, exp, jti: randomUUID(), sub: `system:serviceaccount:${namespace}:${name}`,
    'kubernetes.io': { namespace, serviceaccount: { name, uid } },
  })}`;
  const signature = sign('sha256', Buffer.from(body), { key: createPrivateKey(privateKey), dsaEncoding: 'ieee-p1363' });
  return `${body}.${signature.toString('base64url')}`;
}

interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly input?: string | Uint8Array;
}

/** Runs a program to its end; a program that cannot be started rejects, an exit code does not. */
export async function runToEnd(program: string, args: readonly string[], options: RunOptions): Promise<Finished> {
  const child = spawn(program, args, { env: options.env, stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => err.push(chunk));
  // A program may end without reading all of its input.
  child.stdin?.on('error', () => undefined).end(options.input);
  const code = await new Promise<number | null>((resolve, reject) => { child.once('error', reject).once('close', resolve); });
  return { code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(err).toString('utf8') };
}

/** Asks until there is an answer other than undefined. */
export async function eventually<T>(what: string, seconds: number, ask: () => Promise<T | undefined>): Promise<T> {
  const deadline = Date.now() + seconds * 1000;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > deadline) throw new Error(`${what}: not within ${seconds} s`);
    await sleep(50);
  }
}
