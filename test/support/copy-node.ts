/** A node in memory that does what the scripts of a copy say, for tests of this side. */
import { createHash } from 'node:crypto';
import { Writable } from 'node:stream';
import { COPY_SCRIPTS } from '../../src/domain/hostprocess/copy/copy-script.ts';
import { dataFrame, endFrame, failedFrame, mostOnTheWay, CHUNK_BYTES, RECEIPT_BYTES } from '../../src/domain/hostprocess/copy/copy-stream.ts';
import { PART_SUFFIX } from '../../src/domain/hostprocess/copy/copy-path.ts';
import type { OpenSink } from '../../src/app/hostprocess/copy/copy-node.ts';
import type { RunClock } from '../../src/app/runs/run-clock.ts';
import { ClusterError } from '../../src/errors.ts';
import { sign, type PlayCommand } from './exec-cluster.ts';

export type NodeEntry = Buffer | 'folder' | { readonly link: string };

export interface CopyNodeParts {
  /** By path with its drive; folders that lead to others need not be there. */
  readonly entries?: Readonly<Record<string, NodeEntry>>;
  /** What an operation ends by in place of its own end, by its number from 1 on: after so many bytes that it has written and read. */
  readonly fates?: Readonly<Record<number, { readonly afterBytes: number; readonly error: Error }>>;
  /** What is told of an entry in a list, in place of what is so. */
  readonly listed?: (line: string) => string;
  /** Called before a file is sent. */
  readonly beforeSend?: (path: string, entries: Map<string, NodeEntry>) => void;
  /** What is written in place of the bytes of a file. */
  readonly corrupt?: (bytes: Buffer) => Buffer;
}

export interface CopyingNode {
  readonly play: PlayCommand;
  readonly entries: Map<string, NodeEntry>;
  /** Names of the operations, in order. */
  readonly operations: readonly string[];
}

const sha = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** As the command line opens one. */
export const openTestSink: OpenSink = (write) => new Writable({
  write: (chunk: Uint8Array, _encoding, done) => {
    const written = async (): Promise<void> => write(chunk);
    written().then(() => done(), done);
  },
}).on('error', () => undefined);

