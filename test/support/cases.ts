/** The shared cases: real node objects and what is expected of them. They are not part of the repository. */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';
import { arrayAt, isRecord, stringAt } from '../../src/domain/kubernetes/object.ts';

const projectRoot = resolve(import.meta.dirname, '../..');

/** One node of expectations/nodes.json; null means that it is not known. */
export interface NodeExpectation {
  readonly name: string;
  readonly os: 'windows' | 'linux' | null;
  readonly build: number | null;
  readonly revision: number | null;
  readonly release: string | null;
  readonly ready: boolean | null;
  /** Fact numbers (`NOD-002`, alternatives joined by `|`), or words for what has no number. */
  readonly must: readonly string[];
  readonly mustNot: readonly string[];
}

export interface NodeFileExpectation {
  readonly file: string;
  readonly nodes: readonly NodeExpectation[];
}

/** Where a suite can be skipped: the `this` of a mocha hook or test. */
export interface Skippable {
  skip(): never;
}

/** Whether this runs on a CI system, where a suite that did not run is a failure. */
export function isContinuousIntegration(environment: NodeJS.ProcessEnv = process.env): boolean {
  return !['', '0', 'false'].includes((environment['CI'] ?? '').toLowerCase());
}

/** Skips with a printed line; throws where CI is set. `reason` goes on after "not run: ". */
export function notRun(context: Skippable, reason: string, print = (line: string): unknown => process.stdout.write(line)): never {
  if (isContinuousIntegration()) throw new Error(`not run: ${reason}; with CI set this is a failure`);
  print(`not run: ${reason}\n`);
  return context.skip();
}

/**
 * Folder of the cases: KUBECTL_WIN_CASES, else ../shared/cases beside the project; null where the latter is not there.
 * A KUBECTL_WIN_CASES that names no folder is an error, not a reason to look elsewhere.
 */
export function casesFolder(environment: NodeJS.ProcessEnv = process.env): string | null {
  const named = environment['KUBECTL_WIN_CASES'];
  const folder = resolve(projectRoot, named === undefined || named === '' ? '../shared/cases' : named);
  if (existsSync(join(folder, 'expectations'))) return folder;
  if (named !== undefined && named !== '') throw new Error(`KUBECTL_WIN_CASES=${named}: no folder with expectations/ in it`);
  return null;
}

/** Folder of the cases. Without it the suite ends with a printed "not run" line, which is a failure where CI is set. */
export function casesOrSkip(context: Skippable): string {
  return casesFolder() ?? notRun(context, 'the cases are neither at KUBECTL_WIN_CASES nor at ../shared/cases');
}

/**
 * A suite with a test per case, which must know the cases while it is being defined. Without them it has one test, which
 * ends as `casesOrSkip` does.
 */
export function describeCases(title: string, define: (folder: string) => void): void {
  describe(title, () => {
    const folder = casesFolder();
    if (folder === null) it('needs the cases', function () { casesOrSkip(this); });
    else define(folder);
  });
}

/** A JSON file of expectations/, e.g. `nodes.json`. The caller knows its shape: expectations/README.md. */
export function readExpectations(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'expectations', file), 'utf8'));
}

export function readNodeExpectations(folder: string): readonly NodeFileExpectation[] {
  return readExpectations(folder, 'nodes.json') as readonly NodeFileExpectation[];
}

/** Names of the files in nodes/, sorted. */
export function nodeFiles(folder: string): readonly string[] {
  return readdirSync(join(folder, 'nodes')).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
}

/** The nodes of one file of nodes/: one object, several documents or Lists. */
export function readCaseNodes(folder: string, file: string): readonly KubeObject[] {
  return readObjects(join(folder, 'nodes', file)).filter((object) => stringAt(object, 'kind') === 'Node');
}

/** All objects of a YAML or JSON file, Lists unrolled. Independent of the project's own reader on purpose. */
export function readObjects(path: string): readonly KubeObject[] {
  const text = readFileSync(path, 'utf8');
  const documents: readonly unknown[] = path.endsWith('.json')
    ? [JSON.parse(text)]
    : parseAllDocuments(text).map((document) => {
      const [error] = 'errors' in document ? document.errors : [];
      if (error !== undefined) throw new Error(`${path}: ${error.message}`);
      return document.toJS() as unknown;
    });
  return documents.flatMap(unrolled).filter(isRecord);
}

/** The items of a List, or the object itself. Items of a typed List (NodeList) may leave out what the List says of them. */
function unrolled(document: unknown): readonly unknown[] {
  const kind = stringAt(document, 'kind') ?? '';
  if (!kind.endsWith('List')) return [document];
  const shared = kind === 'List' ? {} : { apiVersion: stringAt(document, 'apiVersion'), kind: kind.slice(0, -'List'.length) };
  return arrayAt(document, 'items').map((item) => (isRecord(item) ? { ...shared, ...item } : item));
}
