import { InterruptedError } from '../../errors.ts';

/** What is said at the end of a run that was told to stop. `isCleanedUp`: nothing that it has made is left; what is left has notes of its own. */
export function interruptedRun(cause: unknown, isCleanedUp: boolean): InterruptedError {
  return new InterruptedError('interrupted', { cause, suggestions: isCleanedUp ? ['the pods were removed, and the commands in them have ended'] : [] });
}
