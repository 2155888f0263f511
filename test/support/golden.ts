import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../golden');

/** Whether UPDATE_GOLDEN=1 asks to write what comes out instead of comparing it. */
export const updatesGolden = process.env['UPDATE_GOLDEN'] === '1';

/** Compares a whole output with its committed file below test/golden. UPDATE_GOLDEN=1 writes the file. */
export function assertGolden(file: string, actual: string): void {
  const path = join(FOLDER, file);
  if (updatesGolden) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, actual);
    return;
  }
  assert.ok(existsSync(path), `test/golden/${file} is missing; UPDATE_GOLDEN=1 writes it`);
  assert.equal(actual, readFileSync(path, 'utf8'), `test/golden/${file} differs; if the change is meant, UPDATE_GOLDEN=1 writes it`);
}

/** The text of a committed file below test/golden. */
export function readGolden(file: string): string {
  return readFileSync(join(FOLDER, file), 'utf8');
}
