import type { PrepullEvent } from '../../domain/prepull/prepull-event.ts';
import { isToPull } from '../../domain/prepull/prepull-plan.ts';
import { someOf } from '../../domain/some-of.ts';
import { durationText } from '../../domain/duration-text.ts';
import { visibleControls } from '../terminal-text.ts';
import { cutText } from './cut-text.ts';

/** Nodes that are named in the line. */
const MOST_NAMED = 3;
/** Pulls that are measured before anything is said of the rest: the first ones tell little. */
const ENOUGH_PULLS = 5;

/** Follows a run for the one line that a terminal shows of it. */
export class PrepullStatusLine {
  #total = 0;
  #startedAt: number | null = null;
  #pulled = 0;
  #pulledSeconds = 0;
  #present = 0;
  #failed = 0;
  /** Keys of pulls that are under way, with their nodes. */
  readonly #active = new Map<string, string>();

  take(event: PrepullEvent, now: Date): void {
    switch (event.type) {
      case 'began':
        this.#total = event.items;
        this.#startedAt = now.getTime();
        return;
      case 'started':
        this.#active.set(`${event.item.node} ${event.item.image}`, event.item.node);
        return;
      case 'retry':
        this.#active.delete(`${event.item.node} ${event.item.image}`);
        return;
      case 'finished': {
        this.#active.delete(`${event.item.node} ${event.item.image}`);
        const { result, seconds } = event.outcome;
        if (result === 'present') this.#present += 1;
        else if (result === 'pulled') this.#pulled += 1;
        else this.#failed += 1;
        if (result === 'pulled') this.#pulledSeconds += seconds ?? 0;
        return;
      }
      case 'joined':
        this.#total += event.items.filter(isToPull).length;
        return;
      case 'scheduled':
      case 'stalled':
      case 'slow':
      case 'paused':
      case 'note':
      case 'cleaned-up':
    }
  }

  /** One line of at most `width` characters; what comes first matters most. */
  text(now: Date, width: number): string {
    if (this.#startedAt === null) return cutText('planning', width);
    const pending = this.#total - this.#pulled - this.#present - this.#failed;
    const counts = [`${this.#pulled} pulled`, ...(this.#present > 0 ? [`${this.#present} present`] : []), ...(this.#failed > 0 ? [`${this.#failed} failed`] : []), `${pending} pending`].join(', ');
    const elapsed = Math.floor((now.getTime() - this.#startedAt) / 1000);
    const left = this.#secondsLeft(pending);
    const times = `${durationText(elapsed)}${left === null ? '' : `, about ${durationText(left)} left`}`;
    const nodes = [...new Set(this.#active.values())];
    return cutText([counts, times, ...(nodes.length === 0 ? [] : [`pulling on ${someOf(nodes, MOST_NAMED, visibleControls)}`])].join('; '), width);
  }

  /** By the mean of what was pulled, as many at a time as now; null while that would be a guess. */
  #secondsLeft(pending: number): number | null {
    if (this.#pulled < ENOUGH_PULLS || this.#pulled < this.#active.size || this.#active.size === 0) return null;
    return Math.round((this.#pulledSeconds / this.#pulled) * (pending / this.#active.size));
  }
}
