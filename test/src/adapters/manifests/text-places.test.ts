import assert from 'node:assert/strict';
import { textPlaces } from '../../../../src/adapters/manifests/text-places.ts';

describe('places in a text', () => {
  const at = (text: string, part: string, firstLine = 1): readonly [line: number, column: number, length: number] => {
    const start = text.indexOf(part);
    const { line, column, length } = textPlaces('a.yaml', text, firstLine).placeOf({ start, end: start + part.length });
    return [line, column, length];
  };

  it('are lines and columns of characters, whose pairs of surrogates are one each', () => {
    assert.deepEqual(at('a: 1\nb: 2\n', 'b'), [2, 1, 1]);
    assert.deepEqual(at('\u{1f642}: \u{1f642}\nx: "\u{1f642}\u{1f642}" # é\n', '"\u{1f642}\u{1f642}"', 7), [8, 4, 4]);
    assert.deepEqual(at('\u{1f642}: \u{1f642}', '\u{1f642}'), [1, 1, 1]);
    assert.deepEqual(at('\ud83d: b', 'b'), [1, 4, 1]);
    assert.deepEqual(at('', ''), [1, 1, 1]);
  });

  it('end with their line', () => {
    assert.deepEqual(at('a: |\r\n  b\r\n', '|\r\n  b'), [1, 4, 1]);
    assert.deepEqual(at('a: |\n', '|\n'), [1, 4, 1]);
  });

  it('have the text of their line without its end', () => {
    const places = textPlaces('a.yaml', 'a: 1\r\n\r\nb: 2\n\nc', 3);
    assert.deepEqual([2, 3, 4, 5, 6, 7, 8].map((line) => places.lineText(line)), ['', 'a: 1', '', 'b: 2', '', 'c', '']);
  });

  it('are found as fast in one line of megabytes, such as minified JSON', () => {
    const text = `[${'{"a": 1}, '.repeat(300_000)}{"\u{1f642}": "z"}]`;
    const places = textPlaces('a.json', text, 1);
    const start = performance.now();
    for (let count = 0; count < 10_000; count++) assert.equal(places.placeOf({ start: text.length - 6, end: text.length - 3 }).column, text.length - 6);
    assert.ok(performance.now() - start < 3_000);
  });
});
