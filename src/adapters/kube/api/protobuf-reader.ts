/**
 * The protobuf wire format (https://protobuf.dev/programming-guides/encoding/, read 2026-11-30), read by tables that name
 * the wanted fields: all others are skipped unread. The tables are trees, so that no message nests deeper than its table.
 */

/** Bytes that are no message of their table. */
export class MalformedProtobufError extends Error {
  override readonly name = 'MalformedProtobufError';
  /** Whether more bytes behind the last one might mend it. */
  readonly isCut: boolean;

  constructor(what: string, options: ErrorOptions & { readonly isCut?: boolean } = {}) {
    super(what, options);
    this.isCut = options.isCut ?? false;
  }
}

export interface ProtobufField {
  readonly name: string;
  /** `message` and `messages` have a table; `map` is one of strings to strings, `bytes` is given as it is. */
  readonly type: 'string' | 'boolean' | 'integer' | 'bytes' | 'map' | 'message' | 'messages';
  /** Of messages; empty for others. */
  readonly table: ProtobufTable;
  /** Leaves out what JSON leaves out (Go's omitempty): an empty text, zero and false. */
  readonly omitsEmpty: boolean;
}

/** Wanted fields by their numbers. */
export type ProtobufTable = readonly (ProtobufField | undefined)[];

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED32 = 5;

/** 64 bits of 7 each. */
const MAX_VARINT_BYTES = 10;

/** Reads one message. Throws MalformedProtobufError. */
export function readProtobuf(bytes: Buffer, table: ProtobufTable, start = 0): Record<string, unknown> {
  return new Reader(bytes, start).message(table, bytes.length);
}

/**
 * The bytes of a length-delimited field in the beginning of a message, as far as they are there; null where it does not
 * begin within these. Throws MalformedProtobufError.
 */
export function findInPrefix(bytes: Buffer, number: number, start = 0): { readonly bytes: Buffer; readonly isWhole: boolean } | null {
  return new Reader(bytes, start).find(number);
}

class Reader {
  readonly #bytes: Buffer;
  #at: number;

  constructor(bytes: Buffer, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  message(table: ProtobufTable, end: number): Record<string, unknown> {
    const message: Record<string, unknown> = {};
    while (this.#at < end) {
      const tag = this.#tag(end);
      const field = table[Math.floor(tag / 8)];
      const wireType = tag % 8;
      if (field === undefined) this.#skip(wireType, end);
      else if (wireType === (field.type === 'boolean' || field.type === 'integer' ? VARINT : LENGTH_DELIMITED)) this.#read(message, field, end);
      else throw new MalformedProtobufError(`wire type ${wireType} of the field ${field.name} at byte ${this.#at}`);
    }
    return message;
  }

  find(number: number): { readonly bytes: Buffer; readonly isWhole: boolean } | null {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const tag = this.#tag(bytes.length);
      if (tag !== number * 8 + LENGTH_DELIMITED) {
        this.#skip(tag % 8, bytes.length);
        continue;
      }
      const last = this.#varint(bytes.length) + this.#at;
      return { bytes: bytes.subarray(this.#at, last), isWhole: last <= bytes.length };
    }
    return null;
  }

  #read(message: Record<string, unknown>, { name, type, table, omitsEmpty }: ProtobufField, end: number): void {
    if (type === 'integer' || type === 'boolean') {
      const number = type === 'integer' ? this.#integer(end) : this.#varint(end);
      if (number !== 0 || !omitsEmpty) message[name] = type === 'integer' ? number : number !== 0;
      return;
    }
    const last = this.#lengthEnd(end);
    const start = this.#at;
    switch (type) {
      case 'string':
        if (last > start || !omitsEmpty) message[name] = this.#bytes.toString('utf8', start, last);
        break;
      case 'bytes':
        message[name] = this.#bytes.subarray(start, last);
        break;
      case 'message':
        message[name] = this.message(table, last);
        break;
      case 'messages': {
        const list = message[name];
        const element = this.message(table, last);
        if (Array.isArray(list)) list.push(element);
        else message[name] = [element];
        break;
      }
      case 'map': {
        const { key, value } = this.message(MAP_ENTRY, last);
        const map = (message[name] ??= {}) as Record<string, unknown>; // of an earlier entry of the same field
        // as JSON.parse does, for which __proto__ is a key like others
        if (key === '__proto__') Object.defineProperty(map, key, { value: value ?? '', enumerable: true, configurable: true, writable: true });
        else map[typeof key === 'string' ? key : ''] = value ?? '';
      }
    }
    this.#at = last;
  }

  #tag(end: number): number {
    const tag = this.#varint(end);
    if (tag < 8 || tag >= 2 ** 32) throw new MalformedProtobufError(`a field number that there is not at byte ${this.#at}`);
    return tag;
  }

  #skip(wireType: number, end: number): void {
    if (wireType === VARINT) this.#varint(end);
    else if (wireType === LENGTH_DELIMITED) this.#at = this.#lengthEnd(end);
    else if (wireType === FIXED64 || wireType === FIXED32) this.#at = this.#within(this.#at + (wireType === FIXED64 ? 8 : 4), end);
    // groups, which Kubernetes never had, and numbers without a meaning
    else throw new MalformedProtobufError(`wire type ${wireType} at byte ${this.#at}`);
  }

  /** Where the bytes end whose length comes next. */
  #lengthEnd(end: number): number {
    const length = this.#varint(end);
    return this.#within(this.#at + length, end);
  }

  #within(place: number, end: number): number {
    if (place > end) throw new MalformedProtobufError(`a field up to byte ${place} in a message up to byte ${end}`, { isCut: end === this.#bytes.length });
    return place;
  }

  /** Exact up to 2^53: more than any length or tag; a larger one is only compared. */
  #varint(end: number): number {
    const bytes = this.#bytes;
    let number = 0;
    let factor = 1;
    for (let count = 0; count < MAX_VARINT_BYTES && this.#at < end; count += 1) {
      const byte = bytes[this.#at++] ?? 0;
      number += (byte & 0x7f) * factor;
      if (byte < 0x80) return number;
      factor *= 128;
    }
    throw new MalformedProtobufError(`a number without an end at byte ${this.#at}`, { isCut: this.#at === this.#bytes.length });
  }

  /** int32 or int64, in two's complement of 64 bits; exact up to 2^53. */
  #integer(end: number): number {
    const start = this.#at;
    const number = this.#varint(end);
    if (this.#at - start < MAX_VARINT_BYTES) return number;
    let value = 0n;
    for (let place = this.#at - 1; place >= start; place -= 1) value = (value << 7n) | BigInt((this.#bytes[place] ?? 0) & 0x7f);
    return Number(BigInt.asIntN(64, value));
  }
}

const MAP_ENTRY: ProtobufTable = [undefined, { name: 'key', type: 'string', table: [], omitsEmpty: false }, { name: 'value', type: 'string', table: [], omitsEmpty: false }];
