import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../src/cli/base-command.ts';
import { sweepFlags } from '../../src/cli/hostprocess/sweep-flags.ts';

export default class HostprocessSweep extends BaseCommand<typeof HostprocessSweep> {
  static override summary = 'Remove what runs on nodes have left behind in the cluster';
  static override description = `Find the Jobs and pods that kubectl win hostprocess has left in the cluster, after a kill or a lost connection, and remove those of runs that this machine has begun: their UIDs are in its record, ~/.kube/kubectl-win/runs. Runs whose program is still at work, and those that --keep has left on purpose, are left alone unless they are named.

 What is made as such objects are and is not on record belongs to others, or to another machine: it is shown, and removed with --all-runs alone, after a question. What merely has their labels is shown as forged and never removed.

 The cluster does the same by itself after the deadline of each run; this is for those who will not wait. A pod counts as removed when its node has confirmed it: until then it is ending.

 It takes the right to list, get and delete jobs and pods in the namespace, which is that of hostprocess exec: -n, else the configuration, else kubectl-win, else the context. Without -n it looks where runs on record are, too.`;

  static override examples = [
    '# What is there\nkubectl win hostprocess sweep --dry-run',
    '# Remove what this machine has left behind\nkubectl win hostprocess sweep',
    '# One run, also one that is under way\nkubectl win hostprocess sweep a1b2c3',
    '# Those of others as well, in the whole cluster\nkubectl win hostprocess sweep --all-runs -A',
  ];

  static override usage = 'hostprocess sweep [RUN...] [flags] [options]';
  static override args = { RUN: Args.string({ description: 'RUN as kubectl win hostprocess names it; several can be given', multiple: true }) };
  static override flags = sweepFlags;

  async run(): Promise<number> {
    return (await import('../../src/cli/hostprocess/print-sweep.ts')).printSweep(this);
  }
}
