import assert from 'node:assert/strict';
import { jsonLine, renderJson } from '../../../src/output/json.ts';

describe('renderJson', () => {
  const documents = [
    {}, { a: 1 }, { items: [] }, { items: [1, 'x', null, {}, [], { a: [1, { b: 2 }] }] }, { a: { b: { c: [] } }, z: null, text: 'a\nb "q" é' }, { first: [1], second: [[1, [2]], {}] },
  ] as const;
  for (const document of documents) {
    it(`indents ${JSON.stringify(document)} by four spaces, as kubectl`, () => assert.equal([...renderJson(document)].join(''), `${JSON.stringify(document, null, 4)}\n`));
  }

  it('leaves out what JSON does not have', () => {
    assert.equal([...renderJson({ a: undefined, b: [undefined], c: { d: undefined } })].join(''), '{\n    "b": [\n        null\n    ],\n    "c": {}\n}\n');
  });

  it('escapes what could steer a terminal, and reads back the same', () => {
    const document = { 'a\u202e': '\u009b\u007f\u2028\u001b<&>', items: ['\u0085'] };
    const text = [...renderJson(document)].join('');
    assert.match(text, /^[\n\x20-\x7e]*$/);
    assert.ok(text.includes('<&>'));
    assert.deepEqual(JSON.parse(text), document);
  });

  it('does so in a line of its own, too', () => {
    const document = { 'a\u202e': '\u009b\u007f\u2028\u001b\r\n<&>', items: ['\u0085', { b: null }] };
    const text = jsonLine(document);
    assert.match(text, /^[\x20-\x7e]*\n$/);
    assert.deepEqual(JSON.parse(text), document);
  });

  it('makes one chunk or more per item, so that a long list is never one text', () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ index }));
    assert.ok(Math.max(...[...renderJson({ items })].map((chunk) => chunk.length)) < 60);
  });

  it('takes iterables for lists, at the top and in what is made so itself, and asks for one item at a time', () => {
    const asked: number[] = [];
    const items = (count: number): Iterable<unknown> => ({
      * [Symbol.iterator]() {
        for (let index = 0; index < count; index += 1) {
          asked.push(index);
          yield { index, list: [index] };
        }
      },
    });
    const plain = { a: [...items(3)], none: [], runs: [{ name: 'x', results: [...items(2)] }], z: 1 };
    const expected = `${JSON.stringify(plain, null, 4)}\n`;
    assert.equal([...renderJson({ a: items(3), none: items(0), runs: [{ name: 'x', results: items(2) }].values(), z: 1 })].join(''), expected);
    asked.length = 0;
    for (const chunk of renderJson({ a: items(1000) })) if (chunk.includes('"index": 1')) break;
    assert.ok(asked.length <= 2);
  });
});
