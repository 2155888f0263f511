import assert from 'node:assert/strict';
import { findInPrefix, MalformedProtobufError, readProtobuf, type ProtobufField, type ProtobufTable } from '../../../../../src/adapters/kube/api/protobuf-reader.ts';
import { field, message, varint } from './protobuf-writer.ts';

const wanted = (name: string, type: ProtobufField['type'], table: ProtobufTable = [], omitsEmpty = false): ProtobufField => ({ name, type, table, omitsEmpty });
const INNER: ProtobufTable = [undefined, wanted('text', 'string')];
const TABLE: ProtobufTable = [undefined, wanted('text', 'string'), wanted('number', 'integer'), wanted('flag', 'boolean'), wanted('one', 'message', INNER), wanted('many', 'messages', INNER), wanted('map', 'map'), wanted('raw', 'bytes'), wanted('maybe', 'string', [], true), wanted('some', 'integer', [], true)];

describe('readProtobuf', () => {
  it('reads wanted fields in any order, and skips the others whatever their type', () => {
    const bytes = message(
      field(5, field(1, 'a')), field(900, 'skipped'), field(3, true), field(99, 12345678901234567890n), Buffer.from([...varint(98 * 8 + 1), 1, 2, 3, 4, 5, 6, 7, 8]), Buffer.from([...varint(97 * 8 + 5), 1, 2, 3, 4]),
      field(1, 'grüße 💡'), field(2, 300), field(4, message(field(2, 'unknown'), field(1, 'in'))), field(5, ''), field(6, message(field(1, 'k'), field(2, 'v'))), field(6, field(1, 'empty')), field(7, Buffer.from([255])), field(8, ''), field(9, 0),
    );
    assert.deepEqual(readProtobuf(bytes, TABLE), { many: [{ text: 'a' }, {}], flag: true, text: 'grüße 💡', number: 300, one: { text: 'in' }, map: { k: 'v', empty: '' }, raw: Buffer.from([255]) });
    assert.deepEqual(readProtobuf(Buffer.alloc(0), TABLE), {});
  });

  it('reads numbers of 32 and 64 bits, negative ones too', () => {
    for (const number of [0, 1, 127, 128, 2 ** 31 - 1, 2 ** 53 - 1, -1, -1073741502, -(2 ** 31)]) assert.deepEqual(readProtobuf(field(2, number), TABLE), { number });
    assert.deepEqual(readProtobuf(message(field(3, false), field(8, 'x'), field(9, -5)), TABLE), { flag: false, maybe: 'x', some: -5 });
  });

  it('takes the key __proto__ of a map for a key', () => {
    const { map } = readProtobuf(field(6, message(field(1, '__proto__'), field(2, 'x'))), TABLE);
    assert.deepEqual(Object.entries(map ?? {}), [['__proto__', 'x']]);
    assert.equal(Object.getPrototypeOf(map), Object.prototype);
  });

  it('replaces bytes that are not UTF-8, as for JSON', () => {
    assert.deepEqual(readProtobuf(field(1, Buffer.from([0x61, 0xff])), TABLE), { text: 'a\ufffd' });
  });

  for (const [what, bytes, isCut] of [
    ['a text longer than the rest', [0x0a, 5, 0x61], true],
    ['a length far beyond all', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], true],
    ['a number without an end', [0x10, 0x80], true],
    ['a number of eleven bytes', [0x10, ...Array.from({ length: 11 }, () => 0x80), 1], false],
    ['a field of a message that reaches beyond it', [0x22, 2, 0x0a, 3, 0x61, 0x61, 0x61], false],
    ['an unknown field longer than the rest', [0xfa, 1, 9], true],
    ['the field number 0', [0x02, 0], false],
    ['a text as a number', [0x08, 1], false],
    ['a number as a text', [0x12, 1, 1], false],
    ['a group', [0xfb, 1, 0xfc, 1], false],
    ['a wire type without a meaning', [0xff, 1], false],
    ['a tag beyond all tables', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], false],
  ] satisfies readonly [string, readonly number[], boolean][]) {
    it(`refuses ${what}`, () => assert.throws(() => readProtobuf(Buffer.from(bytes), TABLE), (error) => error instanceof MalformedProtobufError && error.isCut === isCut));
  }
});

describe('findInPrefix', () => {
  it('finds a field that has begun, and says whether it is whole', () => {
    const bytes = message(field(9, 7), field(8, 'other'), field(2, 'wanted'));
    assert.deepEqual(findInPrefix(bytes, 2), { bytes: Buffer.from('wanted'), isWhole: true });
    assert.deepEqual(findInPrefix(bytes.subarray(0, -2), 2), { bytes: Buffer.from('want'), isWhole: false });
    assert.equal(findInPrefix(message(field(9, 7)), 2), null);
    assert.throws(() => findInPrefix(bytes.subarray(0, 5), 2), MalformedProtobufError);
  });
});
