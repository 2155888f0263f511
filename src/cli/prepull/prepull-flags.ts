import { OUTPUT_FORMATS } from '../../output/print.ts';
import { booleanFlag, dryRunFlag, integerFlag, inventoryFlags, nodeSelectionFlags, outputFlag, stringFlag, stringsFlag, tableFlags } from '../flags.ts';
import { imagesFlag, pullSecretsFlag } from '../images/images-flag.ts';

/** Flags of `kubectl win prepull`. */
export const prepullFlags = {
  filename: stringsFlag({ char: 'f', separator: ',', description: 'Filename, directory, or - for stdin with the manifests whose images are pulled, onto the nodes that their pods can land on.' }),
  recursive: booleanFlag({ char: 'R', description: 'Process the directory used in -f, --filename recursively. Useful when you want to manage related manifests organized within the same directory.' }),
  from: stringsFlag({ separator: ',', description: 'Workload of the cluster whose images are pulled, as TYPE/NAME, onto the nodes that its pods can land on. Can be repeated.' }),
  'from-plan': stringFlag({ description: 'File of an UpgradePlan, or - for stdin, whose images are pulled: those that run on as they are, and those that others become. Of images that have to be rebuilt those are left out that the plan does not name.' }),
  ...nodeSelectionFlags,
  node: stringsFlag({ separator: ',', description: 'Only this node. Can be repeated.' }),
  'skip-cordoned': booleanFlag({ description: 'If true, nodes that are cordoned are refused. Otherwise they are pulled onto, too: a pull needs no room in their schedule.' }),
  parallel: integerFlag({ default: 10, min: 0, description: 'Pulls at a time over all nodes, one on each node; 0 for all nodes at once.' }),
  timeout: stringFlag({ default: '45m', valueKind: 'duration', description: 'Time that the pull of one image onto one node may take (e.g. 45m), whatever progress it makes. The cluster itself ends what takes longer.' }),
  retries: integerFlag({ default: 3, min: 0, max: 100, description: 'Attempts after the first one, for failures that may pass: a registry that limits pulls or does not answer, a node that is lost.' }),
  hold: stringFlag({ valueKind: 'duration', description: "Keep the pods for so long after their pulls (e.g. 8h), so that the images are in use and the kubelet's garbage collection spares them; images that are there are held, too. The window counts pulls and not the pods that stay. An image without a shell is pulled and not held." }),
  'watch-nodes': booleanFlag({ description: 'If true, nodes that come, or become Ready, while the run is under way are pulled onto as well, where they match the selection. Those for a workload are known by pool and build.' }),
  'keep-warm': booleanFlag({ description: 'If true, make DaemonSets in place of a run, whose containers sleep: nodes that come later get the images too, and garbage collection spares them, until kubectl win prepull cleanup. One for each set of images that nodes of a build, or a pool, can run. All nodes pull at once. Images without a shell are left out.' }),
  detach: booleanFlag({ description: 'If true, begin all pulls at once, print the id of the run, and leave the rest to the cluster: the kubelets try again, the deadline ends and removes all, kubectl win prepull status tells how far it is. Refused where that is more pulls than --parallel says.' }),
  'min-free': stringFlag({ shownDefault: '15%', description: "Share of the node's image disk that has to stay free, where that disk's size is known: by default about where kubelets begin to remove images that no pod uses. 0% for no floor." }),
  'min-success': stringFlag({ default: '100%', description: 'Exit code 1 when less than this share of the images on nodes is warm in the end: pulled, present, or known to be there.' }),
  'service-account': stringFlag({ description: "Service account of the pods that pull, in place of that of the workloads, or the namespace's default." }),
  'pull-secret': stringsFlag({ separator: ',', description: 'Name of an imagePullSecret in the namespace of the pulls, in addition to those of the workloads. It is used by its name and not read. As NAMESPACE/NAME one of another namespace, which is read and copied for the run, and removed with it; that takes the right to get it there, and to create and delete secrets here. Can be repeated.' }),
  images: imagesFlag,
  'pull-secrets': pullSecretsFlag,
  engine: stringFlag({ default: 'jobs', choices: ['jobs', 'kruise'], description: "What pulls: 'jobs' makes Jobs; 'kruise' makes ImagePullJobs where OpenKruise is installed with a daemon on the Windows nodes, whose window is per image. The pull secrets of service accounts are named to it where these may be read." }),
  refresh: booleanFlag({ description: 'If true, registries are asked anew what tags mean now, and nothing is taken from the cache.' }),
  inventory: inventoryFlags.inventory,
  'kubernetes-version': inventoryFlags['kubernetes-version'],
  'as-of': inventoryFlags['as-of'],
  'dry-run': dryRunFlag,
  output: outputFlag([...OUTPUT_FORMATS, 'jsonl'].toSorted()),
  'no-headers': tableFlags['no-headers'],
  'sort-by': stringFlag({ description: "Sort by a column (e.g. size, the largest first) or by a field of the JSON document (e.g. '{.seconds}')." }),
};

const runScopeFlag = (what: string): ReturnType<typeof booleanFlag> => booleanFlag({ char: 'A', description: `If present, ${what} of all namespaces. Namespace in current context is ignored even if specified with --namespace.` });

/** Flags of `kubectl win prepull status`. */
export const prepullStatusFlags = {
  'all-namespaces': runScopeFlag('show the runs'),
  inventory: inventoryFlags.inventory,
  'as-of': inventoryFlags['as-of'],
  wait: booleanFlag({ description: 'If true, wait until the run has ended, or what stands is all warm, and give the exit code that --min-success asks for.' }),
  timeout: stringFlag({ shownDefault: 'none', valueKind: 'duration', description: 'Time to --wait at most (e.g. 90m). The run itself ends at its deadline.' }),
  'min-success': stringFlag({ shownDefault: '100% with --wait', description: 'Exit code 1 when less than this share of the images on nodes of the run is warm: pulled, present, or known to be there.' }),
  output: outputFlag(OUTPUT_FORMATS),
  'no-headers': tableFlags['no-headers'],
};

/** Flags of `kubectl win prepull cleanup`. */
export const prepullCleanupFlags = {
  all: booleanFlag({ description: 'If true, remove all runs of the namespace, or with -A of the cluster.' }),
  'all-namespaces': runScopeFlag('look for the runs'),
  output: outputFlag(OUTPUT_FORMATS),
  'no-headers': tableFlags['no-headers'],
};
