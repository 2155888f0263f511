import * as Args from '@oclif/core/args';
import { BaseCommand } from '../src/cli/base-command.ts';
import { nodesFlags } from '../src/cli/nodes/nodes-flags.ts';

export default class Nodes extends BaseCommand<typeof Nodes> {
  static override summary = 'Show Windows nodes: release, build, patch level, support dates, and what is wrong with each';
  static override description = `Show the Windows nodes of a cluster with release, build and revision, patch level, pool, kubelet and container runtime, and what is wrong with each.

 PATCH is the month of the node's cumulative update and, in parentheses, how many monthly updates it is behind the newest one known. -o wide adds the releases whose images run on a node, the end of support and more. ISSUES names errors and warnings and counts what is mere information (+2); --show-issues and -o json have all. What is not known prints as <unknown>.

 It takes the right to list nodes, or to get those that are named; -o wide, -o csv, -o html and --show-agents read pods as well. All this only reads; --deep makes a HostProcess pod on each node and removes it again, and takes the rights of hostprocess exec.`;

  static override examples = [
    '# List the Windows nodes of the current context\nkubectl win nodes',
    '# What is wrong, where, and what to do\nkubectl win nodes --show-issues',
    '# One pool, the most outdated nodes first\nkubectl win nodes --pool=npwin --sort-by=patch',
    '# A row per pool\nkubectl win nodes --group-by=pool',
    '# Watch an upgrade, and prove it afterwards\nkubectl win nodes --save=before.json\nkubectl win nodes -w\nkubectl win nodes --compare=before.json --fail-on=unchanged',
    '# In a runbook: exit code 1 when a node is past its support or more than three monthly updates behind\nkubectl win nodes --fail-on=eol,patch',
    '# Updates, last boot, pending restart and room, from the nodes themselves\nkubectl win nodes --deep --pool=npwin',
    '# Offline, from what kubectl printed\nkubectl get nodes -o json | kubectl win nodes --inventory=-',
  ];

  static override aliases = ['node', 'no'];
  static override args = { NAME: Args.string({ description: 'NAME or node/NAME; several can be given', multiple: true }) };
  static override flags = nodesFlags;

  async run(): Promise<number> {
    const { readNodesRequest } = await import('../src/cli/nodes/nodes-request.ts');
    const request = readNodesRequest(this.words, this.flags, await this.formatFile());
    if (this.flags.watch || this.flags['watch-only']) {
      const { watchNodesOnTerminal } = await import('../src/cli/nodes/watch-nodes.ts');
      return watchNodesOnTerminal(this, request);
    }
    const { printNodes } = await import('../src/cli/nodes/print-nodes.ts');
    return printNodes(this, request);
  }
}
