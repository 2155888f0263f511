import { statSync } from 'node:fs';
import type { ManifestSource } from '../../app/ports.ts';
import { UsageError } from '../../errors.ts';

/** Throws UsageError where a report would take the place of a file that was read, under whatever name or link. */
export function refuseOverwriting(outputs: readonly { readonly file: string }[], inputs: Iterable<string>): void {
  if (outputs.length === 0) return;
  const names = new Map<string, string>();
  for (const input of inputs) {
    const identity = identityOf(input);
    if (identity !== null && !names.has(identity)) names.set(identity, input);
  }
  for (const { file } of outputs) {
    const input = names.get(identityOf(file) ?? '');
    if (input !== undefined) throw new UsageError(`--output-file ${file} would replace ${input}, which is read`, { suggestions: ['name another file for the report'] });
  }
}

/** Device and number of a regular file; null for what is none. */
function identityOf(file: string): string | null {
  try {
    const stats = statSync(file, { bigint: true });
    return stats.isFile() ? `${stats.dev} ${stats.ino}` : null;
  } catch {
    return null; // whoever opens it says why
  }
}

/** The same manifests; the files of those that are read are added to `files`. */
export function notingFiles(manifests: ManifestSource, files: Set<string>): ManifestSource {
  return {
    description: manifests.description,
    notes: manifests.notes,
    async* read(signal) {
      for await (const entry of manifests.read(signal)) {
        if ('object' in entry) files.add(entry.file);
        yield entry;
      }
    },
  };
}
