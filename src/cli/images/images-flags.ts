import { booleanFlag, chunkSizeFlag, inventoryFlags, outputFlag, selectorFlag, stringFlag, stringsFlag, tableFlags } from '../flags.ts';
import { OUTPUT_FORMATS } from '../../output/print.ts';
import { imagesFlag, pullSecretsFlag, refreshFlag } from './images-flag.ts';

/** Flags of `kubectl win images`. */
export const imagesFlags = {
  filename: stringsFlag({ char: 'f', separator: ',', description: 'Filename, directory, or - for stdin with the manifests whose images are shown, in place of what runs in the cluster. Needs no cluster.' }),
  recursive: booleanFlag({ char: 'R', description: 'Process the directory used in -f, --filename recursively. Useful when you want to manage related manifests organized within the same directory.' }),
  'all-namespaces': booleanFlag({ char: 'A', description: 'If present, show the images of all namespaces. Namespace in current context is ignored even if specified with --namespace.' }),
  selector: selectorFlag,
  live: booleanFlag({ description: 'Judge the images of -f against the nodes of the cluster of the current context.' }),
  ...inventoryFlags,
  images: imagesFlag,
  'pull-secrets': pullSecretsFlag,
  refresh: refreshFlag,
  'all-os': booleanFlag({ description: 'If true, show the images of other workloads too. Registries are asked for these with --images=registry alone.' }),
  sandbox: booleanFlag({ description: 'If true, show the sandbox (pause) images that Windows nodes report, too, each judged on the nodes that report it: each pod is held by one, which has to fit its node as well. --fail-on leaves them out, since nodes do not report which of theirs they use.' }),
  problems: booleanFlag({ description: 'If true, show only images that fail on a Windows node that their pods are on or can land on, or on every one, and those of which that is not known. Counts and --fail-on are of all.' }),
  output: outputFlag(OUTPUT_FORMATS),
  'no-headers': tableFlags['no-headers'],
  'sort-by': stringFlag({ description: "Sort by a column (e.g. size, the largest first; fails, those first that fail on most of the nodes where they are used) or by a field of the JSON document (e.g. '{.evidence}')." }),
  'chunk-size': chunkSizeFlag,
  'fail-on': stringFlag({
    default: 'none', choices: ['none', 'fail', 'unknown'],
    description: 'Exit code 1 when an image fails on a Windows node that its pods are on or can land on, or on every one (fail), when that is not known of one of these too (unknown), or never (none).',
  }),
};
