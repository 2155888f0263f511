/** Writes protobuf by hand, as https://protobuf.dev/programming-guides/encoding/ (read 2026-11-30) says. */

/** An unsigned number of up to 64 bits; a negative one in two's complement. */
export function varint(value: number | bigint): Buffer {
  const bytes: number[] = [];
  for (let rest = BigInt.asUintN(64, BigInt(value)); ; rest >>= 7n) {
    if (rest < 0x80n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
}

/** One field: text and bytes (messages, too) with their length, numbers and booleans as varints. */
export function field(number: number, value: string | Buffer | number | bigint | boolean): Buffer {
  if (typeof value === 'string' || Buffer.isBuffer(value)) {
    const bytes = Buffer.from(value);
    return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
  }
  return Buffer.concat([varint(number * 8), varint(typeof value === 'boolean' ? Number(value) : value)]);
}

export const message = (...fields: readonly Buffer[]): Buffer => Buffer.concat(fields);

/** An object in Kubernetes' envelope, as the API server writes it: two empty fields come last. */
export function envelope(kind: string, raw: Buffer, apiVersion = 'v1'): Buffer {
  return message(Buffer.from('k8s\0'), field(1, message(field(1, apiVersion), field(2, kind))), field(2, raw), field(3, ''), field(4, ''));
}

/** A list of pods of which each has a name. */
export function podList(names: readonly string[], { continueToken = '', resourceVersion = '7' } = {}): Buffer {
  return envelope('PodList', message(field(1, message(field(1, ''), field(2, resourceVersion), field(3, continueToken))), ...names.map((name) => field(2, message(field(1, message(field(1, name), field(3, 'shop'))))))));
}

/** An error, as the API server answers where protobuf is asked for. */
export function failureStatus(code: number, reason: string, text: string): Buffer {
  return envelope('Status', message(field(1, message(field(1, ''), field(2, ''), field(3, ''))), field(2, 'Failure'), field(3, text), field(4, reason), field(5, message(field(1, ''), field(2, ''), field(3, 'pods'), field(5, 0), field(6, ''))), field(6, code)));
}
