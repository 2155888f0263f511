import { booleanFlag, outputFlag, stringFlag, stringsFlag } from '../flags.ts';
import { EXEC_FORMATS, execFlags, podFlags } from './exec-flags.ts';

/** Flags of `kubectl win hostprocess run`: those of exec that are not about a command of the user's own. */
export const recipeFlags = {
  ...podFlags,
  param: stringsFlag({ description: 'Parameter of the recipe, as NAME=VALUE; --list shows them. Can be repeated.' }),
  list: booleanFlag({ description: 'List the recipes and their parameters, and end.' }),
  'show-script': booleanFlag({ description: 'Print the script as nodes run it, and end.' }),
  to: stringFlag({ description: 'Folder to write to: the document of each node as NODE/RECIPE.json, and with recipe logs the log files that have changed in its time, each checked by its hash, below NODE/C. What is there of them is gone on with.' }),
  via: stringFlag({ default: 'exec', choices: ['exec', 'logs', 'kubelet'], description: "How nodes are reached: 'exec' runs the recipe in a pod that waits; 'logs' makes a pod that runs it and reads its log at the end, so that whoever may read pods and logs sees them; 'kubelet', for the recipe logs alone, makes no pod and asks kubelets for logs (NodeLogQuery), which takes the right to get nodes/proxy." }),
  selector: execFlags.selector,
  pool: execFlags.pool,
  release: execFlags.release,
  all: execFlags.all,
  'failed-of': execFlags['failed-of'],
  parallel: execFlags.parallel,
  'batch-size': execFlags['batch-size'],
  'batch-pause': execFlags['batch-pause'],
  'max-failures': execFlags['max-failures'],
  timeout: stringFlag({ valueKind: 'duration', shownDefault: 'that of the recipe, 30m for its log files', description: 'Time that the recipe may take on a node, with the log files that --to brings (e.g. 90s). The node itself ends what takes longer.' }),
  'max-output': stringFlag({ default: '16Mi', description: 'Bytes of output that are taken from a node (e.g. 64Mi). A document that is longer is not read, and that is said.' }),
  output: outputFlag(EXEC_FORMATS),
};
