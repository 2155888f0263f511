import { stringMapAt, type KubeObject } from '../../domain/kubernetes/object.ts';
import { matchesLabels, parseLabelSelector, SelectorSyntaxError } from '../../domain/kubernetes/selector.ts';
import { UsageError } from '../../errors.ts';

/** Which objects -l means, as the server reads it; all of them where it is not given. Throws UsageError for what is no selector. */
export function labelMatcher(text: string | undefined): (object: KubeObject) => boolean {
  if (text === undefined || text === '') return () => true;
  try {
    const selector = parseLabelSelector(text);
    return (object) => matchesLabels(selector, stringMapAt(object, 'metadata', 'labels'));
  } catch (error) {
    if (error instanceof SelectorSyntaxError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}
