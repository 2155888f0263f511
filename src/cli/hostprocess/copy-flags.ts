import { OUTPUT_FORMATS } from '../../output/print.ts';
import { outputFlag, stringFlag } from '../flags.ts';
import { execFlags } from './exec-flags.ts';

/** Flags of `kubectl win hostprocess cp`: those of exec that are about one node. */
export const copyFlags = {
  'run-as': execFlags['run-as'],
  image: execFlags.image,
  'pull-secret': execFlags['pull-secret'],
  anchor: execFlags.anchor,
  timeout: stringFlag({ default: '2h', valueKind: 'duration', description: 'Time that the copy may take (e.g. 30m). The node itself ends what takes longer, and the next copy goes on behind it.' }),
  'start-timeout': execFlags['start-timeout'],
  reason: execFlags.reason,
  yes: execFlags.yes,
  cpu: execFlags.cpu,
  memory: execFlags.memory,
  'priority-class': execFlags['priority-class'],
  label: execFlags.label,
  annotation: execFlags.annotation,
  inventory: execFlags.inventory,
  'kubernetes-version': execFlags['kubernetes-version'],
  'dry-run': execFlags['dry-run'],
  output: outputFlag(OUTPUT_FORMATS),
  'no-headers': execFlags['no-headers'],
};