export function copyingNode({ entries = {}, fates = {}, listed = (line) => line, beforeSend, corrupt = (bytes) => bytes }: CopyNodeParts = {}): CopyingNode {
  const files = new Map<string, NodeEntry>(Object.entries(entries));
  const operations: string[] = [];
  const kindOf = (path: string): 'f' | 'd' | 'l' | 'n' => {
    const entry = files.get(path);
    if (Buffer.isBuffer(entry)) return 'f';
    if (entry === undefined) return [...files.keys()].some((one) => one.startsWith(`${path.replace(/\\$/, '')}\\`)) || /^[A-Z]:\\$/.test(path) ? 'd' : 'n';
    return entry === 'folder' ? 'd' : 'l';
  };
  const below = (root: string, path: string): string => (path === '' ? root : `${root.replace(/\\$/, '')}\\${path}`);
  const plain = (root: string, path: string): void => {
    const parts = path === '' ? [] : path.split('\\');
    for (let count = 1; count <= parts.length; count += 1) if (kindOf(below(root, parts.slice(0, count).join('\\'))) === 'l') throw new Error(`${below(root, path)} is a link, which is not followed`);
  };

  return {
    entries: files, operations,
    play: async ({ request, err }): Promise<number> => {
      const stdin = request.stdin?.[Symbol.asyncIterator]();
      let rest = Buffer.alloc(0);
      let moved = 0;
      let fate: { readonly afterBytes: number; readonly error: Error } | undefined;
      const count = (bytes: number): void => {
        moved += bytes;
        if (fate !== undefined && moved > fate.afterBytes) throw fate.error;
      };
      const exactly = async (length: number): Promise<Buffer> => {
        while (rest.length < length) {
          const next = await stdin?.next();
          if (next === undefined || next.done === true) throw new Error('stdin ended within the copy');
          count(next.value.length);
          rest = Buffer.concat([rest, next.value]);
        }
        const bytes = rest.subarray(0, length);
        rest = rest.subarray(length);
        return bytes;
      };
      const script = (await exactly((await exactly(4)).readUInt32LE())).toString();
      const [, name = '', parameters = ''] = /;m='([^']+)';a='((?:[^']|'')*)'\}\n/.exec(script) ?? [];
      const known = COPY_SCRIPTS.find((one) => `${one.name}.v${one.version}` === name);
      if (known === undefined || !script.includes(known.text.replaceAll("'", "''"))) throw new Error(`${name} is not played`);
      const number = operations.push(known.name);
      fate = fates[number];
      moved = 0;
      await err(sign('start 42'));
      const out = async (bytes: Uint8Array): Promise<void> => {
        await new Promise<void>((resolve, reject) => request.stdout.write(bytes, (error) => (error ? reject(error) : resolve())));
        count(bytes.length);
      };
      const say = (line: string): Promise<void> => out(Buffer.from(`${line}\n`));
      const given = JSON.parse(parameters.replaceAll("''", "'")) as { readonly path?: string; readonly into?: string | null; readonly walk?: boolean; readonly compare?: boolean; readonly root?: string };
      const lines = async (): Promise<readonly string[]> => (await exactly((await exactly(4)).readUInt32LE())).toString().split('\n');

      const list = async (): Promise<void> => {
        let root = given.path ?? '';
        if (typeof given.into === 'string' && kindOf(root) === 'd') root = below(root, given.into);
        await say(`r\t${kindOf(root)}\t${root}`);
        const tell = (path: string): Promise<void> => {
          const entry = files.get(below(root, path));
          const target = typeof entry === 'object' && 'link' in entry ? `\t${entry.link}` : '';
          return say(listed(`${kindOf(below(root, path))}\t${Buffer.isBuffer(entry) ? entry.length : 0}\t1764500000000\t${path}${target}`));
        };
        if (given.walk === true && kindOf(root) !== 'n') {
          await tell('');
          const paths = new Set<string>();
          for (const path of files.keys()) {
            if (!path.startsWith(below(root, 'x').slice(0, -1))) continue;
            const parts = path.slice(below(root, 'x').length - 1).split('\\');
            for (let index = 1; index <= parts.length; index += 1) paths.add(parts.slice(0, index).join('\\'));
          }
          for (const path of paths) await tell(path);
        }
        if (given.compare !== true) return;
        for (const line of await lines()) {
          const [size = '', path] = line.split('\t');
          if (path === undefined) continue;
          const [entry, part] = [files.get(below(root, path)), files.get(below(root, path) + PART_SUFFIX)];
          const there = Buffer.isBuffer(entry) ? `${entry.length}\t${entry.length === Number(size) ? sha(entry) : '-'}` : `${kindOf(below(root, path))}\t-`;
          await say(listed(`c\t${there}\t${Buffer.isBuffer(part) && part.length <= Number(size) ? `${part.length}\t${sha(part)}` : '-\t-'}\t${path}`));
        }
      };

      const send = async (): Promise<void> => {
        let [sent, taken] = [0, 0];
        for (const line of await lines()) {
          const [given0 = '', prefix, path] = line.split('\t');
          if (path === undefined) continue;
          const root = given.root ?? '';
          beforeSend?.(path, files);
          const entry = files.get(below(root, path));
          try {
            plain(root, path);
            if (!Buffer.isBuffer(entry)) throw new Error('Could not find file');
          } catch (error) {
            await out(failedFrame((error as Error).message));
            continue;
          }
          const from = Number(given0) <= entry.length && sha(entry.subarray(0, Number(given0))) === prefix ? Number(given0) : 0;
          const begin = Buffer.alloc(17, 0x42);
          begin.writeBigUInt64LE(BigInt(from), 1);
          begin.writeBigUInt64LE(BigInt(entry.length), 9);
          await out(begin);
          for (let at = from; at < entry.length; at += CHUNK_BYTES) {
            const chunk = entry.subarray(at, at + CHUNK_BYTES);
            while (sent + chunk.length - taken > mostOnTheWay(sent + chunk.length)) taken += (await exactly(4)).readUInt32LE();
            await out(dataFrame(corrupt(chunk)));
            sent += chunk.length;
          }
          await out(endFrame(sha(entry)));
        }
      };

      const receive = async (): Promise<void> => {
        const root = given.root ?? '';
        let taken = 0;
        for (const [index, line] of (await lines()).entries()) {
          const [type, ...fields] = line.split('\t');
          if (type === 'd') {
            const path = below(root, fields[0] ?? '');
            if (kindOf(path) === 'n') files.set(path, 'folder');
            await say(`${index}\tok`);
          } else if (type === 'f') {
            const [from = '', , path = ''] = fields;
            const at = below(root, path);
            let problem: string | null = null;
            try {
              plain(root, path);
              if (kindOf(at) === 'd') throw new Error(`${at} is a folder`);
            } catch (error) {
              problem = (error as Error).message;
            }
            const part = files.get(at + PART_SUFFIX);
            let content = Buffer.isBuffer(part) ? part.subarray(0, Number(from)) : Buffer.alloc(0);
            for (let isOver = false; !isOver;) {
              const [frame = 0] = await exactly(1);
              if (frame === 0x44) {
                const bytes = await exactly((await exactly(4)).readUInt32LE());
                content = Buffer.concat([content, bytes]);
                if (problem === null) files.set(at + PART_SUFFIX, content);
                taken += bytes.length;
                if (taken < RECEIPT_BYTES) continue;
                await say(`a\t${taken}`);
                taken = 0;
              } else if (frame === 0x45) {
                isOver = true;
                if ((await exactly(32)).toString('hex') !== sha(corrupt(content))) problem ??= 'what has arrived has another SHA-256 than what was sent';
              } else if (frame === 0x46) {
                isOver = true;
                problem ??= (await exactly((await exactly(4)).readUInt32LE())).toString();
              } else throw new Error(`what comes is no copy: ${frame}`);
            }
            if (problem === null || problem.includes('SHA-256')) files.delete(at + PART_SUFFIX);
            if (problem === null) files.set(at, content);
            await say(problem === null ? `${index}\tok` : `${index}\tfailed\t${problem}`);
          }
        }
      };

      await new Map([['copy-list', list], ['copy-send', send], ['copy-receive', receive]]).get(known.name)?.();
      await err(sign('end 0'));
      return 0;
    },
  };
}

export const LOST = new ClusterError('lost the connection', { reason: 'ConnectionLost' });

/** Pauses take no time, and what would be a limit takes for ever: files of this machine are read meanwhile. */
export const pausesOnly: RunClock = {
  now: () => new Date(),
  sleep: (milliseconds, signal) => new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds < 10_000 ? 1 : milliseconds);
    timer.unref();
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    }, { once: true });
  }),
};
