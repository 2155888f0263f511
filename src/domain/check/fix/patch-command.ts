import { stringAt, stringMapAt, type KubeObject } from '../../kubernetes/object.ts';
import type { FieldPath } from '../../kubernetes/field-path.ts';
import { refOf, type ObjectRef } from '../../kubernetes/object-ref.ts';
import { groupOf } from '../../kubernetes/resource.ts';
import type { FieldEdit, Fix } from '../finding.ts';
import { jsonPatchOf, type PatchOperation } from './json-patch.ts';
import { mergeFixes } from './merge-fixes.ts';

export interface PatchCommandOptions {
  /** Flags of the connection that belong to the command, each as one argument: `--context=prod`. */
  readonly flags?: readonly string[];
}

/**
 * The command that applies fixes to a live object, or null where there is nothing to change or the API server would refuse it,
 * because the field of such an object cannot be changed.
 */
export function patchCommandFor(object: KubeObject, fixes: readonly Pick<Fix, 'edits'>[], options: PatchCommandOptions = {}): string | null {
  const { edits } = mergeFixes(object, fixes);
  if (edits.length === 0 || object.metadata?.['name'] === undefined || edits.some((edit) => isImmutable(object, edit))) return null;
  return patchCommand(refOf(object), jsonPatchOf(object, edits), options);
}

/**
 * `kubectl patch KIND.GROUP/NAME -n NAMESPACE --type=json -p '…'`, to be pasted into a POSIX shell or PowerShell 7.3 and later
 * (older ones drop the double quotes of arguments: https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_parsing, read 2026-11-30).
 */
export function patchCommand(ref: ObjectRef, operations: readonly PatchOperation[], options: PatchCommandOptions = {}): string {
  const group = groupOf(ref.apiVersion);
  const words = ['kubectl', 'patch', `${(ref.kind ?? '').toLowerCase()}${group === '' ? '' : `.${group}`}/${ref.name}`, ...(ref.namespace === null ? [] : ['-n', ref.namespace]), ...(options.flags ?? []), '--type=json', '-p'];
  // Inside of single quotes neither shell looks for anything but the next one, and JSON can do without it.
  return `${words.map(quoteWord).join(' ')} '${JSON.stringify(operations).replaceAll("'", String.raw`\u0027`)}'`;
}

function quoteWord(word: string): string {
  return /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Whether an update of the field is refused, so that the object must be made anew.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/apis/core/validation/validation.go (ValidatePodUpdate, ValidatePersistentVolumeUpdate),
 * pkg/apis/storage/validation/validation.go (ValidateStorageClassUpdate), pkg/apis/node/validation/validation.go, pkg/apis/batch/validation/validation.go, read 2026-11-30
 */
function isImmutable(object: KubeObject, { path, op }: FieldEdit): boolean {
  const [root, field] = path;
  if (root === 'metadata') return (field !== 'labels' && field !== 'annotations') || (object.kind === 'Pod' && field === 'annotations' && changesAppArmor(object, path));
  switch (stringAt(object, 'kind') ?? '') {
    case 'Pod': return !(isContainerImage(path) || (field === 'tolerations' && op === 'append'));
    case 'Job': return field === 'template';
    case 'PersistentVolume': return field !== 'accessModes' && field !== 'capacity' && field !== 'mountOptions';
    case 'PersistentVolumeClaim': return true;
    case 'StorageClass': return root === 'parameters' || root === 'provisioner' || root === 'reclaimPolicy' || root === 'volumeBindingMode';
    case 'RuntimeClass': return root === 'handler';
    default: return false;
  }
}

/** "may not remove or update AppArmor annotations" */
function changesAppArmor(object: KubeObject, path: FieldPath): boolean {
  const annotations = path.length > 2 ? [String(path[2])] : Object.keys(stringMapAt(object, 'metadata', 'annotations'));
  return annotations.some((name) => name.startsWith('container.apparmor.security.beta.kubernetes.io/'));
}

function isContainerImage(path: FieldPath): boolean {
  return path.length === 4 && (path[1] === 'containers' || path[1] === 'initContainers') && path[3] === 'image';
}
