/** Digests of content: https://github.com/opencontainers/image-spec/blob/v1.1.1/descriptor.md#digests, read 2026-11-30. */
import { createHash, hash } from 'node:crypto';

const DIGITS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

/** Whether it is a digest of an algorithm that can be verified here. */
export function isDigest(text: unknown): text is string {
  if (typeof text !== 'string') return false;
  const [algorithm = '', hex = '', ...more] = text.split(':');
  return more.length === 0 && Object.hasOwn(DIGITS, algorithm) && hex.length === DIGITS[algorithm] && /^[0-9a-f]+$/.test(hex);
}

/** Digest of content in the algorithm of another one. */
export function digestLike(digest: string, content: Uint8Array): string {
  const algorithm = digest.slice(0, digest.indexOf(':'));
  return `${algorithm}:${createHash(algorithm).update(content).digest('hex')}`;
}

export function sha256Digest(content: Uint8Array | string): string {
  return `sha256:${hash('sha256', content)}`;
}
