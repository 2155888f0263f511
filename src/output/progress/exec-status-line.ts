import { durationText } from '../../domain/duration-text.ts';
import type { ExecEvent } from '../../domain/hostprocess/exec-event.ts';
import { someOf } from '../../domain/some-of.ts';
import { visibleControls } from '../terminal-text.ts';
import { cutText } from './cut-text.ts';

/** Nodes that are named in the line. */
const MOST_NAMED = 3;

type Stage = 'starting' | 'pulling' | 'running';
const STAGES: readonly Stage[] = ['running', 'pulling', 'starting'];
const STAGE_OF: Readonly<Record<'creating' | 'pulling' | 'started', Stage>> = { creating: 'starting', pulling: 'pulling', started: 'running' };

/** Follows a run for the one line that a terminal shows of it. */
export class ExecStatusLine {
  #total = 0;
  #startedAt: number | null = null;
  #done = 0;
  #failed = 0;
  readonly #active = new Map<string, Stage>();

  take(event: ExecEvent, now: Date): void {
    switch (event.type) {
      case 'began':
        this.#total = event.nodes;
        this.#startedAt = now.getTime();
        return;
      case 'creating':
      case 'pulling':
      case 'started':
        this.#active.set(event.node, STAGE_OF[event.type]);
        return;
      case 'ended':
        this.#active.delete(event.node);
        this.#done += 1;
        if (event.outcome.error !== null || event.outcome.exitCode !== 0) this.#failed += 1;
        return;
      case 'batch':
      case 'pause':
      case 'stopped':
      case 'note':
      case 'cleaned-up':
    }
  }

  /** One line of at most `width` characters; what comes first matters most. */
  text(now: Date, width: number): string {
    const elapsed = this.#startedAt === null ? null : durationText(Math.floor((now.getTime() - this.#startedAt) / 1000));
    const stages = STAGES.flatMap((stage) => {
      const nodes = [...this.#active].filter(([, of]) => of === stage).map(([node]) => node);
      return nodes.length === 0 ? [] : [`${stage} on ${someOf(nodes, MOST_NAMED, visibleControls)}`];
    });
    if (elapsed === null) return cutText('looking for nodes', width);
    const counts = this.#total === 1 ? [] : [`${this.#done} of ${this.#total} done${this.#failed === 0 ? '' : `, ${this.#failed} failed`}`];
    return cutText([...counts, elapsed, ...stages].join('; '), width);
  }
}
