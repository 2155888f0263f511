/** A script at the beginning of stdin, as BOOTSTRAP reads it. */

const LENGTH_BYTES = 4;

/** The length in bytes, 32 bits with the lowest byte first, then the script in UTF-8. What follows is the command's own stdin. */
export function frame(script: string): Uint8Array {
  const text = new TextEncoder().encode(script);
  const framed = new Uint8Array(LENGTH_BYTES + text.length);
  new DataView(framed.buffer).setUint32(0, text.length, true);
  framed.set(text, LENGTH_BYTES);
  return framed;
}
