/** What keeps runs on nodes out of a cluster is said before anything privileged is there, with the fix; and what the fix makes of it. */
import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import https from 'node:https';
import { execOnNodes, type ExecOptions, type ExecStep } from '../../src/app/exec-on-nodes.ts';
import type { ExecReport } from '../../src/app/hostprocess/exec-report.ts';
import { HOST_PROCESS_BASE_IMAGE } from '../../src/domain/hostprocess/base-image.ts';
import { arrayAt, isRecord, nameOf, stringAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../src/errors.ts';
import { nothingLeft, open, realClock } from '../cluster/played-runs.ts';
import { eventually, type ClusterUser } from '../cluster/start.ts';
import { useCluster } from '../cluster/use-cluster.ts';
import { startLoopbackApi, type LoopbackApi } from '../support/loopback-api.ts';
import { loadPlayedNodes, PLAYED_CLUSTER } from './played-cluster.ts';

interface Ran {
  readonly steps: readonly ExecStep[];
  readonly error: unknown;
  readonly report: ExecReport | null;
  readonly objects: readonly KubeObject[];
  readonly notes: readonly string[];
}

const NODE = 'exec-adm-1';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const userSubject = (name: string): Readonly<Record<string, string>> => ({ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' });

describe('hostprocess exec and what a cluster lets in', function () {
  this.timeout(120_000);
  const cluster = useCluster(PLAYED_CLUSTER);
  const servers: LoopbackApi[] = [];

  before('a node, and who may see it', async () => {
    await loadPlayedNodes(cluster(), [NODE]);
    await cluster().api.create(`${RBAC}/clusterroles`, { metadata: { name: 'exec-adm-nodes' }, rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get', 'list'] }] });
  });
  after(async () => {
    await cluster().kubectl(['delete', 'node', NODE, '--wait=false']);
    await cluster().kubectl(['delete', 'clusterrole', 'exec-adm-nodes']);
    await cluster().kubectl(['delete', 'clusterrolebinding', '-l', 'suite=exec-adm']);
    await cluster().kubectl(['delete', 'validatingadmissionpolicies,validatingadmissionpolicybindings,mutatingadmissionpolicies,mutatingadmissionpolicybindings,validatingwebhookconfigurations', '-l', 'suite=exec-adm']);
    await Promise.all(servers.map((server) => server.close()));
  });

  let count = 0;
  async function exec(namespace: string, more: Partial<ExecOptions> = {}, kubeconfig = cluster().kubeconfig): Promise<Ran> {
    count += 1;
    const client = await open(kubeconfig);
    const steps: ExecStep[] = [];
    let error: unknown = null;
    let report: ExecReport | null = null;
    const options: ExecOptions = {
      run: `adm${count}`, targets: [{ kind: 'node', name: NODE }], pools: [], releases: [], all: false,
      command: { shell: 'powershell', words: ['echo.exe', 'hi'], script: null, isPrivate: false, hasTerminal: false, errorAction: 'stop' },
      objects: { origin: 'test', image: HOST_PROCESS_BASE_IMAGE.reference, runAsUserName: 'NT AUTHORITY\\SYSTEM', pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {} },
      anchor: 'auto', namespace: { given: namespace, configured: null }, parallel: 10, batchSize: null, batchPauseSeconds: 0, maxFailures: null, timeoutSeconds: 30, startTimeoutSeconds: 30, dryRun: 'none',
      describe: { asOf: new Date(), poolLabels: [] }, confirm: async () => true, newNonce: () => count.toString(16).padStart(16, '0'), signal: AbortSignal.timeout(60_000), ...more,
    };
    const sink = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });
    try {
      for await (const step of execOnNodes(options, { reader: client, writer: client.writer, exec: client.execChannel, records: null, clock: realClock, streamsOf: () => ({ streams: { stdout: sink(), stderr: sink(), tty: null }, end: async () => undefined }) }, (one) => { report = one; })) steps.push(step);
    } catch (failure) {
      error = failure;
    } finally {
      await client.close();
    }
    return { steps, error, report, objects: steps.flatMap((step) => (step.type === 'planned' ? step.objects : [])), notes: steps.flatMap((step) => (step.type === 'note' ? [step.message] : [])) };
  }

  /** What anybody has stored since the mark in a namespace, by the audit log: Jobs and pods, whoever made them. */
  async function stored(namespace: string, mark: number): Promise<readonly string[]> {
    return (await cluster().auditEvents(mark)).filter(({ stage, verb, requestURI, objectRef, responseStatus }) => stage !== 'ResponseStarted' && ['create', 'update', 'patch', 'delete'].includes(verb) && !requestURI.includes('dryRun=') && objectRef?.namespace === namespace
      && ['jobs', 'pods'].includes(objectRef.resource ?? '') && (responseStatus?.code ?? 500) < 300).map(({ verb, requestURI }) => `${verb} ${requestURI}`);
  }

  async function ended(ran: Ran, namespace: string): Promise<void> {
    assert.equal(ran.error, null);
    assert.deepEqual(ran.report?.items.map(({ outcome }) => [outcome?.exitCode, outcome?.error]), [[0, null]]);
    await nothingLeft(cluster(), namespace, 30);
  }

  /** The dry run and the real thing refuse with the same words, and nothing comes to be. */
  async function refused(namespace: string, more: Partial<ExecOptions> = {}, kubeconfig = cluster().kubeconfig): Promise<ClusterError> {
    const mark = await cluster().auditMark();
    const errors: ClusterError[] = [];
    for (const dryRun of ['server', 'none'] as const) {
      const { error, report } = await exec(namespace, { ...more, dryRun }, kubeconfig);
      assert.ok(error instanceof ClusterError, `not refused: ${JSON.stringify(report)} ${String(error)}`);
      assert.ok(error.suggestions.length > 0, `without a fix: ${error.message}`);
      errors.push(error);
    }
    assert.deepEqual(await stored(namespace, mark), []);
    const [beforehand, really] = errors.map(({ message, suggestions }) => [message, ...suggestions].join('\n').replace(/adm\d+(?:-\d+)?(?:-[a-z0-9]{5})?/g, 'RUN'));
    assert.equal(really, beforehand);
    return errors[0] ?? assert.fail();
  }

  /** What becomes of the Job where nobody looks beforehand: it has no pod, and the Job controller says why. */
  async function withoutALook(namespace: string, says: RegExp): Promise<void> {
    const { objects: [job] } = await exec(namespace, { dryRun: 'client' });
    const name = nameOf(job);
    await cluster().api.create(`/apis/batch/v1/namespaces/${namespace}/jobs`, job ?? {});
    const event = await eventually('an event FailedCreate', 30, async () => {
      const { stdout } = await cluster().kubectl(['get', 'events', '-n', namespace, '--field-selector', `involvedObject.name=${name},reason=FailedCreate`, '-o', 'jsonpath={.items[0].message}']);
      return stdout === '' ? undefined : stdout;
    });
    assert.match(event, says);
    assert.equal((await cluster().kubectl(['get', 'pods', '-n', namespace, '-o', 'name'])).stdout, '');
    await cluster().kubectl(['delete', 'job', name, '-n', namespace]);
  }

  describe('Pod Security', () => {
    for (const level of ['baseline', 'restricted']) {
      it(`${level} is refused, as the Job controller is, and the namespace of the fix works`, async () => {
        const namespace = `adm-${level}`;
        await cluster().createNamespace(namespace, { 'pod-security.kubernetes.io/enforce': level });
        const error = await refused(namespace);
        assert.match(error.message, new RegExp(`its pods are refused in the namespace ${namespace}: .*violates PodSecurity "${level}:latest"`));
        assert.match(error.suggestions[0] ?? '', /kubectl create namespace kubectl-win && kubectl label namespace kubectl-win pod-security\.kubernetes\.io\/enforce=privileged/);
        await withoutALook(namespace, /violates PodSecurity/);
        await cluster().kubectl(['label', 'namespace', namespace, 'pod-security.kubernetes.io/enforce=privileged', '--overwrite']);
        await ended(await exec(namespace), namespace);
      });
    }

    it('is read from the label for who may not create pods', async () => {
      await cluster().createNamespace('adm-label', { 'pod-security.kubernetes.io/enforce': 'baseline' });
      const user = await someone('label', 'adm-label', allRules());
      await cluster().api.create(`${RBAC}/clusterroles`, { metadata: { name: 'exec-adm-namespaces' }, rules: [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get'] }] });
      await bindEverywhere('exec-adm-namespaces', user);
      const error = await refused('adm-label', {}, user.kubeconfig);
      assert.match(error.message, /^HostProcess pods are refused in the namespace adm-label: it has the label pod-security\.kubernetes\.io\/enforce=baseline$/);
      await cluster().kubectl(['delete', 'clusterrole', 'exec-adm-namespaces']);
    });
  });

  const ALL = ['create jobs', 'get jobs', 'delete jobs', 'list pods', 'watch pods', 'get pods/exec', 'create pods/exec'] as const;
  function allRules(without?: string): readonly Readonly<Record<string, unknown>>[] {
    return ALL.filter((right) => right !== without).map((right) => {
      const [verb = '', resource = ''] = right.split(' ');
      return { apiGroups: [resource === 'jobs' ? 'batch' : ''], resources: [resource], verbs: [verb] };
    });
  }

  async function bindEverywhere(role: string, user: ClusterUser): Promise<void> {
    await cluster().api.create(`${RBAC}/clusterrolebindings`, { metadata: { name: `${role}-${user.name}`, labels: { suite: 'exec-adm' } }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role }, subjects: [userSubject(user.name)] });
  }

  async function bind(namespace: string, role: string, user: ClusterUser): Promise<void> {
    await cluster().api.create(`${RBAC}/namespaces/${namespace}/rolebindings`, { metadata: { name: `${role}-${user.name}` }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: role }, subjects: [userSubject(user.name)] });
  }

  /** A user who may read nodes, and in one namespace what `rules` say. */
  async function someone(name: string, namespace: string, rules: readonly Readonly<Record<string, unknown>>[]): Promise<ClusterUser> {
    const user = await cluster().user(`exec-adm-${name}`, { namespace });
    await bindEverywhere('exec-adm-nodes', user);
    if (rules.length > 0) {
      await cluster().api.create(`${RBAC}/namespaces/${namespace}/roles`, { metadata: { name }, rules });
      await bind(namespace, name, user);
      const [last] = rules.slice(-1);
      await inForce(namespace, user, String(arrayAt(last, 'verbs')[0]), String(arrayAt(last, 'resources')[0]));
    }
    return user;
  }

  /** The authorizer learns of bindings by a watch. */
  async function inForce(namespace: string, user: ClusterUser, verb: string, resource: string): Promise<void> {
    const [plural = '', subresource] = resource.split('/');
    await eventually('the rights', 30, async () => {
      const answer = await cluster().kubectl(['auth', 'can-i', verb, plural === 'jobs' ? 'jobs.batch' : plural, ...(subresource === undefined ? [] : [`--subresource=${subresource}`]), '-n', namespace, '--as', user.name]);
      return answer.stdout.trim() === 'yes' ? true : undefined;
    });
  }

  describe('rights', () => {
    before(() => cluster().createNamespace('adm-rights', { 'pod-security.kubernetes.io/enforce': 'privileged' }));

    for (const [at, right] of ALL.entries()) {
      it(`without ${right} it is refused, and the Role that is proposed is enough`, async () => {
        const user = await someone(`without-${at}`, 'adm-rights', allRules(right));
        const error = await refused('adm-rights', {}, user.kubeconfig);
        assert.equal(error.message, `not allowed in the namespace adm-rights: ${right}`);
        const [proposal = '', ...waysOn] = error.suggestions;
        assert.equal(waysOn.some((way) => way.startsWith('--via=logs')), right.endsWith('pods/exec'));
        await cluster().kubectl(['delete', 'role', 'kubectl-win-hostprocess', '-n', 'adm-rights', '--ignore-not-found']);
        const applied = await cluster().kubectl(['apply', '-f', '-'], { input: proposal.slice(proposal.indexOf('apiVersion:')) });
        assert.equal(applied.code, 0, applied.stderr);
        await bind('adm-rights', 'kubectl-win-hostprocess', user);
        await inForce('adm-rights', user, ...right.split(' ') as [string, string]);
        const ran = await exec('adm-rights', {}, user.kubeconfig);
        assert.deepEqual(ran.notes, ['whether pods are admitted in adm-rights is not known beforehand: that takes the right to create pods']);
        await ended(ran, 'adm-rights');
      });
    }

    it('to pods alone make a pod without a Job, and say what it leaves', async () => {
      const user = await someone('pods-alone', 'adm-rights', [{ apiGroups: [''], resources: ['pods'], verbs: ['create', 'get', 'delete', 'list', 'watch'] }, { apiGroups: [''], resources: ['pods/exec'], verbs: ['get', 'create'] }]);
      const mark = await cluster().auditMark();
      const ran = await exec('adm-rights', {}, user.kubeconfig);
      assert.match(ran.notes.join(), /^Jobs may not be created in adm-rights .* kubectl win hostprocess sweep$/);
      await ended(ran, 'adm-rights');
      const made = await stored('adm-rights', mark);
      assert.ok(made.some((request) => /^create .*\/pods\b/.test(request)) && !made.some((request) => request.includes('/jobs')), made.join('\n'));
    });

    it('none: the Role has all, and no right to nodes/proxy', async () => {
      const user = await someone('nothing', 'adm-rights', []);
      const error = await refused('adm-rights', {}, user.kubeconfig);
      assert.match(error.message, /^not allowed in the namespace adm-rights: create jobs, get jobs, delete jobs, list pods, watch pods, get pods\/exec, create pods\/exec$/);
      assert.doesNotMatch(error.suggestions.join('\n'), /proxy/);
    });
  });

  describe('quotas and limits', () => {
    const namespace = 'adm-exec-quota';
    before(() => cluster().createNamespace(namespace));
    afterEach(() => cluster().kubectl(['delete', 'quota,limitrange', '--all', '-n', namespace]));

    async function quota(spec: Readonly<Record<string, unknown>>): Promise<void> {
      await cluster().api.create(`/api/v1/namespaces/${namespace}/resourcequotas`, { metadata: { name: 'q' }, spec });
      await eventually('the status of the quota', 30, async () => (isRecord(((await cluster().api.get(`/api/v1/namespaces/${namespace}/resourcequotas/q`))['status'] as KubeObject | undefined)?.['hard']) ? true : undefined));
    }

    for (const [what, spec] of [['pods', { hard: { pods: '0' } }], ['pods with a deadline', { hard: { pods: '0' }, scopes: ['Terminating'] }]] as const) {
      it(`a full one for ${what} is refused, as the Job controller is`, async () => {
        await quota(spec);
        const error = await refused(namespace);
        assert.match(error.message, /exceeded quota|leaves no room for a pod/);
        assert.match(error.suggestions.join('\n'), /kubectl describe quota -n adm-exec-quota/);
        await withoutALook(namespace, /exceeded quota/);
      });
    }

    it('a full one for Jobs is refused', async () => {
      await quota({ hard: { 'count/jobs.batch': '0' } });
      assert.match((await refused(namespace)).message, /its Jobs are refused in the namespace adm-exec-quota: .*exceeded quota/);
    });

    it('one of limits is met by pods that have some of 0, which stay BestEffort; refused is what requests something, with what it wants', async () => {
      await quota({ hard: { 'limits.cpu': '0', 'limits.memory': '0' } });
      const { objects: [pod] } = await exec(namespace, { dryRun: 'client', anchor: 'pod' });
      assert.equal(stringAt(await cluster().api.create(`/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod ?? {}), 'status', 'qosClass'), 'BestEffort');
      await ended(await exec(namespace), namespace);
      const objects = { origin: 'test', image: HOST_PROCESS_BASE_IMAGE.reference, runAsUserName: 'NT AUTHORITY\\SYSTEM', pullSecrets: [], priorityClass: null, requests: { memory: '64Mi' }, labels: {}, annotations: {} };
      const error = await refused(namespace, { objects });
      assert.match(error.message, /must specify limits\.memory/);
      assert.match(error.suggestions.join('\n'), /a quota of limits in adm-exec-quota takes no pod that requests something without a limit: leave --cpu and --memory away/);
    });

    it('one of requests is met by pods that ask for nothing, and one for pods without a deadline does not count them', async () => {
      await quota({ hard: { 'requests.cpu': '0', 'requests.memory': '0', 'pods': '1' } });
      await ended(await exec(namespace), namespace);
      await cluster().kubectl(['delete', 'quota', '--all', '-n', namespace]);
      await quota({ hard: { pods: '0' }, scopes: ['NotTerminating'] });
      await ended(await exec(namespace), namespace);
    });

    it('a LimitRange that asks for more than the pods have is refused', async () => {
      await cluster().api.create(`/api/v1/namespaces/${namespace}/limitranges`, { metadata: { name: 'min' }, spec: { limits: [{ type: 'Container', min: { cpu: '100m' } }] } });
      assert.match((await refused(namespace)).suggestions.join('\n'), /kubectl describe limitrange -n adm-exec-quota/);
    });
  });

  it('a namespace, an account and a priority class that are not there are refused', async () => {
    assert.match((await refused('adm-exec-nowhere')).suggestions.join('\n'), /kubectl create namespace adm-exec-nowhere/);
    await cluster().createNamespace('adm-exec-priority');
    const { objects } = { objects: { origin: 'test', image: 'r.example/base:v1', runAsUserName: 'NT AUTHORITY\\SYSTEM', pullSecrets: [], priorityClass: 'urgent', requests: {}, labels: {}, annotations: {} } };
    assert.match((await refused('adm-exec-priority', { objects })).suggestions.join('\n'), /--priority-class urgent names none/);
  });

  describe('policies and webhooks', () => {
    /** In a namespace of its own. */
    const inNamespace = (namespace: string): Readonly<Record<string, unknown>> => ({ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } });

    /** Policies and webhooks are in force a little later. */
    async function untilRefused(namespace: string): Promise<void> {
      await eventually('the policy', 60, async () => {
        const probe = await cluster().api.send('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'probe' }, spec: { containers: [{ name: 'c', image: 'x:1' }] } });
        return probe.status >= 400 ? true : undefined;
      });
    }

    async function refusingPolicy(name: string, resource: 'pods' | 'pods/exec', operations: readonly string[]): Promise<void> {
      await cluster().api.create(`${ADMISSION}/validatingadmissionpolicies`, {
        metadata: { name, labels: { suite: 'exec-adm' } },
        spec: { failurePolicy: 'Fail', matchConstraints: { ...inNamespace(name), resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations, resources: [resource] }] }, validations: [{ expression: 'false', message: 'nobody here' }] },
      });
      await cluster().api.create(`${ADMISSION}/validatingadmissionpolicybindings`, { metadata: { name, labels: { suite: 'exec-adm' } }, spec: { policyName: name, validationActions: ['Deny'] } });
    }

    it('a policy that refuses pods is refused, as the Job controller is', async () => {
      await cluster().createNamespace('adm-policy');
      await refusingPolicy('adm-policy', 'pods', ['CREATE']);
      await untilRefused('adm-policy');
      const error = await refused('adm-policy');
      assert.match(error.message, /ValidatingAdmissionPolicy 'adm-policy' with binding 'adm-policy' denied request: nobody here/);
      assert.match(error.suggestions[0] ?? '', /have pods with the label app\.kubernetes\.io\/managed-by: kubectl-win exempted/);
      await withoutALook('adm-policy', /nobody here/);
    });

    it('a policy that refuses them cannot be foreseen for who may not create pods: it is said, and the run says why', async () => {
      const user = await someone('policy', 'adm-policy', [...allRules(), { apiGroups: [''], resources: ['events'], verbs: ['list'] }]);
      const mark = await cluster().auditMark();
      const { error, report, notes } = await exec('adm-policy', {}, user.kubeconfig);
      assert.equal(error, null);
      assert.match(notes.join(), /not known beforehand/);
      assert.deepEqual(report?.items.map(({ outcome }) => outcome?.error?.reason), ['Refused']);
      assert.match(report?.items[0]?.outcome?.error?.message ?? '', /nobody here/);
      await nothingLeft(cluster(), 'adm-policy', 30);
      assert.deepEqual((await stored('adm-policy', mark)).filter((request) => /^create .*\/pods\b/.test(request)), []);
    });

    it('a policy that refuses the command itself cannot be foreseen: the pod goes again', async () => {
      await cluster().createNamespace('adm-connect');
      await refusingPolicy('adm-connect', 'pods/exec', ['CONNECT']);
      const { report } = await eventually('the policy', 60, async () => {
        const ran = await exec('adm-connect');
        return ran.report?.items[0]?.outcome?.error === null ? undefined : ran;
      });
      assert.equal(report?.items[0]?.outcome?.exitCode, null);
      assert.match(report?.items[0]?.outcome?.error?.message ?? '', /nobody here/);
      await nothingLeft(cluster(), 'adm-connect', 30);
    });

    it('a queue that suspends Jobs is refused', async () => {
      await cluster().createNamespace('adm-queue');
      await cluster().api.create(`${ADMISSION}/mutatingadmissionpolicies`, {
        metadata: { name: 'adm-queue', labels: { suite: 'exec-adm' } },
        spec: {
          failurePolicy: 'Fail', reinvocationPolicy: 'Never', matchConstraints: { ...inNamespace('adm-queue'), resourceRules: [{ apiGroups: ['batch'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['jobs'] }] },
          mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/spec/suspend", value: true}]' } }],
        },
      });
      await cluster().api.create(`${ADMISSION}/mutatingadmissionpolicybindings`, { metadata: { name: 'adm-queue', labels: { suite: 'exec-adm' } }, spec: { policyName: 'adm-queue' } });
      await eventually('the policy', 60, async () => {
        const probe = await cluster().api.send('POST', '/apis/batch/v1/namespaces/adm-queue/jobs?dryRun=All', { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'probe' }, spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'x:1' }] } } } });
        return /"suspend":\s*true/.test(probe.text) ? true : undefined;
      });
      assert.match((await refused('adm-queue')).message, /they are suspended, and nobody lets them go/);
    });

    async function webhook(name: string, url: string, ca: string | undefined): Promise<void> {
      await cluster().createNamespace(name);
      await cluster().api.create(`${ADMISSION}/validatingwebhookconfigurations`, {
        metadata: { name, labels: { suite: 'exec-adm' } },
        webhooks: [{
          name: `${name}.example.com`, admissionReviewVersions: ['v1'], sideEffects: 'None', failurePolicy: 'Fail', timeoutSeconds: 5, ...inNamespace(name), clientConfig: { url, ...(ca === undefined ? {} : { caBundle: Buffer.from(ca).toString('base64') }) },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
        }],
      });
      await untilRefused(name);
    }

    it('a webhook that refuses pods is refused', async () => {
      const server = await startLoopbackApi(({ body }, response) => {
        const review = JSON.parse(body) as { readonly request: { readonly uid: string } };
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid: review.request.uid, allowed: false, status: { message: 'not today' } } }));
      });
      servers.push(server);
      await webhook('adm-webhook', `${server.url}/pods`, server.ca);
      const error = await refused('adm-webhook');
      assert.match(error.message, /admission webhook "adm-webhook\.example\.com" denied the request: not today/);
      await withoutALook('adm-webhook', /not today/);
    });

    it('a webhook that does not answer is refused', async () => {
      const server = await startLoopbackApi(() => undefined);
      await server.close();
      await webhook('adm-silent', `${server.url}/pods`, server.ca);
      const error = await refused('adm-silent');
      assert.match(error.message, /failed calling webhook/);
      assert.match(error.suggestions[0] ?? '', /a webhook does not answer/);
    });
  });

  it('a proxy that hands on requests without their upgrade is refused, with the ways on', async () => {
    const namespace = 'adm-websocket';
    await cluster().createNamespace(namespace);
    await cluster().api.create(`${RBAC}/clusterrolebindings`, { metadata: { name: 'adm-websocket', labels: { suite: 'exec-adm' } }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' }, subjects: [{ kind: 'ServiceAccount', name: 'default', namespace }] });
    const proxy = await startLoopbackApi(({ url, method, headers, body }, response) => {
      const { connection: _connection, upgrade: _upgrade, host: _host, 'content-length': _length, 'transfer-encoding': _encoding, ...rest } = headers;
      const kept = Object.fromEntries(Object.entries(rest).filter(([name]) => !name.startsWith('sec-websocket')));
      const onward = https.request(cluster().server + url, { method, ca: cluster().ca, headers: { ...kept, ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }) }, agent: false }, (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(response);
      });
      onward.on('error', () => response.destroy());
      response.on('close', () => onward.destroy());
      onward.end(body);
    });
    servers.push(proxy);
    const kubeconfig = await cluster().kubeconfigFor({ token: await cluster().serviceAccountToken(namespace, 'default') }, { namespace, cluster: { 'server': proxy.url, 'certificate-authority-data': Buffer.from(proxy.ca ?? '').toString('base64') } });
    const error = await refused(namespace, {}, kubeconfig);
    assert.equal(error.reason, 'UpgradeRefused');
    assert.match(error.suggestions.join('\n'), /--via=logs .*\n.*kubectl win hostprocess exec NODE --dry-run=client -o yaml \| kubectl create -n adm-websocket -f -/);
    // The same user without the proxy.
    await ended(await exec(namespace, {}, await cluster().kubeconfigFor({ token: await cluster().serviceAccountToken(namespace, 'default') }, { namespace })), namespace);
  });

  it('the words for kubectl work as they stand', async () => {
    const namespace = 'adm-kubectl';
    await cluster().createNamespace(namespace);
    const { objects: [job] } = await exec(namespace, { dryRun: 'client' });
    const created = await cluster().kubectl(['create', '-n', namespace, '-f', '-'], { input: JSON.stringify(job) });
    assert.equal(created.code, 0, created.stderr);
    await eventually('the pod', 30, async () => ((await cluster().kubectl(['get', 'pods', '-n', namespace, '-o', 'jsonpath={.items[0].status.phase}'])).stdout === 'Running' ? true : undefined));
    const ran = await cluster().kubectl(['exec', '-n', namespace, `job/${nameOf(job)}`, '--', 'echo', 'kubectl']);
    assert.deepEqual([ran.code, ran.stdout.trim()], [0, 'kubectl'], ran.stderr);
    assert.equal(stringAt(job, 'metadata', 'namespace'), namespace);
    const deleted = await cluster().kubectl(['delete', '-n', namespace, `job/${nameOf(job)}`]);
    assert.equal(deleted.code, 0, deleted.stderr);
    await nothingLeft(cluster(), namespace, 30);
  });
});
