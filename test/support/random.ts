import { isContinuousIntegration } from './cases.ts';

/** Random choices that can be repeated: the same seed gives the same sequence. */
export interface Random {
  readonly seed: number;
  /** A number from 0 to below `limit`. */
  below(limit: number): number;
  pick<Item>(items: readonly Item[]): Item;
  /** true in `percent` of the calls. */
  chance(percent: number): boolean;
}

/** Of CI's runs: there a failure must come from the change that is tested, not from luck. */
const CI_SEED = 20261130;

/**
 * The seed of KUBECTL_WIN_SEED, else CI's where CI is set, else a new one; tests put it into their title so that a failure
 * can be repeated. Every run at a desk so looks at cases that none has seen.
 */
export function testSeed(): number {
  const given = process.env['KUBECTL_WIN_SEED'];
  if (given !== undefined) return Number(given);
  return isContinuousIntegration() ? CI_SEED : Math.floor(Math.random() * 2 ** 31);
}

/** mulberry32: small, fast, good enough for test data. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    seed,
    below,
    pick(items) {
      const item = items[below(items.length)];
      if (item === undefined) throw new Error('nothing to pick from');
      return item;
    },
    chance: (percent) => next() * 100 < percent,
  };
}
