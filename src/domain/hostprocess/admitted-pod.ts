/** What a cluster makes of the pods of a run when it lets them in: some changes keep a command from its node, and some would run it as somebody else. */
import { arrayAt, booleanAt, numberAt, stringAt } from '../kubernetes/object.ts';
import { exemption, type Admission } from '../runs/admitted-job.ts';
import { EXEC_CONTAINER, type ExecObjectOptions } from './run-objects.ts';

/** `made`: the pod, or the template in its Job. */
export function judgeAdmittedPod(made: unknown, node: string, { image, runAsUserName, sessionSeconds }: Pick<ExecObjectOptions, 'image' | 'runAsUserName' | 'sessionSeconds'>): Admission {
  const refuse = (message: string, fix = exemption('pods')): Admission => ({ refusal: { message: `the cluster changes the pods so that they do not do what they are for: ${message}`, fix }, notes: [] });
  const containers = arrayAt(made, 'spec', 'containers');
  const container = containers.find((one) => stringAt(one, 'name') === EXEC_CONTAINER);
  if (container === undefined) return refuse('their container is gone');
  // those of a container go before those of its pod
  const holders = [[container, 'securityContext'], [made, 'spec', 'securityContext']] as const;
  const isHostProcess = holders.map(([holder, ...path]) => booleanAt(holder, ...path, 'windowsOptions', 'hostProcess')).find((value) => value !== undefined);
  const user = holders.map(([holder, ...path]) => stringAt(holder, ...path, 'windowsOptions', 'runAsUserName')).find((value) => value !== undefined);
  if (isHostProcess !== true) return refuse('they are no HostProcess pods any more', 'see what takes windowsOptions.hostProcess away: an API server without it (before 1.22, or with its feature gate off), or a mutating webhook or policy');
  if (user !== runAsUserName) return refuse(`they run as ${user ?? 'nobody that is named'} in place of ${runAsUserName}`);
  const bound = stringAt(made, 'spec', 'nodeName') ?? '';
  if (bound !== node) return refuse(bound === '' ? 'they are bound to no node' : `they are bound to ${bound}`);
  if (stringAt(made, 'spec', 'os', 'name') !== 'windows') return refuse('they are not for Windows any more');
  if (booleanAt(made, 'spec', 'hostNetwork') !== true) return refuse('they have no hostNetwork any more');
  const policy = stringAt(container, 'imagePullPolicy');
  const pulled = stringAt(container, 'image') ?? '';
  const limit = numberAt(made, 'spec', 'activeDeadlineSeconds');
  const injected = containers.length + arrayAt(made, 'spec', 'initContainers').length - 1;
  const toleratesAll = arrayAt(made, 'spec', 'tolerations').some((one) => stringAt(one, 'operator') === 'Exists' && (stringAt(one, 'key') ?? '') === '' && (stringAt(one, 'effect') ?? '') === '');
  return { refusal: null, notes: [
    ...(policy === 'Always' ? ['the cluster makes the pods pull always (the admission plugin AlwaysPullImages, or a policy): a node that does not reach the registry starts none'] : []),
    ...(policy === 'Never' ? ['the cluster makes the pods pull never: they start where the image is already'] : []),
    ...(pulled !== image ? [`the cluster changes the image of the pods: ${image} becomes ${pulled}`] : []),
    ...(limit === undefined ? ['the cluster takes activeDeadlineSeconds from the pods: without an API server nothing but their main process ends them'] : []),
    ...(limit !== undefined && limit < sessionSeconds ? [`the cluster gives the pods no more than ${limit}s (activeDeadlineSeconds): what takes longer is ended`] : []),
    ...(injected > 0 ? [`the cluster adds ${injected} container${injected === 1 ? '' : 's'} to the pods (a sidecar injector): they have to start, too`] : []),
    ...(toleratesAll ? [] : ['the cluster takes from the pods that they tolerate every taint: nodes with NoExecute taints evict them']),
  ] };
}
