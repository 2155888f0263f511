/** Deterministic stand-ins for values that a cluster makes at random: the same key gives the same value for ever. */
import { createHash } from 'node:crypto';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [field: string]: Json | undefined };
export type JsonMap = { readonly [field: string]: Json | undefined };

/** When the sample cluster was recorded. */
export const RECORDED_AT = '2026-11-30T08:30:00Z';

export function digestOf(text: string): string {
  return `sha256:${hexOf(text)}`;
}

export function hexOf(text: string): string {
  return createHash('sha256').update(`kubectl-win sample ${text}`).digest('hex');
}

export function uidOf(text: string): string {
  const hex = hexOf(`uid ${text}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function numberOf(text: string, below: number): number {
  return Number.parseInt(hexOf(`number ${text}`).slice(0, 8), 16) % below;
}

/** The characters that Kubernetes uses for generated names: no vowels, none that look alike. */
export function suffixOf(text: string, length: number): string {
  const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
  const hex = hexOf(`suffix ${text}`);
  let suffix = '';
  for (let index = 0; index < length; index++) suffix += alphabet.charAt(Number.parseInt(hex.slice(index * 2, index * 2 + 2), 16) % alphabet.length);
  return suffix;
}

export function resourceVersionOf(text: string): string {
  return String(412_000_000 + numberOf(`version ${text}`, 9_000_000));
}

/** A time before the recording. */
export function timeBefore(days: number, key: string): string {
  const seconds = Math.round(days * 86_400) + numberOf(`time ${key}`, 3_000);
  return new Date(Date.parse(RECORDED_AT) - seconds * 1000).toISOString().replace('.000Z', 'Z');
}

export function metadata(kind: string, namespace: string | null, name: string, ageDays: number, more: JsonMap = {}): JsonMap {
  const key = `${kind}/${namespace ?? ''}/${name}`;
  return {
    name,
    ...(namespace === null ? {} : { namespace }),
    uid: uidOf(key),
    resourceVersion: resourceVersionOf(key),
    creationTimestamp: timeBefore(ageDays, key),
    ...more,
  };
}
