/** Go's filepath.Match, as far as a part of a host has it: https://pkg.go.dev/path/filepath#Match, read 2026-11-30. */

/** One character of the text; null for any number of them. */
type Step = ((character: string) => boolean) | null;

/** No name of a host has more than 253 characters; what a class spells out may take some more. */
const LONGEST_PATTERN = 1024;
const ANY: Step = () => true;

/** Whether a text is as a pattern of `*`, `?` and `[a-z]` has it, in a time that no pattern makes long. A pattern that is none matches nothing. */
export function matchesGlob(pattern: string, text: string): boolean {
  if (!/[*?[\\]/.test(pattern)) return pattern === text;
  const steps = pattern.length > LONGEST_PATTERN ? null : stepsOf(Array.from(pattern));
  if (steps === null) return false;
  const characters = Array.from(text);
  let step = 0;
  let position = 0;
  /** Where to go on when the last `*` has to take one character more; it alone is ever tried again. */
  let retry: { readonly step: number; position: number } | null = null;
  while (position < characters.length) {
    const test = steps[step];
    if (test === null) {
      step += 1;
      retry = { step, position };
    } else if (test?.(characters[position] ?? '') === true) {
      step += 1;
      position += 1;
    } else if (retry === null) {
      return false;
    } else {
      retry.position += 1;
      step = retry.step;
      position = retry.position;
    }
  }
  return steps.slice(step).every((rest) => rest === null);
}

/** null for a pattern that Go refuses. */
function stepsOf(pattern: readonly string[]): readonly Step[] | null {
  const steps: Step[] = [];
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern[index];
    if (character === '*') {
      if (steps.at(-1) !== null) steps.push(null);
    } else if (character === '?') {
      steps.push(ANY);
    } else if (character === '[') {
      const found = classAt(pattern, index + 1);
      if (found === null) return null;
      steps.push(found.test);
      index = found.end;
    } else {
      if (character === '\\') index += 1;
      const literal = pattern[index];
      if (literal === undefined) return null;
      steps.push((one) => one === literal);
    }
  }
  return steps;
}

/** A class after its `[`, `end` the place of its `]`: never empty, `^` negates, `\` takes away what the next character means. */
function classAt(pattern: readonly string[], start: number): { readonly test: Step; readonly end: number } | null {
  const isNegated = pattern[start] === '^';
  const ranges: (readonly [from: number, to: number])[] = [];
  let index = isNegated ? start + 1 : start;
  const take = (): number | null => {
    if (pattern[index] === '-' || pattern[index] === ']') return null;
    if (pattern[index] === '\\') index += 1;
    const code = pattern[index]?.codePointAt(0);
    index += 1;
    return code === undefined || index >= pattern.length ? null : code;
  };
  while (pattern[index] !== ']' || ranges.length === 0) {
    const from = take();
    if (from === null) return null;
    let to: number | null = from;
    if (pattern[index] === '-') {
      index += 1;
      to = take();
    }
    if (to === null) return null;
    ranges.push([from, to]);
  }
  return {
    end: index,
    test: (character) => {
      const code = character.codePointAt(0) ?? 0;
      return ranges.some(([from, to]) => from <= code && code <= to) !== isNegated;
    },
  };
}
