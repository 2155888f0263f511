import { OUTPUT_FORMATS } from '../../output/print.ts';
import { outputFlag, stringFlag } from '../flags.ts';
import { podFlags } from './exec-flags.ts';

/** Flags of `kubectl win hostprocess cp`: those of exec that are about one node. */
export const copyFlags = {
  ...podFlags,
  timeout: stringFlag({ default: '2h', valueKind: 'duration', description: 'Time that the copy may take (e.g. 30m). The node itself ends what takes longer, and the next copy goes on behind it.' }),
  output: outputFlag(OUTPUT_FORMATS),
};
