import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../src/cli/base-command.ts';
import { execFlags } from '../../src/cli/hostprocess/exec-flags.ts';

export default class HostprocessExec extends BaseCommand<typeof HostprocessExec> {
  static override summary = 'Run a command on Windows nodes themselves, on one or on many';
  static override description = `Run a command, a PowerShell script or a shell on Windows nodes themselves, through a HostProcess pod on each that is removed again.

 Nodes are given by name, by a pod on them (pod/NAME, pod/NAMESPACE/NAME), by labels (-l, --pool, --release), or all with --all. More than 5 are asked about, unless --yes. Cordoned and tainted nodes are reached, and nodes that are not Ready as long as their kubelet sends heartbeats.

 Several words behind -- are a program and its arguments, each as it is written; one word is PowerShell code. Arguments arrive byte for byte, whatever is in them; a quotation mark for cmd, a batch file or a script host (cscript), which have no way to write one within an argument, is refused, with what to do. An error of PowerShell ends with an exit code that is not 0. With --shell=cmd one word is a line for cmd, with --shell=none the words are sent as they are. A command stands in the API server's audit log, as that of kubectl exec does; --script and --private send it by stdin, and nothing of it stands there, in the pod, or on the node's disk. PowerShell's script block logging, where it is switched on, writes it to the node's event log all the same.

 The exit code of one node is the command's own; the shell gets 8 bits of it, stderr and -o json the whole number. Where the command has none it is 1, 2 or 3, with an error on stderr. On several nodes it is 1 when any of them failed. Output of one node is passed on as it is (on a terminal its controls are made visible, unless -t); that of several line by line with the node before it, as a block for each node, or folded into groups of nodes that wrote the same (--output-mode). -o json prints one ExecReport, -o jsonl a line for each node as it ends.

 The pod runs in the namespace of -n, else in that of the configuration, else in kubectl-win where that exists, else in the context's. Whoever may exec there has the node as long as the pod lives: a namespace of its own is safer. It is made by a Job, which the cluster ends and removes by itself even when this program dies. On Ctrl-C the pods are removed, and the processes in them end. What is left, hostprocess sweep finds.

 It takes the right to create, get and delete jobs, to list and watch pods, and to get and create pods/exec in the namespace, to patch jobs for -t and --keep, and to list nodes, or to get those that are named; where Jobs may not be created it takes create, get and delete on pods. The namespace has to allow privileged pods (Pod Security). All of it is looked at before anything is created; --dry-run=server looks and leaves it at that. --dry-run=client plans only; with -o yaml or json it prints the very objects, with --inventory without a cluster.`;

  static override examples = [
    '# Run a program with arguments\nkubectl win hostprocess exec win-1 -- ipconfig /all',
    '# PowerShell code is one word\nkubectl win hostprocess exec win-1 -- \'Get-Service containerd, kubelet | Format-List Name, Status\'',
    '# A shell, on the node that a pod is on\nkubectl win hostprocess exec -it pod/shop/web-7d4b9\nkubectl win hostprocess exec -it win-1 --shell=cmd',
    '# A script with arguments, on all nodes of a pool, equal output once\nkubectl win hostprocess exec --pool npwin --script facts.ps1 --fold -- -Verbose',
    '# Bytes go both ways as they are\nkubectl win hostprocess exec win-1 -- cmd /c \'type C:\\k\\kubelet.log\' > kubelet.log\nkubectl win hostprocess exec -i win-1 -- \'[IO.File]::WriteAllText("C:\\k\\hosts", [Console]::In.ReadToEnd())\' < hosts',
    '# One batch as a canary, then the rest; none more when one has failed\nkubectl win hostprocess exec --release ltsc2019 --script fix.ps1 --batch-size=5 --batch-pause=10m --max-failures=0 --yes',
    '# Nothing of the command in audit logs\nkubectl win hostprocess exec win-1 --private -- \'net user support "$env:COMPUTERNAME-one"\'',
    '# A report as JSON, then once more on those nodes that failed\nkubectl win hostprocess exec --all --yes -o json -- hostname > report.json\nkubectl win hostprocess exec --failed-of report.json -- hostname',
    '# What would be created; offline, from a recording\nkubectl win hostprocess exec win-1 --dry-run=client -o yaml -- hostname\nkubectl win hostprocess exec --all --inventory prod.json --dry-run=client -- hostname',
  ];

  static override usage = 'hostprocess exec (NODE... | -l SELECTOR | --pool POOL | --all | --reuse RUN) [flags] [-- COMMAND [ARG...]] [options]';
  static override args = { NODE: Args.string({ description: 'NODE, node/NAME, or pod/NAME for the node of a pod; several can be given', multiple: true }) };
  static override separatesDash = true;
  static override flags = execFlags;

  async run(): Promise<number> {
    const [{ readExecRequest }, { printExec }] = await Promise.all([import('../../src/cli/hostprocess/exec-request.ts'), import('../../src/cli/hostprocess/print-exec.ts')]);
    return printExec(this, readExecRequest(this.words, this.afterDash, this.flags, await this.formatFile()));
  }
}
