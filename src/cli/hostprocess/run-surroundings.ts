import type { ExecOptions } from '../../app/exec-on-nodes.ts';
import { HOST_PROCESS_BASE_IMAGE } from '../../domain/hostprocess/base-image.ts';
import type { BaseCommand } from '../base-command.ts';
import type { Settings } from '../settings.ts';
import type { PodRequest } from './run-request.ts';

export type RunSurroundings = Pick<ExecOptions, 'run' | 'objects' | 'namespace' | 'describe' | 'newNonce' | 'signal'>;

/** What a run on nodes takes from its surroundings, beside what was typed. `what`: the words of the command, for those who meet what it creates. */
export function runSurroundings(command: BaseCommand, settings: Settings, { pod, what, reason }: { readonly pod: PodRequest; readonly what: string; readonly reason: string | null }): RunSurroundings {
  const { context, signal } = command;
  const { hostProcess } = settings;
  const given = command.flags.namespace ?? '';
  return {
    run: context.ports.createRunId(),
    objects: {
      ...pod, image: pod.image ?? hostProcess.image ?? HOST_PROCESS_BASE_IMAGE.reference, pullSecrets: [...new Set([...hostProcess.pullSecrets, ...pod.pullSecrets])],
      // who made it and why; never the command
      origin: `kubectl win ${context.version} ${what} by ${context.user} at ${context.clock.now().toISOString()}${reason === null ? '' : `: ${reason}`}`,
    },
    namespace: { given: given === '' ? null : given, configured: hostProcess.namespace },
    describe: { asOf: command.now(), overrides: settings.lifecycle, poolLabels: settings.poolLabels },
    newNonce: context.ports.createNonce, signal,
  };
}
