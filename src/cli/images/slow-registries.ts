import type { ImageRegistry } from '../../app/ports.ts';
import { parseReference } from '../../domain/image/reference.ts';
import { someOf } from '../../domain/some-of.ts';

/** A table that comes later than this seems to have been forgotten. */
const PATIENCE_MILLISECONDS = 3_000;
const MOST_NAMED = 3;

/** A registry that says once, in one line, whom it waits for when answers do not come. */
export function announceWaiting(registry: ImageRegistry, announce: (line: string) => void, { secondsPerImage, afterMilliseconds = PATIENCE_MILLISECONDS }: { readonly secondsPerImage: number; readonly afterMilliseconds?: number }): ImageRegistry {
  const waiting: string[] = [];
  let timer: NodeJS.Timeout | null = null;
  let isSaid = false;
  const say = (): void => {
    isSaid = true;
    const hosts = new Set(waiting.flatMap((image) => {
      const parsed = parseReference(image);
      return parsed.kind === 'reference' ? [parsed.reference.domain] : [];
    }));
    announce(`waiting for ${someOf([...hosts], MOST_NAMED)} to tell of ${waiting.length === 1 ? '1 image' : `${waiting.length} images`}: ${secondsPerImage} s for each at most (--request-timeout); --images=tags asks no registry`);
  };
  return {
    async lookUp(image, options) {
      waiting.push(image);
      if (!isSaid) timer ??= setTimeout(say, afterMilliseconds).unref();
      try {
        return await registry.lookUp(image, options);
      } finally {
        waiting.splice(waiting.indexOf(image), 1);
        if (waiting.length === 0 && timer !== null) {
          clearTimeout(timer);
          timer = null;
        }
      }
    },
    close: () => registry.close(),
  };
}
