import { isUtf8 } from 'node:buffer';
import { InputError } from '../../errors.ts';

interface Signature {
  readonly bytes: readonly number[];
  readonly name: string;
}

/** First bytes of files that people give by mistake. https://en.wikipedia.org/wiki/List_of_file_signatures, read 2026-11-30 */
const NOT_TEXT = [
  { bytes: [0x50, 0x4b, 0x03, 0x04], name: 'a zip archive' },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], name: 'compressed with zstd' },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], name: 'compressed with xz' },
  { bytes: [0x42, 0x5a, 0x68, 0x39], name: 'compressed with bzip2' },
  { bytes: [0x7f, 0x45, 0x4c, 0x46], name: 'a program' },
  { bytes: [0x4d, 0x5a, 0x90, 0x00], name: 'a Windows program' },
  { bytes: [0x25, 0x50, 0x44, 0x46], name: 'a PDF' },
  { bytes: [0x89, 0x50, 0x4e, 0x47], name: 'a picture' },
] as const satisfies readonly Signature[];

/** Byte order marks of encodings that no Kubernetes tool writes. https://www.unicode.org/faq/utf_bom.html, read 2026-11-30 */
const FOREIGN_MARKS = [
  { bytes: [0xff, 0xfe, 0x00, 0x00], name: 'UTF-32 (little endian)' },
  { bytes: [0x00, 0x00, 0xfe, 0xff], name: 'UTF-32 (big endian)' },
  { bytes: [0x84, 0x31, 0x95, 0x33], name: 'GB18030' },
  { bytes: [0x2b, 0x2f, 0x76], name: 'UTF-7' },
] as const satisfies readonly Signature[];

const SAVE_AS_UTF8 = 'save it as UTF-8; in PowerShell: kubectl … | Out-File -Encoding utf8 FILE';

/**
 * Text of a file's bytes: UTF-8 with or without a byte order mark, or UTF-16 with one (what PowerShell 5.1 writes with
 * `>`: https://github.com/kubernetes/kubernetes/issues/39007). Throws InputError that names any other encoding.
 */
export function decodeText(bytes: Uint8Array, file: string): string {
  for (const mark of FOREIGN_MARKS) {
    if (startsWith(bytes, mark.bytes)) throw new InputError({ file }, `the text is in ${mark.name}, which is not supported`, { suggestions: [SAVE_AS_UTF8] });
  }
  if (startsWith(bytes, [0xef, 0xbb, 0xbf])) return decodeUtf8(bytes.subarray(3), file);
  if (startsWith(bytes, [0xff, 0xfe])) return decodeUtf16(bytes.subarray(2), 'utf-16le', file);
  if (startsWith(bytes, [0xfe, 0xff])) return decodeUtf16(bytes.subarray(2), 'utf-16be', file);
  for (const signature of NOT_TEXT) {
    if (startsWith(bytes, signature.bytes)) throw new InputError({ file }, `the file is ${signature.name}, not JSON or YAML`);
  }
  if (looksLikeTar(bytes)) throw new InputError({ file }, 'the file is a tar archive, not JSON or YAML', { suggestions: ['unpack it and give the folder'] });
  const zero = bytes.indexOf(0);
  if (zero !== -1) {
    const utf16 = utf16WithoutMark(bytes);
    if (utf16 !== null) throw new InputError({ file }, `the text is in ${utf16} without a byte order mark, which is not supported`, { suggestions: [SAVE_AS_UTF8] });
    throw new InputError({ file }, `the file is binary (byte ${zero + 1} is zero), not JSON or YAML`);
  }
  return decodeUtf8(bytes, file);
}

function decodeUtf8(bytes: Uint8Array, file: string): string {
  if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  const at = firstInvalidByte(bytes);
  const place = placeOf(bytes, at);
  const byte = `0x${(bytes[at] ?? 0).toString(16).toUpperCase().padStart(2, '0')}`;
  throw new InputError({ file, ...place }, `the text is not UTF-8 (byte ${byte}): it is probably in a Windows code page such as Windows-1252`, { suggestions: [SAVE_AS_UTF8] });
}

/** By bisection over prefixes: a prefix that ends inside a character is made whole by going on to its end. */
function firstInvalidByte(bytes: Uint8Array): number {
  let good = 0;
  let bad = bytes.length;
  while (bad - good > 8) {
    let middle = good + ((bad - good) >> 1);
    while (middle > good && ((bytes[middle] ?? 0) & 0xc0) === 0x80) middle--;
    if (middle === good) break;
    if (isUtf8(bytes.subarray(good, middle))) good = middle;
    else bad = middle;
  }
  for (let at = good; at < bytes.length;) {
    const lead = bytes[at] ?? 0;
    const length = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (!isUtf8(bytes.subarray(at, at + length)) || at + length > bytes.length) return at;
    at += length;
  }
  return good;
}

function decodeUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be', file: string): string {
  if (bytes.length % 2 !== 0) {
    throw new InputError({ file }, `the ${encoding.toUpperCase()} text is cut off in the middle of a character`, { suggestions: ['write the file again'] });
  }
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    throw new InputError({ file }, `the file is marked as ${encoding.toUpperCase()} but is not valid in it`, { suggestions: [SAVE_AS_UTF8], cause: error });
  }
}

function utf16WithoutMark(bytes: Uint8Array): string | null {
  const sample = bytes.subarray(0, 256);
  let even = 0;
  let odd = 0;
  for (const [index, byte] of sample.entries()) {
    if (byte !== 0) continue;
    if (index % 2 === 0) even++;
    else odd++;
  }
  if (odd > sample.length / 3 && even === 0) return 'UTF-16 (little endian)';
  if (even > sample.length / 3 && odd === 0) return 'UTF-16 (big endian)';
  return null;
}

function looksLikeTar(bytes: Uint8Array): boolean {
  return startsWith(bytes.subarray(257), [0x75, 0x73, 0x74, 0x61, 0x72]);
}

function placeOf(bytes: Uint8Array, at: number): { line: number; column: number } {
  let line = 1;
  let lineStart = 0;
  for (let next = bytes.indexOf(10); next !== -1 && next < at; next = bytes.indexOf(10, next + 1)) {
    line++;
    lineStart = next + 1;
  }
  return { line, column: at - lineStart + 1 };
}

function startsWith(bytes: Uint8Array, start: readonly number[]): boolean {
  return start.every((byte, index) => bytes[index] === byte);
}
