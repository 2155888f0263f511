import { SHELLS } from '../../domain/hostprocess/command/transport.ts';
import { OUTPUT_FORMATS } from '../../output/print.ts';
import { booleanFlag, dryRunFlag, integerFlag, inventoryFlags, nodeSelectionFlags, outputFlag, stringFlag, stringsFlag, tableFlags } from '../flags.ts';

export const OUTPUT_MODES = ['prefix', 'block', 'fold'] as const;
export type OutputMode = (typeof OUTPUT_MODES)[number];

/** The formats of -o: those of all commands, and a line of JSON for each node. */
export const EXEC_FORMATS: readonly string[] = [...OUTPUT_FORMATS, 'jsonl'].toSorted();

/** Flags of all commands that make pods on nodes. */
export const podFlags = {
  'run-as': stringFlag({ default: 'system', description: "Account that the command runs as: system, local-service, network-service, or the name of a local group of the node, for which its runtime makes a user (containerd 1.7)." }),
  image: stringFlag({ shownDefault: 'HostProcess base image', description: 'Image of the pod, e.g. in a mirror. hostProcess.image in the configuration names it for all runs.' }),
  'pull-secret': stringsFlag({ separator: ',', description: 'Name of an imagePullSecret in the namespace. It is used by its name and not read. Can be repeated.' }),
  anchor: stringFlag({ default: 'auto', choices: ['auto', 'job', 'pod'], description: "What holds the pod: 'job' makes a Job, which the cluster ends and removes by itself; 'pod' makes the pod alone, which its kubelet ends and whose object stays until kubectl win hostprocess sweep; 'auto' makes a Job where that is allowed." }),
  'start-timeout': stringFlag({ default: '5m', valueKind: 'duration', description: 'Time that a node may take to start the pod (e.g. 2m).' }),
  reason: stringFlag({ description: 'Why, for those who meet the pod; it stands in an annotation.' }),
  yes: booleanFlag({ description: 'If true, nothing is asked. Without it a run on more than 5 nodes is confirmed; hostProcess.confirmAbove in the configuration changes the number.' }),
  cpu: stringFlag({ shownDefault: '0', description: 'CPU that the pod requests (e.g. 500m). What is requested is not there for others while it runs.' }),
  memory: stringFlag({ shownDefault: '0', description: 'Memory that the pod requests (e.g. 256Mi).' }),
  'priority-class': stringFlag({ description: 'PriorityClass of the pod.' }),
  label: stringsFlag({ separator: ',', description: 'Label of what is created, as KEY=VALUE, e.g. for policies. Can be repeated.' }),
  annotation: stringsFlag({ description: 'Annotation of what is created, as KEY=VALUE. Can be repeated.' }),
  inventory: inventoryFlags.inventory,
  'kubernetes-version': inventoryFlags['kubernetes-version'],
  'dry-run': dryRunFlag,
  'no-headers': tableFlags['no-headers'],
};

/** Flags of `kubectl win hostprocess exec`. */
export const execFlags = {
  ...podFlags,
  stdin: booleanFlag({ char: 'i', description: 'Pass stdin to the command' }),
  tty: booleanFlag({ char: 't', description: 'Stdin is a TTY' }),
  'stdin-all': booleanFlag({ description: 'If true, stdin is read to its end, 16 MiB at most, and each node gets all of it. -i is for one node.' }),
  shell: stringFlag({ default: 'powershell', choices: SHELLS, description: "What runs the command: 'powershell' is Windows PowerShell, which every node has; 'pwsh' is PowerShell 7, where it was installed; 'cmd'; 'none' sends the words as they are." }),
  script: stringFlag({ description: 'PowerShell script to run, a file or - for stdin. What stands behind -- are its arguments. It is sent by stdin and stands in no audit log and on no disk of the node.' }),
  private: booleanFlag({ description: 'If true, the command is sent by stdin, so that it does not stand in audit logs, in the pod, or in logs of the node. PowerShell may still log it on the node (event 4104).' }),
  'error-action': stringFlag({ default: 'stop', choices: ['stop', 'continue'], description: "Must be \"stop\" or \"continue\". What PowerShell does at an error: 'stop' ends with an exit code that is not 0." }),
  keep: stringFlag({ valueKind: 'duration', bareValue: '30m', shownDefault: 'none', description: 'Leave the pods for so long behind the command (e.g. --keep=5m; 30m where no =TIME follows), for --reuse; whoever may exec into them has the node meanwhile.' }),
  reuse: stringFlag({ description: 'Run in the pods that --keep has left, in place of new ones: the id of a run of this machine. Without names of nodes or labels it is on all nodes of that run.' }),
  via: stringFlag({ default: 'exec', choices: ['exec', 'logs'], description: "How the command is run: 'exec' runs it in a pod that waits; 'logs', where that is not allowed or WebSockets do not pass, makes a pod that runs it and reads its log at the end. Whoever may read pods and logs in the namespace then sees command and output." }),
  ...nodeSelectionFlags,
  release: stringsFlag({ separator: ',', description: 'Only nodes of this Windows release (e.g. ltsc2019). Can be repeated.' }),
  all: booleanFlag({ description: 'If true, run on all Windows nodes.' }),
  'failed-of': stringFlag({ description: 'File of an ExecReport or RecipeReport (-o json, yaml or jsonl), or - for stdin: run on the nodes that failed, were refused or were skipped there.' }),
  parallel: integerFlag({ default: 10, min: 0, description: 'Nodes at a time; 0 for all at once.' }),
  'batch-size': integerFlag({ default: 0, min: 0, description: 'Nodes of a batch; the next one begins when all of it have ended. 0 for one batch.' }),
  'batch-pause': stringFlag({ shownDefault: '0s', valueKind: 'duration', description: 'Time between two batches (e.g. 5m).' }),
  'max-failures': stringFlag({ valueKind: 'integer', shownDefault: 'none', description: 'Begin no more nodes when more than so many have failed; 0 for none that may.' }),
  timeout: stringFlag({ valueKind: 'duration', shownDefault: '10m, or 8h with -t', description: 'Time that the command may take on a node (e.g. 90s). The node itself ends what takes longer.' }),
  'output-mode': stringFlag({ choices: OUTPUT_MODES, shownDefault: 'prefix', description: "How output of several nodes is shown: 'prefix' puts the name of the node before each line, 'block' prints all of a node when it has ended, 'fold' prints equal output once, when all have ended." }),
  fold: booleanFlag({ description: 'If true, the same as --output-mode=fold.' }),
  'max-output': stringFlag({ default: '1Mi', description: 'Bytes of each output of a node that are kept for a block, a fold or -o (e.g. 10Mi). More is left out, and said.' }),
  transcript: stringFlag({ description: 'Write what comes from the nodes to this file, which must not exist and which only you can read: an asciicast with -t, lines of JSON without. What is typed is not in it, but for what the terminal shows of it.' }),
  output: outputFlag(EXEC_FORMATS),
};
