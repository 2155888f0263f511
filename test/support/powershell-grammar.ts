/** PowerShell as its grammar reads it: no PowerShell runs where most tests do. */
import { join } from 'node:path';
import { Language, Parser, type Node } from 'web-tree-sitter';

const PACKAGES = join(import.meta.dirname, '../../node_modules');

let parser: Promise<Parser> | undefined;

async function openParser(): Promise<Parser> {
  await Parser.init({ locateFile: (name: string) => join(PACKAGES, 'web-tree-sitter', name) });
  return new Parser().setLanguage(await Language.load(join(PACKAGES, 'tree-sitter-powershell', 'tree-sitter-powershell.wasm')));
}

export async function parsePowerShell(text: string): Promise<Node> {
  const tree = (await (parser ??= openParser())).parse(text);
  if (tree === null) throw new Error('the grammar gave no tree');
  return tree.rootNode;
}

/** Where the text is none of the language, as `LINE:COLUMN text`. */
export async function syntaxErrors(text: string): Promise<readonly string[]> {
  const root = await parsePowerShell(text);
  const found: string[] = [];
  const visit = (node: Node): void => {
    if (node.isError || node.isMissing) found.push(`${node.startPosition.row + 1}:${node.startPosition.column + 1} ${node.isMissing ? `${node.type} is missing` : node.text.slice(0, 80)}`);
    else if (node.hasError) for (const child of node.children) visit(child);
  };
  visit(root);
  return found;
}

/** Names of all commands that a text calls. */
export async function calledCommands(text: string): Promise<ReadonlySet<string>> {
  return new Set((await parsePowerShell(text)).descendantsOfType('command_name').map((node) => node.text));
}

/** Names of all functions that a text defines. */
export async function definedFunctions(text: string): Promise<ReadonlySet<string>> {
  return new Set((await parsePowerShell(text)).descendantsOfType('function_name').map((node) => node.text));
}
