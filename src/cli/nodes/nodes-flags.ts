import { NODE_GROUPINGS } from '../../domain/node/group-nodes.ts';
import { OUTPUT_FORMATS } from '../../output/print.ts';
import { booleanFlag, chunkSizeFlag, fieldSelectorFlag, integerFlag, inventoryFlags, outputFlag, selectorFlag, stringFlag, stringsFlag, tableFlags, watchFlags } from '../flags.ts';
import { execFlags } from '../hostprocess/exec-flags.ts';

/** The printers of all commands, and the text format of Prometheus. */
export const NODE_FORMATS: readonly string[] = [...OUTPUT_FORMATS, 'prometheus'].toSorted();

/** Of --deep, as in exec. */
const deepFlags = {
  image: execFlags.image,
  'pull-secret': execFlags['pull-secret'],
  parallel: integerFlag({ default: 20, min: 0, description: 'Nodes that --deep asks at a time; 0 for all at once.' }),
  timeout: stringFlag({ valueKind: 'duration', shownDefault: '3m', description: 'Time that a node may take to answer --deep (e.g. 90s).' }),
  'start-timeout': execFlags['start-timeout'],
  yes: execFlags.yes,
};

/** Flags of `kubectl win nodes`. */
export const nodesFlags = {
  output: outputFlag(NODE_FORMATS),
  selector: selectorFlag,
  'field-selector': fieldSelectorFlag,
  pool: stringsFlag({ separator: ',', description: 'Only nodes of this pool. Can be repeated.' }),
  release: stringsFlag({ separator: ',', description: 'Only nodes of this Windows release (e.g. ltsc2019). Can be repeated.' }),
  issue: stringsFlag({ separator: ',', description: 'Only nodes with such an issue: an id, a class (eol, ending, runtime, skew, taint, patch, label), a number (NOD-005) or a severity. Can be repeated.' }),
  'all-os': booleanFlag({ description: 'If true, show Linux nodes too.' }),
  ...watchFlags,
  'group-by': stringFlag({ choices: NODE_GROUPINGS, description: `Print a row per group. One of: (${NODE_GROUPINGS.join(', ')}).` }),
  ...tableFlags,
  'sort-by': stringFlag({ description: "Sort by a column (e.g. patch, support-ends) or by a field of the JSON document (e.g. '{.build}')." }),
  'show-issues': booleanFlag({ description: 'If true, explain below the table what is wrong, where, and what to do.' }),
  'show-agents': booleanFlag({ description: 'If true, read pods too and show kube-proxy, CNI, CSI and HostProcess agents of each node.' }),
  deep: booleanFlag({ description: 'If true, ask the nodes themselves by recipe node-facts and show installed updates, last boot, pending restart, room on disks and image cache. It makes a HostProcess pod on each, as hostprocess exec does, and asks before it is more than 5.' }),
  ...deepFlags,
  'show-images': booleanFlag({ description: 'If true, print the images that each node reports, with their sizes, in place of the nodes.' }),
  'fail-on': stringsFlag({ separator: ',', description: 'Exit with 1 when a shown node has such an issue, or cannot be judged: a severity (error, warning, info), a class (eol, ending, runtime, skew, taint, patch, label), an id or a number (NOD-005); with --compare also: unchanged (build and revision). none asks for nothing. Can be repeated.' }),
  compare: stringFlag({ description: 'Compare with what --save wrote before: did the upgrade change build, kubelet and runtime?' }),
  contexts: stringsFlag({ separator: ',', description: 'Read several clusters: kubeconfig contexts, shown in one list. Can be repeated.' }),
  'chunk-size': chunkSizeFlag,
  ...inventoryFlags,
};
