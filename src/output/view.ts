/** What a command gives to print. Renderers turn it into text; nothing here knows formats or terminals. */

/** What a cell means; the renderer decides whether and how that is coloured. */
export type CellTone = 'plain' | 'good' | 'warning' | 'bad' | 'muted';

export interface Column<Item> {
  /** Upper-case words joined by dashes, as kubectl's. */
  readonly header: string;
  /** Text of the cell; '' prints as `<none>`. Never contains colour. */
  readonly value: (item: Item) => string;
  /** Shown with -o wide only. */
  readonly wide?: boolean;
  readonly tone?: (item: Item) => CellTone;
  /** What --sort-by compares where the text would sort otherwise than people mean; null (not known) sorts last. Default: the text. */
  readonly sortKey?: (item: Item) => number | null;
}

export interface View<Item = unknown> {
  readonly columns: readonly Column<Item>[];
  readonly items: readonly Item[];
  /**
   * What json, yaml and jsonpath print (product.md §4); custom-columns goes over its `items` where it has any. Made on demand: it can be
   * large. A list may be an iterable that makes its items one by one.
   */
  readonly document: () => Readonly<Record<string, unknown>>;
  /** Field of the document that custom-columns goes over; default: `items`. */
  readonly listField?: string;
  /** Formats whose text is not made of the columns: reports, pages, what a terminal shows. */
  readonly renderings?: Readonly<Partial<Record<RenderedFormat, Rendering>>>;
  /** `-o name` of an item: `node/NAME`. */
  readonly nameOf: (item: Item) => string;
  /** Goes to stderr when there are no items: `No resources found`. */
  readonly emptyMessage: string;
}

export type RenderedFormat = 'table' | 'wide' | 'name' | 'markdown' | 'html' | 'sarif' | 'junit' | 'github';

/** The text in chunks that end with a line. */
export type Rendering = (options: { readonly colour?: boolean }) => Iterable<string> | Promise<Iterable<string>>;
