/** What a cluster makes of the objects of a run when it lets them in: webhooks and policies change them, and some changes keep a pull from happening. */
import { arrayAt, stringAt } from '../kubernetes/object.ts';
import { parseQuantity } from '../kubernetes/quantity.ts';
import { exemption, type Admission } from '../runs/admitted-job.ts';
import { PULL_CONTAINER } from './run-objects.ts';

/** Of the pod that pulls, or of the template in its Job. */
export function judgeAdmittedPod(made: unknown, { node, image }: { readonly node: string; readonly image: string }): Admission {
  const refuse = (message: string, fix = exemption('pods')): Admission => ({ refusal: { message: `the cluster changes the pods so that they cannot pull: ${message}`, fix }, notes: [] });
  const containers = arrayAt(made, 'spec', 'containers');
  const container = containers.find((one) => stringAt(one, 'name') === PULL_CONTAINER);
  if (container === undefined) return refuse('the container that pulls is gone');
  const policy = stringAt(container, 'imagePullPolicy');
  if (policy === 'Never') return refuse('imagePullPolicy becomes Never');
  const bound = stringAt(made, 'spec', 'nodeName') ?? '';
  if (bound !== '' && bound !== node) return refuse(`they are bound to ${bound}`);
  const os = stringAt(made, 'spec', 'nodeSelector', 'kubernetes.io/os');
  if (os !== 'windows') return refuse(`they are for ${os ?? 'any'} nodes`);
  if (!isForNodeAlone(made, node)) return refuse('they may land on any node, and not on the one that is meant alone');
  const pulled = stringAt(container, 'image');
  const [memory, cpu] = ['memory', 'cpu'].map((resource) => parseQuantity(stringAt(container, 'resources', 'requests', resource) ?? '0') ?? 0) as [number, number]; // one for each
  const injected = containers.length + arrayAt(made, 'spec', 'initContainers').length - 1;
  const toleratesAll = arrayAt(made, 'spec', 'tolerations').some((one) => stringAt(one, 'operator') === 'Exists' && (stringAt(one, 'key') ?? '') === '' && (stringAt(one, 'effect') ?? '') === '');
  return { refusal: null, notes: [
    ...(policy === 'Always' ? ['the cluster makes the pods pull always (the admission plugin AlwaysPullImages, or a policy): each asks the registry, also where the image is there'] : []),
    ...(pulled !== undefined && pulled !== image ? [`the cluster changes the image of the pods, as it does with those of workloads: ${image} becomes ${pulled}`] : []),
    ...(memory > 0 || cpu > 0 ? ['a LimitRange or webhook gives the pods requests of their own: a full node may have no room for them'] : []),
    ...(injected > 0 ? [`the cluster adds ${injected} container${injected === 1 ? '' : 's'} to the pods (a sidecar injector): they have to be pulled, too`] : []),
    ...(toleratesAll ? [] : ['the cluster takes from the pods that they tolerate every taint: nodes that keep others off may be closed to them']),
  ] };
}

/** Of the pods of a DaemonSet of --keep-warm, whose container each keeps one image. */
export function judgeAdmittedStandingPod(made: unknown): Admission {
  const os = stringAt(made, 'spec', 'nodeSelector', 'kubernetes.io/os');
  const never = arrayAt(made, 'spec', 'containers').find((one) => stringAt(one, 'imagePullPolicy') === 'Never');
  const what = os !== 'windows' ? `they are for ${os ?? 'any'} nodes` : never !== undefined ? 'imagePullPolicy becomes Never' : null;
  return { refusal: what === null ? null : { message: `the cluster changes the pods so that they cannot pull: ${what}`, fix: exemption('pods') }, notes: [] };
}

/** Terms are alternatives: each has to name it. */
function isForNodeAlone(pod: unknown, node: string): boolean {
  if (stringAt(pod, 'spec', 'nodeName') === node) return true;
  const terms = arrayAt(pod, 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution', 'nodeSelectorTerms');
  return terms.length > 0 && terms.every((term) => arrayAt(term, 'matchFields').some((field) => {
    const values = arrayAt(field, 'values');
    return stringAt(field, 'key') === 'metadata.name' && stringAt(field, 'operator') === 'In' && values.length === 1 && values[0] === node;
  }));
}
