/** SRC and DEST of `hostprocess cp`. */
import type { ExecTarget } from '../exec-plan.ts';
import { readTarget } from '../target.ts';
import { readNodePath, type NodePath } from './copy-path.ts';

export type CopyPlace =
  | { readonly side: 'local'; readonly path: string }
  | { readonly side: 'node'; readonly target: ExecTarget; readonly path: NodePath };

/**
 * `NODE:PATH`, `node/NODE:PATH`, `pod/NAME:PATH` and `pod/NAMESPACE/NAME:PATH` (the node that it runs on), or a local path. What is wrong is a
 * sentence without a full stop. One letter before a colon is a drive and no node, which kubectl cp gets wrong
 * (https://github.com/kubernetes/kubectl/issues/1225, https://github.com/kubernetes/kubernetes/issues/77310, read 2026-11-30): of this machine
 * where it runs Windows, and a mistake elsewhere. What contains a colon and is local is written with ./ before it.
 */
export function readCopyPlace(text: string, platform: string): CopyPlace | string {
  if (text === '') return 'a path is empty';
  if (text.includes('\u{fffd}') || !text.isWellFormed()) return `${JSON.stringify(text)} holds bytes that are no UTF-8, or U+FFFD, which stands for such`;
  if (text === '-') return 'standard input and output are not copied: hostprocess exec -i can';
  const colon = text.indexOf(':');
  if (colon === -1 || /^(?:[./~]|\\)/.test(text)) return { side: 'local', path: text };
  const place = text.slice(0, colon);
  if (/^[A-Za-z]$/.test(place)) {
    if (platform === 'win32') return { side: 'local', path: text };
    return `${JSON.stringify(text)} is a path on a drive, and of no node: NODE:${text} is one on a node`;
  }
  const target = readTarget(place);
  if (typeof target === 'string') return `${JSON.stringify(place)}, which stands before the colon, ${target}; a local path with a colon is written ./PATH`;
  const path = readNodePath(text.slice(colon + 1));
  return typeof path === 'string' ? path : { side: 'node', target, path };
}
