import { foldItems, type FoldableItem } from '../../domain/hostprocess/fold.ts';
import { blockText } from './block-text.ts';

/** Items that are alike as one block, the largest group first, with a blank line between them. */
export function* foldedText(items: readonly FoldableItem[]): Generator<string, void, undefined> {
  for (const [index, group] of foldItems(items).entries()) yield `${index === 0 ? '' : '\n'}${blockText(group)}`;
}
