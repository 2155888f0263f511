/**
 * Pages of a list, as client-go's tools/pager reads them (v0.37.2, read 2026-11-30): follow `continue`, and when a later
 * page is 410 Expired read the whole list at once. One page ahead, never the whole list in memory.
 */
import { ClusterError } from '../../../errors.ts';
import type { ListPage } from '../../../app/ports.ts';
import { stringAt, type KubeObject } from '../../../domain/kubernetes/object.ts';

/** What one page is asked for with; limit 0 asks for everything. */
export interface PageRequest {
  readonly limit: number;
  readonly continueToken: string;
  /** Called as soon as the token of the following page is known, before this page is complete. */
  readonly onContinueToken?: (token: string) => void;
}

export interface RawPage {
  readonly items: readonly KubeObject[];
  readonly resourceVersion: string;
  /** '' on the last page. */
  readonly continueToken: string;
  /** See ListPage. */
  readonly whole?: ListPage['whole'] | undefined;
}

export type FetchPage = (request: PageRequest, signal: AbortSignal) => Promise<RawPage>;

/** kubectl's --chunk-size (pkg/cmd/util/helpers.go, read 2026-11-30). */
export const DEFAULT_CHUNK_SIZE = 500;
/** A server may answer fewer objects than asked for, even none; one that goes on like this has no end. */
const MAX_EMPTY_PAGES = 1000;
/**
 * A page goes on behind the one before it, so none begins with what an earlier one began with. Nothing is concluded from the
 * order, which not every aggregated server keeps, and a few such pages may be its mistake; one that goes on like this has no end.
 */
const MAX_REPEATED_PAGES = 10;

export interface PagesOptions {
  readonly chunkSize?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** The error for a list that no API server writes; gets what it is, to stand after "answered with". */
  readonly refuse: (what: string) => ClusterError;
}

/** A page on its way. */
interface Flight {
  readonly token: string;
  page: Promise<RawPage>;
  /** Token of the page after this one, once it was seen. */
  nextToken: string;
  /** Set when this page is the one that is waited for: only then may the one after it set out. */
  mayReadAhead: boolean;
  next: Flight | null;
}

const NEVER = new Promise<never>(() => undefined);

/**
 * Reads a list page by page. A page that breaks off is asked for once more. Throws what `fetchPage` throws, and what
 * `refuse` makes of a list that would never end.
 * Leaving the loop early aborts the page that is on its way.
 */
export async function* pages(fetchPage: FetchPage, options: PagesOptions): AsyncGenerator<ListPage, void, undefined> {
  const limit = options.chunkSize ?? DEFAULT_CHUNK_SIZE;
  const ahead = new AbortController();
  const signal = options.signal === undefined ? ahead.signal : AbortSignal.any([options.signal, ahead.signal]);
  let pageNumber = 0;
  let emptyPages = 0;
  // A token names the place where the next page begins, so none comes twice.
  const tokens = new Set<string>();
  const beginnings = new Set<string>();
  let repeatedPages = 0;

  const start = (token: string): Flight => {
    const flight: Flight = { token, nextToken: '', mayReadAhead: false, next: null, page: NEVER };
    const onContinueToken = (next: string): void => {
      flight.nextToken = next;
      readAhead(flight);
    };
    flight.page = fetchPage({ limit, continueToken: token, onContinueToken }, signal);
    // The consumer may leave before it looks at this page.
    flight.page.catch(() => undefined);
    return flight;
  };
  const readAhead = (flight: Flight): void => {
    if (flight.mayReadAhead && flight.nextToken !== '') flight.next ??= start(flight.nextToken);
  };

  try {
    let flight: Flight | null = start('');
    while (flight !== null) {
      pageNumber += 1;
      flight.mayReadAhead = true;
      readAhead(flight);
      let page: RawPage;
      try {
        page = await flight.page;
      } catch (error) {
        if (pageNumber > 1 && isExpired(error)) {
          const whole = await fetchPage({ limit: 0, continueToken: '' }, signal);
          yield { ...listPageOf(whole), restarted: true };
          return;
        }
        if (!(error instanceof ClusterError) || error.reason !== 'ConnectionLost') throw error;
        page = await fetchPage({ limit, continueToken: flight.token }, signal);
      }
      if (tokens.has(page.continueToken)) throw options.refuse('the continue token of an earlier page again, so that the list would never end');
      if (page.continueToken !== '') tokens.add(page.continueToken);
      emptyPages = page.items.length > 0 ? 0 : emptyPages + 1;
      if (page.continueToken !== '' && emptyPages >= MAX_EMPTY_PAGES) throw options.refuse(`${MAX_EMPTY_PAGES} pages in a row without an object, each with a continue token for another`);
      const [first] = page.items;
      if (first !== undefined) {
        const beginning = identityOf(first);
        repeatedPages = beginnings.has(beginning) ? repeatedPages + 1 : 0;
        beginnings.add(beginning);
      }
      if (page.continueToken !== '' && repeatedPages >= MAX_REPEATED_PAGES) throw options.refuse(`${MAX_REPEATED_PAGES} pages in a row that begin with an object of an earlier page, each with a new continue token, so that the list would never end`);
      // Asked for while this page is worked on.
      const landed: Flight = flight;
      flight = page.continueToken === '' ? null : landed.next?.token === page.continueToken ? landed.next : start(page.continueToken);
      // A kept socket may hold on to the request it was opened for, and so to this page and all that follow it.
      Object.assign(landed, { page: NEVER, next: null });
      yield listPageOf(page);
    }
  } finally {
    ahead.abort();
  }
}

function identityOf(object: KubeObject): string {
  return stringAt(object, 'metadata', 'uid') ?? `${stringAt(object, 'metadata', 'namespace') ?? ''}/${stringAt(object, 'metadata', 'name') ?? ''}`;
}

function listPageOf({ items, resourceVersion, whole }: RawPage): ListPage {
  return { items, resourceVersion, ...(whole === undefined ? {} : { whole }) };
}

function isExpired(error: unknown): boolean {
  return error instanceof ClusterError && (error.reason === 'Expired' || error.reason === 'Gone' || error.status === 410);
}

/**
 * The continue token from the first bytes of a list, which the API server writes before the items; null when it is not
 * there yet, or the bytes are no such list. A guess that only saves time: the whole body decides.
 */
export function continueTokenInHead(head: Buffer): string | null {
  const text = head.toString('latin1');
  const items = text.indexOf('"items":[');
  const metadata = text.indexOf('"metadata":{');
  if (items === -1 || metadata === -1 || metadata > items) return null;
  const token = /"continue":"([A-Za-z0-9_=+/-]+)"/.exec(text.slice(metadata, items));
  return token?.[1] ?? null;
}
