import type { PrepullEvent } from '../../domain/prepull/prepull-event.ts';
import { isToPull, type PlanItem } from '../../domain/prepull/prepull-plan.ts';
import { counted } from '../counted.ts';
import { durationText } from '../../domain/duration-text.ts';
import { sizeText } from '../size-text.ts';
import { visibleControls } from '../terminal-text.ts';

/** The line that tells of a change, for pipes and logs; null for what is no news there. */
export function prepullLine(event: PrepullEvent): string | null {
  switch (event.type) {
    case 'began':
      return `run ${event.run} in namespace ${event.namespace}: ${counted(event.items, 'pull')}`;
    case 'scheduled':
      return lineOf(event.item, 'pulling');
    case 'stalled':
      return lineOf(event.item, `not pulling yet: ${event.message}`);
    case 'slow':
      return lineOf(event.item, `still pulling after ${durationText(event.seconds)}${event.message === null ? '' : `; the last that was said of it: ${event.message}`}`);
    case 'retry':
      return lineOf(event.item, `attempt ${event.attempt} failed, the next in ${durationText(event.seconds)}: ${event.message}`);
    case 'paused':
      return visibleControls(`nothing is begun for ${durationText(event.seconds)}: ${event.message}`);
    case 'finished':
      return lineOf(event.item, outcomeText(event));
    case 'joined':
      return visibleControls(`${event.node}  joined: ${counted(event.items.filter(isToPull).length, 'pull')}`);
    case 'note':
      return visibleControls(`note: ${event.message}`);
    case 'started':
    case 'cleaned-up':
      return null;
  }
}

function outcomeText({ outcome }: PrepullEvent & { readonly type: 'finished' }): string {
  const { result, seconds, sizeBytes, reason, message } = outcome;
  if (result === 'pulled') return `pulled${seconds === null ? '' : ` in ${durationText(seconds)}`}${sizeBytes === null ? '' : ` (${sizeText(sizeBytes)})`}`;
  return result === 'present' ? 'already there' : `${result}: ${reason}: ${message}`;
}

function lineOf({ node, image }: PlanItem, text: string): string {
  return visibleControls(`${node}  ${image}  ${text}`);
}
