import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The path of a file that comes with the package and lies beside the bundle, not in it. Found from the sources and from the
 * bundle in dist/ alike, by going up from `from` to the package's root.
 */
export function packageFile(file: string, from: string = import.meta.url): string {
  for (let folder = dirname(fileURLToPath(from)); ;) {
    if (existsSync(join(folder, 'package.json'))) return join(folder, file);
    const parent = dirname(folder);
    if (parent === folder) throw new Error(`${file} is not above ${fileURLToPath(from)}`);
    folder = parent;
  }
}
