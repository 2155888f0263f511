import assert from 'node:assert/strict';
import { checkExec, type ExecPreflight, type ExecPreflightRequest } from '../../../../src/app/hostprocess/preflight.ts';
import type { AccessQuestion, ClusterWriter } from '../../../../src/app/ports.ts';
import { deadlinesOf } from '../../../../src/domain/hostprocess/run-objects.ts';
import { arrayAt, recordAt, stringAt, stringMapAt, type KubeObject } from '../../../../src/domain/kubernetes/object.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { fakeCluster, forbidden, type FakeClusterParts } from '../../../support/fake-cluster.ts';

interface Parts extends FakeClusterParts {
  /** `create jobs`, `get pods/exec`. */
  readonly denied?: readonly string[];
  /** What becomes of a dry run: throws, or changes the object. */
  readonly admit?: (object: KubeObject, kind: 'Job' | 'Pod') => KubeObject;
  readonly probe?: ClusterError | null;
}

interface Checked {
  readonly result: ExecPreflight;
  readonly shown: readonly KubeObject[];
  readonly asked: readonly string[];
  readonly isProbed: boolean;
}

async function check(request: Partial<ExecPreflightRequest> = {}, { denied = [], admit = (object) => object, probe = null, ...parts }: Parts = {}): Promise<Checked> {
  const shown: KubeObject[] = [];
  const asked: string[] = [];
  let isProbed = false;
  const never = async (): Promise<never> => assert.fail('changes something');
  const name = ({ verb, resource, subresource }: AccessQuestion): string => `${verb} ${resource}${subresource === undefined ? '' : `/${subresource}`}`;
  const writer: ClusterWriter = {
    merge: never, delete: never,
    create: async (_, object, options) => {
      assert.equal(options?.dryRun, true, 'creates something');
      shown.push(object);
      return admit(object, object.kind === 'Job' ? 'Job' : 'Pod');
    },
    review: async (questions) => questions.map((question) => {
      asked.push(name(question));
      assert.equal(question.namespace, 'ops');
      return { question, allowed: !denied.includes(name(question)) };
    }),
  };
  const exec = { probe: async () => {
    isProbed = true;
    return probe;
  } };
  const result = await checkExec({
    sample: { index: 2, node: 'win-1' }, anchor: 'auto', needsLease: false, serverVersion: 'v1.37.2',
    objects: { run: 'ab12c', namespace: 'ops', origin: 'test', image: 'r.example/base:v1', runAsUserName: 'NT AUTHORITY\\SYSTEM', anchor: 'job', ...deadlinesOf({ timeoutSeconds: 600, startTimeoutSeconds: 300, isLeased: false }), pullSecrets: [], priorityClass: null, requests: {}, labels: {}, annotations: {} },
    ...request,
  }, { reader: fakeCluster(parts), writer, exec }, new AbortController().signal);
  return { result, shown, asked, isProbed };
}

async function refusal(request: Partial<ExecPreflightRequest>, parts: Parts): Promise<string> {
  try {
    await check(request, parts);
  } catch (error) {
    assert.ok(error instanceof ClusterError, String(error));
    assert.ok(error.suggestions.length > 0, 'says what to do');
    return [error.message, ...error.suggestions].join('\n');
  }
  return assert.fail('not refused');
}

