import * as Args from '@oclif/core/args';
import { BaseCommand } from '../src/cli/base-command.ts';
import { checkFlags } from '../src/cli/check/check-flags.ts';

export default class Check extends BaseCommand<typeof Check> {
  static override summary = 'Check workloads: will they land on the right nodes, will their images run there, which fields does Windows reject or ignore';
  static override description = `Check what runs in a cluster, or manifests before they get there: will each pod land on the right nodes, will its image run on their builds of Windows, which fields does the API server reject or Windows ignore, and what is the fix.

 Without arguments it checks the objects of the current namespace, with -A of all, and of an --inventory all; workloads are judged through their top owner, once. With -f it checks files and needs no cluster; --live or --inventory adds what is known of one. What could not be evaluated is counted and named. An annotation ignore.kubectl-win/RULE: "reason" on an object or its pod template suppresses a rule, with "until 2027-01-31: reason" for a time.

 It needs the right to list what it checks; nodes, namespaces, runtime classes, storage classes, volumes, CSI nodes, service accounts and custom resource definitions let it see more, and what it may not read it says.`;

  static override examples = [
    '# Check the workloads of the current namespace, or of all\nkubectl win check\nkubectl win check -A',
    '# Check manifests, without a cluster and against one\nkubectl win check -f deploy/\nhelm template . | kubectl win check -f - --live',
    '# One workload\nkubectl win check deploy/web -n shop',
    '# Will they run on Windows Server 2025?\nkubectl win check -f deploy/ --windows=ltsc2025',
    '# Mend what can be mended without risk; look at the changes first\nkubectl win check -f deploy/ --fix --dry-run\nkubectl win check -f deploy/ --fix',
    '# In CI: annotations for GitHub, a report for code scanning\nkubectl win check -f deploy/ -o github --output-file=sarif=check.sarif',
    '# Only what is new\nkubectl win check -A --output-file=json=baseline.json\nkubectl win check -A --baseline=baseline.json',
    '# What is checked, and why\nkubectl win check --list\nkubectl win check --explain os-name-missing',
  ];

  static override usage = 'check [(TYPE [NAME...] | TYPE/NAME ...)] [flags] [options]';
  static override args = { TYPE: Args.string({ description: 'TYPE, TYPE NAME or TYPE/NAME, as for kubectl get; several can be given', multiple: true }) };
  static override flags = checkFlags;

  async run(): Promise<number> {
    const { printCheck, printRules } = await import('../src/cli/check/print-check.ts');
    return this.flags.list || this.flags.explain !== undefined ? printRules(this) : printCheck(this);
  }
}
