import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../src/cli/base-command.ts';
import { prepullCleanupFlags } from '../../src/cli/prepull/prepull-flags.ts';

export default class PrepullCleanup extends BaseCommand<typeof PrepullCleanup> {
  static override summary = 'Remove what is left of runs of prepull, and end their pulls';
  static override description = `Remove the Jobs of runs of kubectl win prepull, with their pods, and the DaemonSets of --keep-warm; pulls under way end. Images that are on nodes stay there. It asks nothing and names what it removed.

 The cluster does the same by itself some minutes after the deadline of a run; this is for those who will not wait, or who want pulls to end. The program of a run that is under way notices that its Jobs are gone.

 It takes the right to list and delete jobs and to list pods in the namespace, and to list and delete daemonsets for those of --keep-warm.`;

  static override examples = [
    '# One run\nkubectl win prepull cleanup a1b2c3 -n shop',
    '# All runs of the namespace, or of the cluster\nkubectl win prepull cleanup --all -n shop\nkubectl win prepull cleanup --all -A',
  ];

  static override usage = 'prepull cleanup (RUN... | --all) [flags] [options]';
  static override args = { RUN: Args.string({ description: 'RUN as kubectl win prepull status shows it; several can be given', multiple: true }) };
  static override flags = prepullCleanupFlags;

  async run(): Promise<number> {
    return (await import('../../src/cli/prepull/print-runs.ts')).printCleanup(this);
  }
}
