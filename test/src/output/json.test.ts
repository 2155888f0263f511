import assert from 'node:assert/strict';
import { renderJson } from '../../../src/output/json.ts';

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

  it('makes one chunk or more per item, so that a long list is never one text', () => {
    const items = Array.from({ length: 100 }, (_, index) => ({ index }));
    assert.ok(Math.max(...[...renderJson({ items })].map((chunk) => chunk.length)) < 60);
  });
});
