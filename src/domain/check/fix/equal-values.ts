import { isRecord } from '../../kubernetes/object.ts';

/** Whether two JSON values are the same; the order of keys does not count. */
export function areEqualValues(one: unknown, other: unknown): boolean {
  if (Object.is(one, other) || (one === 0 && other === 0)) return true;
  if (Array.isArray(one)) return Array.isArray(other) && one.length === other.length && one.every((item, index) => areEqualValues(item, other[index]));
  if (!isRecord(one) || !isRecord(other)) return false;
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && areEqualValues(one[key], other[key]));
}
