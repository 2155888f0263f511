import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../src/cli/base-command.ts';
import { prepullStatusFlags } from '../../src/cli/prepull/prepull-flags.ts';

export default class PrepullStatus extends BaseCommand<typeof PrepullStatus> {
  static override summary = 'Show the runs of prepull that are on record in the cluster, and how far each has come';
  static override description = `Show the runs of kubectl win prepull that are on record in the cluster: those under way, those that were interrupted, those whose program has died (abandoned), and the DaemonSets of --keep-warm (standing), whose DONE and FAILED count pods.

 DONE counts the images on nodes that are there, of all that the run set out to pull; PULLING those under way. REMOVED-IN is when the cluster removes what is left at the latest. A run that has come to its end is not shown: it leaves nothing behind; one with --detach is shown until its deadline. -o wide names nodes and who began the run, -o json every result.

 It takes the right to list jobs, pods and daemonsets in the namespace.`;

  static override examples = [
    '# The runs of the current namespace, or of all\nkubectl win prepull status\nkubectl win prepull status -A -o wide',
    '# What one run has done so far\nkubectl win prepull status a1b2c3 -n shop -o json',
  ];

  static override args = { RUN: Args.string({ description: 'RUN as the first line of a run names it' }) };
  static override flags = prepullStatusFlags;

  async run(): Promise<number> {
    return (await import('../../src/cli/prepull/print-runs.ts')).printStatus(this);
  }
}
