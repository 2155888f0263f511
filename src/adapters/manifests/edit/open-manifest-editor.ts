import { readFile } from 'node:fs/promises';
import type { EditableManifest, ManifestEditor } from '../../../app/ports.ts';
import { InputError } from '../../../errors.ts';
import { decodeText } from '../../inventory/decode-text.ts';
import { readError } from '../../inventory/read-source.ts';
import { editText } from './edit-text.ts';
import { replaceFile } from './replace-file.ts';

export interface ManifestEditorOptions {
  /** What was read from standard input; without it `stdin` cannot be opened. */
  readonly stdin?: string | undefined;
}

export function openManifestEditor(options: ManifestEditorOptions = {}): ManifestEditor {
  return { open: (file, signal) => (file === 'stdin' && options.stdin !== undefined ? Promise.resolve(stdinManifest(options.stdin)) : openFile(file, signal)) };
}

function stdinManifest(text: string): EditableManifest {
  return {
    text, isWritable: false,
    edit: (objects) => editText(text, objects),
    write: () => Promise.reject(new InputError({ file: 'stdin' }, 'standard input cannot be written to')),
  };
}

async function openFile(file: string, signal: AbortSignal | undefined): Promise<EditableManifest> {
  const bytes = await readFile(file, { signal }).catch((error: unknown) => {
    signal?.throwIfAborted();
    throw readError(file, error);
  });
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) throw new InputError({ file }, 'is compressed, and compressed files are not edited', { suggestions: [`gunzip ${file}`] });
  const text = decodeText(bytes, file);
  return {
    text, isWritable: true,
    edit: (objects) => editText(text, objects),
    write: (changed) => replaceFile(file, bytes, encodeAs(bytes, changed)),
  };
}

/** In the encoding of the old bytes, byte order mark included. */
function encodeAs(old: Uint8Array, text: string): Uint8Array {
  if (old[0] === 0xff && old[1] === 0xfe) return Buffer.from(`\ufeff${text}`, 'utf16le');
  if (old[0] === 0xfe && old[1] === 0xff) return Buffer.from(`\ufeff${text}`, 'utf16le').swap16();
  return Buffer.from(old[0] === 0xef && old[1] === 0xbb && old[2] === 0xbf ? `\ufeff${text}` : text);
}
