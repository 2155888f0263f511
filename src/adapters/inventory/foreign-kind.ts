import { stringAt } from '../../domain/kubernetes/object.ts';

/** What a document with apiVersion and kind is, if no object of a cluster. */
export interface ForeignKind {
  /** Follows the name of the document: `is a kubeconfig, not a manifest`. */
  readonly text: string;
  readonly suggestions: readonly string[];
}

/** How whoever reads the document speaks of it: `an inventory`, and `record with kubectl get … -o json`. */
export interface Wanted {
  readonly noun: string;
  readonly advice: string;
}

/** null for what may be an object, as far as kind and apiVersion tell. */
export function foreignKind(value: Readonly<Record<string, unknown>>, apiVersion: string, kind: string, { noun, advice }: Wanted): ForeignKind | null {
  if (kind === 'Status' && apiVersion === 'v1') return { text: `is an answer of the API server, not an object: ${stringAt(value, 'message') ?? 'no message'}`, suggestions: ['run the command that wrote it again'] };
  if (kind === 'Table' && apiVersion.startsWith('meta.k8s.io/')) return { text: 'is a table of the API server, which does not hold the objects themselves', suggestions: [advice] };
  if (kind.startsWith('PartialObjectMetadata') && apiVersion.startsWith('meta.k8s.io/')) return { text: 'holds the metadata of objects only', suggestions: [advice] };
  if (kind === 'Config' && apiVersion === 'v1' && Object.hasOwn(value, 'clusters')) return { text: `is a kubeconfig, not ${noun}`, suggestions: ['give it with --kubeconfig'] };
  return null;
}
