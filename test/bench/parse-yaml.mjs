/** What js-yaml alone takes for the files of a folder, as a whole process. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';

const folder = process.argv[2];
for (const name of readdirSync(folder)) load(readFileSync(join(folder, name), 'utf8'));
