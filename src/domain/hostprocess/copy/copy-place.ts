/** SRC and DEST of `hostprocess cp`. */
import type { ExecTarget } from '../exec-plan.ts';
import { readNodePath, type NodePath } from './copy-path.ts';

export type CopyPlace =
  | { readonly side: 'local'; readonly path: string }
  | { readonly side: 'node'; readonly target: ExecTarget; readonly path: NodePath };

/** A name of a node or pod: DNS, and longer than a drive's letter. */
const NAME = /^[a-z0-9](?:[-a-z0-9.]*[a-z0-9])$/;

/**
 * `NODE:PATH`, `node/NODE:PATH`, `pod/NAME:PATH` and `pod/NAMESPACE/NAME:PATH` (the node that it runs on), or a local path. What is wrong is a
 * sentence without a full stop. One letter before a colon is a drive and no node, which kubectl cp gets wrong
 * (https://github.com/kubernetes/kubectl/issues/1225, https://github.com/kubernetes/kubernetes/issues/77310, read 2026-11-30): of this machine
 * where it runs Windows, and a mistake elsewhere. What contains a colon and is local is written with ./ before it.
 */
export function readCopyPlace(text: string, platform: string): CopyPlace | string {
  if (text === '') return 'a path is empty';
  if (text === '-') return 'standard input and output are not copied: hostprocess exec -i can';
  const colon = text.indexOf(':');
  if (colon === -1 || /^(?:[./~]|\\)/.test(text)) return { side: 'local', path: text };
  const place = text.slice(0, colon);
  if (/^[A-Za-z]$/.test(place)) {
    if (platform === 'win32') return { side: 'local', path: text };
    return `${JSON.stringify(text)} is a path on a drive, and of no node: NODE:${text} is one on a node`;
  }
  const target = readPlaceTarget(place);
  if (typeof target === 'string') return target;
  const path = readNodePath(text.slice(colon + 1));
  return typeof path === 'string' ? path : { side: 'node', target, path };
}

function readPlaceTarget(place: string): ExecTarget | string {
  const words = place.split('/');
  const [kind = '', ...names] = words.length === 1 ? ['node', ...words] : words;
  const explicit = words.length > 1;
  const isName = (name: string | undefined): name is string => name !== undefined && name.length <= 253 && (NAME.test(name) || (explicit && /^[a-z0-9]$/.test(name)));
  const [first, second] = names;
  if (/^(?:node|no|nodes)$/.test(kind) && names.length === 1 && isName(first)) return { kind: 'node', name: first };
  if (/^(?:pod|po|pods)$/.test(kind) && names.length === 1 && isName(first)) return { kind: 'pod', namespace: null, name: first };
  if (/^(?:pod|po|pods)$/.test(kind) && names.length === 2 && isName(first) && isName(second)) return { kind: 'pod', namespace: first, name: second };
  return `${JSON.stringify(place)} before the colon names no node: NODE:PATH, pod/NAME:PATH or pod/NAMESPACE/NAME:PATH; a local path with a colon is written ./PATH`;
}
