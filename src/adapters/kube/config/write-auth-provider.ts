import { open, readFile, realpath, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { YAMLMap } from 'yaml';
import { TemporaryFile } from '../../temporary-file.ts';

const LOCK_ATTEMPTS = 20;
const LOCK_PAUSE_MILLISECONDS = 50;

/**
 * Writes values into `auth-provider.config` of a user, as client-go's persister does, under its lock file
 * (https://github.com/kubernetes/client-go/blob/v0.37.2/tools/clientcmd/config.go, PersisterForUser, read 2026-11-30).
 * All other text of the file, comments included, stays as it is; the file is replaced at once, never half written.
 */
export async function writeAuthProviderConfig(change: {
  readonly file: string;
  readonly userName: string;
  readonly values: Readonly<Record<string, string>>;
}): Promise<void> {
  // A link stays a link: what it leads to is replaced.
  const file = await realpath(change.file);
  await withLock(`${file}.lock`, async () => {
    const text = await readFile(file, 'utf8');
    const changed = await withValues(text, change.userName, change.values);
    if (changed === text) return;
    const before = await stat(file);
    const temporary = await TemporaryFile.create(file, 0o600);
    try {
      await temporary.write(Buffer.from(changed));
      await temporary.replaceTarget({ like: before });
    } catch (error) {
      await temporary.discard();
      throw error;
    }
  });
}

/** The text with the values in the user's auth-provider.config. Throws when the user has none. */
export async function withValues(text: string, userName: string, values: Readonly<Record<string, string>>): Promise<string> {
  let changed = text;
  for (const [key, value] of Object.entries(values)) changed = await withValue(changed, userName, key, value);
  return changed;
}

async function withValue(text: string, userName: string, key: string, value: string): Promise<string> {
  const { isMap, isScalar, isSeq, parseAllDocuments } = await import('yaml');
  const documents = parseAllDocuments(text, { uniqueKeys: false, logLevel: 'silent' });
  const document = 'empty' in documents ? undefined : documents[0];
  const users = document?.get('users');
  const user = isSeq(users) ? users.items.find((item) => isMap(item) && item.get('name') === userName) : undefined;
  const config = isMap(user) ? user.getIn(['user', 'auth-provider', 'config']) : undefined;
  if (document === undefined || !isMap(config)) throw new Error(`user ${JSON.stringify(userName)} has no auth-provider.config there any more`);
  const node = config.get(key, true);
  if (isScalar(node) && node.range && node.source !== undefined && node.type !== 'BLOCK_LITERAL' && node.type !== 'BLOCK_FOLDED') {
    return text.slice(0, node.range[0]) + JSON.stringify(value) + text.slice(node.range[1]);
  }
  const place = firstKeyOfBlock(text, config, isScalar);
  if (node === undefined && place !== null) return `${text.slice(0, place.lineStart)}${place.indentation}${key}: ${JSON.stringify(value)}\n${text.slice(place.lineStart)}`;
  // A flow map without the key, or a value in an unusual form: the document is written anew, as near to the text as the library can.
  document.setIn([...pathOf(users, user), 'user', 'auth-provider', 'config', key], value);
  return [document, ...documents.slice(1)].map((each) => each.toString({ lineWidth: 0 })).join('');
}

function pathOf(users: unknown, user: unknown): readonly (string | number)[] {
  const items = (users as { readonly items: readonly unknown[] }).items;
  return ['users', items.indexOf(user)];
}

/** Where a new line can go in a block map: before its first key, when that begins a line. */
function firstKeyOfBlock(text: string, map: YAMLMap, isScalar: (node: unknown) => node is { readonly range?: readonly number[] | null }): { readonly lineStart: number; readonly indentation: string } | null {
  const first = map.items[0]?.key;
  if (map.flow === true || !isScalar(first) || !first.range) return null;
  const at = first.range[0] ?? 0;
  const lineStart = text.lastIndexOf('\n', at - 1) + 1;
  const indentation = text.slice(lineStart, at);
  return /^ *$/.test(indentation) ? { lineStart, indentation } : null;
}

async function withLock(lockFile: string, work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await (await open(lockFile, 'wx')).close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (attempt === LOCK_ATTEMPTS) throw new Error(`${lockFile} exists: another program is writing, or one has died (then delete it)`, { cause: error });
      await sleep(LOCK_PAUSE_MILLISECONDS);
    }
  }
  try {
    await work();
  } finally {
    await rm(lockFile, { force: true });
  }
}
