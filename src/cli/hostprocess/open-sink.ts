import { Writable } from 'node:stream';
import type { OpenSink } from '../../app/hostprocess/copy/copy-node.ts';

/** What a call throws is the error of the stream, which whoever writes is told. */
export const openSink: OpenSink = (write) => {
  const sink = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      const written = async (): Promise<void> => write(chunk);
      written().then(() => done(), done);
    },
  });
  return sink.on('error', () => undefined);
};
