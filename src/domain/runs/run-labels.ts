/** What everything has that a run of this program creates in a cluster. */

export type RunComponent = 'prepull' | 'hostprocess';

export interface ManagedBy<Component extends RunComponent> {
  readonly 'app.kubernetes.io/managed-by': 'kubectl-win';
  readonly 'app.kubernetes.io/component': Component;
}

/** Labels of all that a command creates, the same in every run. */
export function managedBy<Component extends RunComponent>(component: Component): ManagedBy<Component> {
  return { 'app.kubernetes.io/managed-by': 'kubectl-win', 'app.kubernetes.io/component': component };
}

export const RUN_LABEL = 'kubectl-win/run';
/** run: the Job of a run. pull: the Job, and pod, of one pull. exec: the Job, and pod, of one node. */
export const ROLE_LABEL = 'kubectl-win/role';
export const NODE_ANNOTATION = 'kubectl-win/node';
export const ORIGIN_ANNOTATION = 'kubectl-win/origin';
/** Seconds that an object's deadline is ahead whenever it is moved, which its program does all the time: later than that it has ended. */
export const DEADLINE_ANNOTATION = 'kubectl-win/deadline-ahead-seconds';
