import { OUTPUT_FORMATS } from '../../output/print.ts';
import { booleanFlag, outputFlag, stringFlag, tableFlags } from '../flags.ts';

/** Flags of `kubectl win hostprocess sweep`. */
export const sweepFlags = {
  'all-runs': booleanFlag({ description: 'If true, remove also what is made as objects of runs are and is not in the record of this machine: runs of others, which may be under way, and own ones from other machines. They are shown, and a question is asked.' }),
  'all-namespaces': booleanFlag({ char: 'A', description: 'If present, look in all namespaces. Namespace in current context is ignored even if specified with --namespace.' }),
  yes: booleanFlag({ description: 'If true, nothing is asked.' }),
  'dry-run': stringFlag({ default: 'none', bareValue: 'client', choices: ['none', 'client'], description: 'Must be "none" or "client". If client, say what is there and what would be removed, and remove nothing.' }),
  output: outputFlag(OUTPUT_FORMATS),
  'no-headers': tableFlags['no-headers'],
};
