import type { ListOptions, WatchEvent } from '../../src/app/ports.ts';
import { stringAt, stringMapAt, type KubeObject } from '../../src/domain/kubernetes/object.ts';
import type { Resource } from '../../src/domain/kubernetes/resource.ts';
import { matchesLabels, parseLabelSelector } from '../../src/domain/kubernetes/selector.ts';

/** Which objects the API server gives for namespace and selectors. Of field selectors those with `=` alone. */
export function selection(resource: Resource, { namespace, labelSelector, fieldSelector }: ListOptions): (object: KubeObject) => boolean {
  const labels = labelSelector === undefined || labelSelector === '' ? null : parseLabelSelector(labelSelector);
  const fields = (fieldSelector ?? '').split(',').filter((part) => part !== '').map((part) => part.split('=') as [string, string]);
  return (object) => isIn(resource, object, namespace) && (labels === null || matchesLabels(labels, stringMapAt(object, 'metadata', 'labels')))
    && fields.every(([path, value]) => (stringAt(object, ...path.split('.')) ?? '') === value);
}

/** An object that names no namespace is in `default`. */
export function isIn(resource: Resource, object: KubeObject, namespace: string | undefined): boolean {
  return namespace === undefined || !resource.namespaced || (stringAt(object, 'metadata', 'namespace') ?? 'default') === namespace;
}

/** What a watch with such a selection tells of a change; null for nothing. */
export function toldOf(event: WatchEvent, isSelected: (object: KubeObject) => boolean): WatchEvent | null {
  if (event.type === 'RELISTED') return { type: 'RELISTED', objects: event.objects.filter(isSelected) };
  return isSelected(event.object) ? event : null;
}
