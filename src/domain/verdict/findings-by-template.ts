import type { Finding } from '../check/finding.ts';
import type { WorkloadSubject } from '../check/rule.ts';
import type { FieldPath } from '../kubernetes/field-path.ts';

/**
 * The findings of an object that concern each of its pod templates, in their order: those in the template, and those outside of all
 * of them. One list per subject; the time does not grow with templates times findings, as an object may have thousands of each.
 */
export function findingsByTemplate(subjects: readonly WorkloadSubject[], findings: readonly Finding[]): readonly (readonly Finding[])[] {
  if (subjects.length < 2) return subjects.map(() => findings);
  const lists = subjects.map((): Finding[] => []);
  const places = new Map(subjects.map(({ workload }, index) => [JSON.stringify(workload.template.path), index]));
  for (const finding of findings) {
    const own = placeAbove(finding.path, places);
    if (own === null) for (const list of lists) list.push(finding);
    else lists[own]?.push(finding);
  }
  return lists;
}

function placeAbove(path: FieldPath, places: ReadonlyMap<string, number>): number | null {
  for (let length = path.length; length >= 0; length--) {
    const place = places.get(JSON.stringify(path.slice(0, length)));
    if (place !== undefined) return place;
  }
  return null;
}