const refusing = (kind: 'Job' | 'Pod', message: string, reason: ClusterError['reason'] = 'Forbidden', status = 403): Parts => ({ admit: (object, of) => {
  if (of === kind) throw new ClusterError(message, { reason, status });
  return object;
} });
const changingJob = (change: (spec: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>): Parts => ({ admit: (object, kind) => (kind === 'Job' ? { ...object, spec: { ...recordAt(object, 'spec'), ...change(recordAt(object, 'spec')) } } : object) });
const noPods = 'pods is forbidden: User "jane" cannot create resource "pods" in API group "" in the namespace "ops"';
const namespace = (level: string | null): NonNullable<Parts['objects']> => ({ namespaces: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops', labels: level === null ? {} : { 'pod-security.kubernetes.io/enforce': level } } }] });
const quota = (hard: Readonly<Record<string, string>>, spec: Readonly<Record<string, unknown>> = {}): NonNullable<Parts['objects']> => ({ resourcequotas: [{ apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace: 'ops' }, spec, status: { hard, used: {} } }] });

describe('a look beforehand', () => {
  it('lets pass what can work, asks for no more than is needed, and creates nothing', async () => {
    const { result, shown, asked, isProbed } = await check();
    assert.deepEqual(result, { anchor: 'job', mayMoveDeadline: true, places: null, notes: [] });
    assert.deepEqual(shown.map(({ kind }) => kind), ['Job', 'Pod']);
    assert.deepEqual(asked, ['create jobs', 'get jobs', 'delete jobs', 'patch jobs', 'create pods', 'get pods', 'delete pods', 'list pods', 'watch pods', 'get pods/exec', 'create pods/exec']);
    assert.equal(isProbed, true);
  });

  it('shows the API server the pod as the Job controller makes it, of the Job as it was let in', async () => {
    const { shown } = await check({}, changingJob((spec) => ({ template: { ...recordAt(spec, 'template'), metadata: { ...recordAt(spec, 'template', 'metadata'), annotations: { added: 'yes' } } } })));
    const pod = shown[1] ?? assert.fail();
    assert.deepEqual([stringMapAt(pod, 'metadata', 'annotations'), stringMapAt(pod, 'metadata', 'labels')['kubectl-win/run'], stringAt(pod, 'metadata', 'generateName'), stringAt(pod, 'spec', 'nodeName')], [{ added: 'yes' }, 'ab12c', 'kubectl-win-hostprocess-ab12c-2-', 'win-1']);
  });

  describe('at rights', () => {
    for (const right of ['get jobs', 'delete jobs', 'list pods', 'watch pods', 'get pods/exec', 'create pods/exec']) {
      it(`names ${right}, where it is missing for Jobs, with a Role of what is needed and no more`, async () => {
        const said = await refusal({ anchor: 'job' }, { denied: [right] });
        assert.match(said, new RegExp(`^not allowed in the namespace ops: ${right}\nask for a Role in ops:\n`));
        assert.match(said, /- \{ apiGroups: \[batch\], resources: \[jobs\], verbs: \[create, get, delete\] \}\n- \{ apiGroups: \[""\], resources: \[pods\], verbs: \[list, watch\] \}\n- \{ apiGroups: \[""\], resources: \[pods\/exec\], verbs: \[get, create\] \}\n- \{ apiGroups: \[""\], resources: \[events\], verbs: \[list\] \}/);
        assert.doesNotMatch(said, /nodes\/proxy|patch/);
      });
    }

    it('takes pods without Jobs, and says what they leave, where Jobs may not be created', async () => {
      const { result, shown } = await check({ needsLease: true }, { denied: ['create jobs'] });
      assert.deepEqual([result.anchor, result.mayMoveDeadline, shown.map(({ kind }) => kind)], ['pod', false, ['Pod']]);
      assert.match(result.notes.join(), /^Jobs may not be created in ops \(create jobs\), so that pods are made without: .* kubectl win hostprocess sweep$/);
    });

    it('takes pods without Jobs where that is asked for, and needs no right to Jobs', async () => {
      assert.deepEqual((await check({ anchor: 'pod' }, { denied: ['create jobs', 'get jobs', 'delete jobs', 'patch jobs'] })).result, { anchor: 'pod', mayMoveDeadline: false, places: null, notes: [] });
      assert.match(await refusal({ anchor: 'pod' }, { denied: ['delete pods'] }), /delete pods\n.*\n.*\n.*\n.*\nrules:\n- \{ apiGroups: \[""\], resources: \[pods\], verbs: \[create, get, delete, list, watch\] \}/);
    });

    it('names pods without Jobs as a way on, where Jobs are asked for', async () => assert.match(await refusal({ anchor: 'job' }, { denied: ['create jobs'] }), /--anchor=pod/));

    it('asks for Jobs where neither may be created', async () => {
      const said = await refusal({}, { denied: ['create jobs', 'create pods'] });
      assert.match(said, /^not allowed in the namespace ops: create jobs\n/);
      assert.doesNotMatch(said, /--anchor=pod/);
    });

    it('a deadline that cannot be moved is said where it would be', async () => {
      const { result } = await check({ needsLease: true }, { denied: ['patch jobs'] });
      assert.deepEqual([result.anchor, result.mayMoveDeadline], ['job', false]);
      assert.match(result.notes.join(), /patch jobs/);
      assert.deepEqual((await check({}, { denied: ['patch jobs'] })).result.notes, []);
      assert.match(await refusal({ needsLease: true }, { denied: ['list pods'] }), /resources: \[jobs\], verbs: \[create, get, delete, patch\]/);
    });

    it('pods/exec that is denied has a way on, and none by kubectl', async () => {
      const said = await refusal({}, { denied: ['create pods/exec'] });
      assert.match(said, /--via=logs/);
      assert.doesNotMatch(said, /kubectl exec/);
    });

    it('an API server before 1.35 asks for get alone', async () => {
      const { asked } = await check({ serverVersion: 'v1.34.2' }, { denied: ['create pods/exec'] });
      assert.deepEqual(asked.filter((right) => right.endsWith('pods/exec')), ['get pods/exec']);
      assert.ok((await check({ serverVersion: null })).asked.includes('create pods/exec'));
    });

    it('the log takes a right of its own, and neither exec nor WebSockets', async () => {
      const { asked, isProbed } = await check({ via: 'logs' }, { denied: ['get pods/exec', 'create pods/exec'], probe: new ClusterError('no', { reason: 'UpgradeRefused' }) });
      assert.deepEqual([asked.filter((right) => right.includes('/')), isProbed], [['get pods/log'], false]);
      assert.match(await refusal({ via: 'logs' }, { denied: ['get pods/log'] }), /get pods\/log\n.*resources: \[pods\/log\], verbs: \[get\]/s);
    });
  });

  const refusals: readonly (readonly [what: string, parts: Parts, says: RegExp])[] = [
    ['Pod Security', refusing('Pod', 'pods "x" is forbidden: violates PodSecurity "baseline:latest": hostNetwork=true, hostProcess=true'), /its pods are refused in the namespace ops: .*\n.*kubectl label namespace kubectl-win pod-security\.kubernetes\.io\/enforce=privileged/],
    ['a full quota', refusing('Pod', 'pods "x" is forbidden: exceeded quota: q, requested: pods=1'), /kubectl describe quota -n ops/], ['a quota of Jobs', refusing('Job', 'jobs.batch "x" is forbidden: exceeded quota: q'), /its Jobs are refused.*\n.*kubectl describe quota/],
    ['an API server that lets nothing privileged in', refusing('Pod', 'Pod "x" is invalid: spec.containers[0]: hostProcess containers are disallowed by cluster policy', 'Invalid', 422), /--allow-privileged=false/],
    ['a sidecar that is injected', refusing('Pod', 'If pod contains any hostProcess containers then all containers must be HostProcess containers', 'Invalid', 422), /sidecar injector/],
    ['a policy', refusing('Pod', 'pods "x" is forbidden: ValidatingAdmissionPolicy \'no-exec\' with binding \'b\' denied request: not here'), /exempted in ops/], ['a webhook', refusing('Job', 'admission webhook "w.example" denied the request: not here'), /exempted in ops/],
    ['a webhook that does not answer', refusing('Pod', 'Internal error occurred: failed calling webhook "w.example": dial tcp: i/o timeout', 'InternalError', 500), /repair it/],
    ['a namespace that is not there', refusing('Job', 'namespaces "ops" not found', 'NotFound', 404), /kubectl create namespace ops/], ['an account that is not there', refusing('Pod', 'error looking up service account ops/default: serviceaccount "default" not found'), /kubectl create serviceaccount default -n ops/],
    ['Jobs that are suspended', changingJob(() => ({ suspend: true })), /suspended.*\n.*Kueue/], ['pods that run as somebody else', { admit: (object, kind) => (kind === 'Pod' ? { ...object, spec: { ...recordAt(object, 'spec'), securityContext: { windowsOptions: { hostProcess: true, runAsUserName: 'Guests' } } } } : object) }, /run as Guests/],
    ['an API server that knows no HostProcess', { admit: (object, kind) => (kind === 'Pod' ? { ...object, spec: { ...recordAt(object, 'spec'), securityContext: {} } } : object) }, /no HostProcess pods any more/],
    ['a quota that leaves no place for pods with a deadline', { objects: quota({ pods: '0' }, { scopes: ['Terminating'] }) }, /leaves no room for a pod\nkubectl describe quota -n ops/], ['a label of Pod Security, to who may not create pods', { ...refusing('Pod', noPods), objects: namespace('restricted') }, /enforce=restricted\n.*enforce=privileged/],
  ];
  for (const [what, parts, says] of refusals) it(`refuses, with the fix: ${what}`, async () => assert.match(await refusal({}, parts), says));

  it('refuses a priority class that is not there, by its name', async () => {
    const { objects } = { objects: { run: 'r', namespace: 'ops', origin: 't', image: 'i', runAsUserName: 'NT AUTHORITY\\SYSTEM', anchor: 'job', deadlineSeconds: 9, sessionSeconds: 8, pullSecrets: [], priorityClass: 'urgent', requests: {}, labels: {}, annotations: {} } as const };
    assert.match(await refusal({ objects }, refusing('Pod', 'pods "x" is forbidden: no PriorityClass with name urgent was found')), /--priority-class urgent names none/);
  });

  const notes: readonly (readonly [what: string, parts: Parts, says: RegExp])[] = [
    ['a user who may not create pods', { ...refusing('Pod', noPods), objects: namespace(null) }, /^whether pods are admitted in ops is not known beforehand: that takes the right to create pods$/], ['the same in a privileged namespace', { ...refusing('Pod', noPods), objects: namespace('privileged') }, /privileged, lets them in$/],
    ['the same where namespaces may not be looked at', { ...refusing('Pod', noPods), errors: { 'get namespaces': forbidden('get', 'namespaces') } }, /that takes the right to create pods$/],
    ['a webhook for pods that takes no part in dry runs', refusing('Pod', 'admission webhook "w.example" does not support dry run', 'BadRequest', 400), /^whether pods are admitted in ops is not known beforehand: admission webhook "w\.example" does not support dry run$/],
    ['a webhook for Jobs that takes none', refusing('Job', 'admission webhook "w.example" does not support dry run', 'BadRequest', 400), /^whether Jobs are admitted in ops is not known beforehand/],
    ['a shorter deadline', changingJob(() => ({ activeDeadlineSeconds: 60 })), /no more than 60s/], ['a Job that stays', changingJob(() => ({ ttlSecondsAfterFinished: undefined })), /stays until kubectl win hostprocess sweep/],
    ['an image that is changed, once', { admit: (object, kind) => (kind === 'Pod' ? object : { ...object, spec: { ...recordAt(object, 'spec'), template: { ...recordAt(object, 'spec', 'template'), spec: { ...recordAt(object, 'spec', 'template', 'spec'), containers: [{ ...arrayAt(object, 'spec', 'template', 'spec', 'containers')[0] as object, image: 'm.example/base:v1' }] } } } }) }, /^the cluster changes the image of the pods: r\.example\/base:v1 becomes m\.example\/base:v1$/],
    ['WebSockets that may not be tried', { probe: forbidden('watch', 'pods') }, /^whether WebSockets reach the API server is not known beforehand/],
  ];
  for (const [what, parts, says] of notes) {
    it(`notes ${what}`, async () => {
      const { result } = await check({}, parts);
      assert.equal(result.notes.length, 1, result.notes.join('\n'));
      assert.match(result.notes[0] ?? '', says);
    });
  }

  it('shows the pod by itself where the Job cannot be tried', async () => {
    const { shown } = await check({}, refusing('Job', 'admission webhook "w.example" does not support dry run', 'BadRequest', 400));
    assert.deepEqual(shown.map(({ kind, metadata }) => [kind, metadata?.['name']]), [['Job', 'kubectl-win-hostprocess-ab12c-2'], ['Pod', 'kubectl-win-hostprocess-ab12c-2']]);
  });

  it('counts places by the pod\'s deadline, and Jobs where there are some', async () => {
    assert.equal((await check({}, { objects: quota({ pods: '3' }, { scopes: ['Terminating'] }) })).result.places, 3);
    assert.equal((await check({}, { objects: quota({ pods: '3' }, { scopes: ['NotTerminating'] }) })).result.places, null);
    assert.equal((await check({}, { objects: quota({ 'count/jobs.batch': '2' }) })).result.places, 2);
    assert.equal((await check({ anchor: 'pod' }, { objects: quota({ 'count/jobs.batch': '0' }) })).result.places, null);
  });

  describe('at WebSockets', () => {
    const none = new ClusterError('the server answered 426 to the upgrade', { reason: 'UpgradeRefused', status: 426, suggestions: ['see what stands between'] });

    it('refuses where they do not pass, with the ways on', async () => {
      const said = await refusal({}, { probe: none });
      assert.match(said, /^the server answered 426 to the upgrade\nsee what stands between\n--via=logs .*\n.*kubectl win hostprocess exec NODE --dry-run=client -o yaml \| kubectl create -n ops -f -, then kubectl exec -n ops -it job\/NAME/);
    });

    it('refuses an API server that is too old for them, without asking', async () => {
      assert.match(await refusal({ serverVersion: 'v1.29.9' }, {}), /^the API server is v1\.29\.9, and .* takes 1\.30 .*\n--via=logs/);
      assert.equal((await check({ serverVersion: 'v1.30.0' })).isProbed, true);
    });

    it('says what else the request met, without ways on that lead nowhere', async () => assert.equal((await check({}, { probe: new ClusterError('no route', { reason: 'Unreachable', suggestions: ['x'] }) }).then(() => '', (error: unknown) => (error instanceof ClusterError ? [error.reason, error.message, ...error.suggestions].join() : ''))), 'Unreachable,no route,x'));

    it('are of no interest where pods are not let in', async () => assert.match(await refusal({}, { ...refusing('Pod', 'violates PodSecurity "baseline:latest"'), probe: none }), /violates PodSecurity/));
  });
});
