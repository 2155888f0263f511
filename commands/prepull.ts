import * as Args from '@oclif/core/args';
import { BaseCommand } from '../src/cli/base-command.ts';
import { prepullFlags } from '../src/cli/prepull/prepull-flags.ts';

export default class Prepull extends BaseCommand<typeof Prepull> {
  static override summary = 'Pull images onto Windows nodes before their pods come, and say what became of each';
  static override description = `Pull images onto Windows nodes before pods need them, a window of pulls over all nodes, and report each with its reason.

 Images are given by name or by the plan of an upgrade (--from-plan), or are those of manifests (-f) or of a workload (--from), which are pulled onto the Windows nodes that its pods can land on. First it plans: what a node lists already is skipped, what its build of Windows cannot run, or would not have room for, is refused before anything is created. Then each pull is a Job of its own, whose pod the scheduler places and which asks for no memory or CPU; it ends as soon as the image is there, whether its container could start or not. The Jobs run in the namespace of the workloads, else in that of -n or the context, with the pull secrets that are there; they have a deadline (--timeout), and are removed when they are done. Where this program dies in the middle, the cluster removes the rest by itself.

 A tag is pulled where the node does not list it; where the registry tells that it has moved, it is pulled anew. ACTION is the plan (pull, skip, refuse, or unknown where nothing tells whether the image runs there), RESULT what became of it. On Ctrl-C the pulls under way are removed and the report is printed; the same command does the rest. With --detach nobody stays: all pulls begin at once, the exit code tells that they began, and the kubelets' own attempts are all there are.

 Images stay on a node until its kubelet wants the room. --hold keeps the pods for a while, so that the images are in use; --keep-warm makes DaemonSets that do so on every node, also those that come later, until prepull cleanup removes them. They are for the builds of Windows that were judged: after an upgrade run it again; what stands already is not made twice, and what stands besides is named. It takes the right to create, list and delete daemonsets. --engine=kruise leaves the pulls to OpenKruise, without pods of this program; it takes the right to create, list and delete imagepulljobs.apps.kruise.io, and tells more of each node where nodeimages may be listed.

 Progress goes to stderr, the report to stdout. It takes the right to create, get, list, patch and delete jobs and to list and watch pods in the namespace, and to list nodes. Whether the cluster takes such pods (Pod Security, quotas, limits, webhooks) is asked first; --dry-run=server asks and leaves it at that. --dry-run=client plans only, with --inventory without a cluster.`;

  static override examples = [
    '# Onto all Windows nodes, ten at a time\nkubectl win prepull mcr.microsoft.com/windows/servercore:ltsc2022',
    '# What a workload needs, onto the nodes that its pods can land on\nkubectl win prepull --from deploy/web -n shop',
    '# The images of manifests that are not applied yet\nhelm template . | kubectl win prepull -f - -n shop',
    '# Also onto nodes that come while it is under way\nkubectl win prepull --from deploy/web -n shop --pool npwin2 --watch-nodes',
    '# What the images of an upgrade plan become, before their nodes come\nkubectl win prepull --from-plan plan.json --pool npwin2 -n shop',
    '# A pool before it takes over; go on when 95% is warm\nkubectl win prepull --from deploy/web -n shop --pool npwin2 --parallel=20 --min-success=95%',
    '# A line of JSON for each image on a node as it ends, for a script\nkubectl win prepull --from deploy/web -n shop -o jsonl',
    '# Look at the plan first, and at what would be created\nkubectl win prepull --from deploy/web -n shop --dry-run=client\nkubectl win prepull --from deploy/web -n shop --dry-run=client -o yaml',
    '# Plan offline\nkubectl win prepull -f deploy/ --inventory=prod.json --dry-run=client',
    '# Keep the images safe from garbage collection until the morning\nkubectl win prepull --from deploy/web -n shop --hold 12h',
    '# For nodes that come later, too: DaemonSets that stand; or as a file for GitOps\nkubectl win prepull --from deploy/web -n shop --keep-warm --parallel=0\nkubectl win prepull --from deploy/web -n shop --keep-warm --dry-run=client -o yaml',
    '# Where OpenKruise is installed, with a daemon on the Windows nodes\nkubectl win prepull --from deploy/web -n shop --engine=kruise --pull-secret=shop-registry',
    '# Begin all at once and do not wait; ask later\nkubectl win prepull --from deploy/web -n shop --detach --parallel=0\nkubectl win prepull status a1b2c3 -n shop',
    '# What runs of others are under way, and what is left of one\nkubectl win prepull status -A\nkubectl win prepull cleanup a1b2c3 -n shop',
  ];

  static override usage = 'prepull (IMAGE... | -f FILENAME | --from TYPE/NAME | --from-plan FILE) [flags] [options]';
  static override args = { IMAGE: Args.string({ description: 'IMAGE as in a pod spec; several can be given', multiple: true }) };
  static override flags = prepullFlags;

  async run(): Promise<number> {
    const [{ readPrepullRequest }, { printPrepull }] = await Promise.all([import('../src/cli/prepull/prepull-request.ts'), import('../src/cli/prepull/print-prepull.ts')]);
    return printPrepull(this, readPrepullRequest(this.words, this.flags, await this.formatFile()));
  }
}
