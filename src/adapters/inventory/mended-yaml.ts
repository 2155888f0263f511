import { YAMLException, parseEvents } from 'js-yaml';
import type { Event } from 'js-yaml';
import { NESTING_LIMIT } from './parsed-document.ts';

/** Parser events of a YAML text. */
export interface MendedYaml {
  /** What the offsets of the events count in: the text, with white space added where kubectl needs none. */
  readonly text: string;
  readonly events: Event[];
  /** Offset in the text as it was given. */
  originalOffset(offset: number): number;
}

interface Insertion {
  /** In the text as it was given. */
  readonly offset: number;
  readonly count: number;
}

/** Characters that are parsed again and again at most, for one text. */
const MOST_WORK = 25_000_000;
/** Added to a line; one that needs more gets it once more. */
const INDENTATION = 200;

/**
 * Parses as go-yaml does where it takes more than YAML allows and than js-yaml takes: lines in brackets or quotes may be
 * indented as little as one likes (`args: [` … `]` below each other), and a comment may follow a bracket or quote at once.
 * White space is added there, which changes no value. Checked against kubectl v1.37.2 on 2026-11-30. Throws
 * YAMLException, whose `mark.position` is that of the text as given, and RangeError.
 */
export function parseMended(source: string): MendedYaml {
  let text = source;
  const insertions: Insertion[] = [];
  const originalOffset = (offset: number): number => {
    let shift = 0;
    for (const insertion of insertions) {
      if (insertion.offset + shift >= offset) break;
      shift += Math.min(insertion.count, offset - insertion.offset - shift);
    }
    return offset - shift;
  };
  for (let work = 0; ; work += text.length) {
    try {
      return { text, events: parseEvents(text, { maxDepth: NESTING_LIMIT }), originalOffset };
    } catch (error) {
      if (!(error instanceof YAMLException) || error.mark === undefined) throw error;
      const mended = work > MOST_WORK ? null : mendAt(text, error);
      if (mended === null) {
        error.mark.position = originalOffset(error.mark.position);
        throw error;
      }
      const original = originalOffset(mended.offset);
      text = `${text.slice(0, mended.offset)}${' '.repeat(mended.count)}${text.slice(mended.offset)}`;
      insertions.push({ offset: original, count: mended.count });
      insertions.sort((a, b) => a.offset - b.offset);
    }
  }
}

/** Where white space is missing in the text that was parsed last; null where something else is wrong. */
function mendAt(text: string, error: YAMLException): Insertion | null {
  const position = error.mark?.position ?? 0;
  if (error.reason === 'deficient indentation') {
    // a carriage return alone ends a line, too
    const lineStart = Math.max(text.lastIndexOf('\n', position - 1), text.lastIndexOf('\r', position - 1)) + 1;
    return position - lineStart > NESTING_LIMIT + INDENTATION ? null : { offset: lineStart, count: INDENTATION };
  }
  return text[position] === '#' && /["'\]}]/.test(text.charAt(position - 1)) ? { offset: position, count: 1 } : null;
}
