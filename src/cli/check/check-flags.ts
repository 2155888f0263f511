import { SEVERITIES } from '../../domain/severity.ts';
import { FINDING_FORMATS } from '../../output/print.ts';
import { imagesFlag, pullSecretsFlag, refreshFlag } from '../images/images-flag.ts';
import { booleanFlag, chunkSizeFlag, inventoryFlags, outputFlag, selectorFlag, stringFlag, stringsFlag, tableFlags } from '../flags.ts';

/** Formats of --list and --explain. */
export const RULE_FORMATS = ['table', 'wide', 'json', 'yaml', 'markdown', 'name'] as const;

export const checkFlags = {
  filename: stringsFlag({ char: 'f', separator: ',', description: 'Filename, directory, or - for stdin with the manifests to check, in place of what runs in the cluster. Needs no cluster.' }),
  recursive: booleanFlag({ char: 'R', description: 'Process the directory used in -f, --filename recursively. Useful when you want to manage related manifests organized within the same directory.' }),
  kustomize: stringFlag({ char: 'k', description: 'Not supported: pipe the output of kubectl kustomize into -f -.', hidden: true }),
  'all-namespaces': booleanFlag({ char: 'A', description: 'If present, check the objects of all namespaces. Namespace in current context is ignored even if specified with --namespace.' }),
  selector: selectorFlag,
  live: booleanFlag({ description: 'Judge the manifests of -f against the cluster of the current context: its nodes, namespaces, storage classes and so on.' }),
  'custom-resources': stringFlag({
    default: 'known', choices: ['known', 'all', 'none'],
    description: 'Custom resources to look into in a cluster: those known to make pods (known), every one (all), or none. In files all are looked into.',
  }),
  ...inventoryFlags,
  windows: stringsFlag({ separator: ',', description: 'Judge as if the Windows nodes ran these releases (e.g. ltsc2022,ltsc2025).' }),
  images: imagesFlag,
  'pull-secrets': pullSecretsFlag,
  refresh: refreshFlag,
  rule: stringsFlag({ separator: ',', description: 'Run only these rules: ids or numbers of --list. Can be repeated.' }),
  skip: stringsFlag({ separator: ',', description: 'Leave these rules out: ids or numbers of --list. Can be repeated.' }),
  severity: stringsFlag({ separator: ',', description: 'Severity of a rule in place of its own: RULE=error|warning|info|off. Can be repeated.' }),
  'min-severity': stringFlag({ default: 'info', choices: SEVERITIES, description: 'Leave findings below this severity out: error, warning or info.' }),
  'fail-on': stringFlag({ default: 'error', choices: [...SEVERITIES, 'none'], description: 'Exit code 1 when there is a finding of at least this severity: error, warning, info, or none for never.' }),
  baseline: stringFlag({ description: 'Count only what is not in this report of an earlier run, written with --output-file json=FILE.' }),
  fix: stringFlag({
    bareValue: 'safe', choices: ['safe', 'all'],
    description: 'Mend the files of -f: only what cannot change how a working pod behaves (safe), or all that is known (all). Comments, order and quoting stay.',
  }),
  'dry-run': stringFlag({ bareValue: 'client', choices: ['none', 'client'], description: 'With --fix: print the changes as a diff and write nothing.' }),
  output: outputFlag(FINDING_FORMATS),
  'output-file': stringsFlag({ description: 'Write the report to a file too: FORMAT=FILE (e.g. sarif=check.sarif). Can be repeated.' }),
  'no-headers': tableFlags['no-headers'],
  'group-by': stringFlag({ default: 'object', choices: ['object', 'rule'], description: 'On a terminal: what findings are grouped by, their object (object) or their rule (rule), which names each fault once.' }),
  'chunk-size': chunkSizeFlag,
  list: booleanFlag({ description: 'List the rules, with --rule and --skip those that would run, and end.' }),
  explain: stringFlag({ description: 'Explain a rule, with examples, and end.' }),
};
