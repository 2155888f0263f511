import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = join('src', 'sample', 'sample-cluster.json');

/**
 * The recorded inventory that comes with the project: a mixed cluster on 2026-11-30 with Windows pools of every release
 * and with the faults that operators meet. Found from the sources and from the bundle in dist/ alike, by going up from
 * `from` to the package's root. Throws when the package was installed without it.
 */
export function sampleClusterPath(from: string = import.meta.url): string {
  let folder = dirname(fileURLToPath(from));
  for (;;) {
    if (existsSync(join(folder, 'package.json'))) return join(folder, FILE);
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`the sample cluster ${FILE} is not above ${fileURLToPath(from)}`);
    folder = parent;
  }
}
