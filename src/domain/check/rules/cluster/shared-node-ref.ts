import type { ObjectRef } from '../../../kubernetes/object-ref.ts';

export function nodeRef(name: string): ObjectRef {
  return { apiVersion: 'v1', kind: 'Node', namespace: null, name };
}
