import type { SourceDescription } from '../../app/ports.ts';
import { tablesAsOf } from '../../domain/windows/tables-as-of.ts';

export interface DocumentOptions {
  /** Day to judge by. */
  readonly asOf: Date;
  /** When the document is made. */
  readonly generatedAt: Date;
  readonly toolVersion: string;
}

/** `metadata` of every output document (product.md §4). Null means not known, or several. */
export function documentMetadata(options: DocumentOptions, of: { readonly source: SourceDescription['source']; readonly context: string | null; readonly serverVersion: string | null }): Record<string, unknown> {
  return {
    generatedAt: options.generatedAt.toISOString(),
    asOf: options.asOf.toISOString(),
    tablesAsOf: tablesAsOf(),
    source: of.source,
    context: of.context,
    serverVersion: of.serverVersion,
    toolVersion: options.toolVersion,
  };
}
