/** What is known of nodes while a run is under way: whether they are Ready, and whether they are still the same. */
export type Readiness = 'ready' | 'not-ready' | 'gone';

interface KnownNode {
  readonly uid: string;
  readonly readiness: Readiness;
  /** When it became so, in milliseconds. */
  readonly since: number;
}

export class KnownNodes {
  readonly #nodes = new Map<string, KnownNode>();

  /** true where another node has come under this name: clouds give a new machine the name of the one before. */
  take(name: string, uid: string, readiness: Readiness, now: number): boolean {
    const known = this.#nodes.get(name);
    const isOther = known !== undefined && known.uid !== '' && uid !== '' && known.uid !== uid;
    const isAsBefore = known !== undefined && !isOther && known.readiness === readiness;
    this.#nodes.set(name, { uid: uid === '' ? known?.uid ?? '' : uid, readiness, since: isAsBefore ? known.since : now });
    return isOther;
  }

  names(): readonly string[] {
    return [...this.#nodes.keys()];
  }

  /** When it was last Ready, in milliseconds; null where it is, or where nothing is known of it: nodes may be watched by few. */
  notReadySince(name: string): number | null {
    const known = this.#nodes.get(name);
    return known === undefined || known.readiness === 'ready' ? null : known.since;
  }

  isGone(name: string): boolean {
    return this.#nodes.get(name)?.readiness === 'gone';
  }
}
