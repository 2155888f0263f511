import { InputError } from '../../errors.ts';
import { parseJsonDocuments } from './json-documents.ts';
import type { ParsedDocument } from './parsed-document.ts';

/** Largest text that starts like JSON, is not JSON, and is tried as YAML in flow style. */
const FLOW_YAML_LIMIT = 8 * 1024 * 1024;

/** The documents of a file, JSON or YAML by what it holds and not by its name. Throws InputError with line and column. */
export async function parseDocuments(text: string, file: string): Promise<readonly ParsedDocument[]> {
  refuseKnownMistakes(text, file);
  // js-yaml is loaded only when there is YAML to read: recorded inventories are JSON as a rule.
  if (!/^\s*[{[]/.test(text.slice(0, 65_536))) return withObjects((await import('./yaml-documents.ts')).parseYamlDocuments(text, file), file);
  try {
    return withObjects(parseJsonDocuments(text, file), file);
  } catch (jsonError) {
    if (!(jsonError instanceof InputError) || text.length > FLOW_YAML_LIMIT) throw jsonError;
    const { parseYamlDocuments } = await import('./yaml-documents.ts');
    try {
      return withObjects(parseYamlDocuments(text, file), file);
    } catch (yamlError) {
      if (yamlError instanceof InputError) throw jsonError;
      throw yamlError;
    }
  }
}

function withObjects(documents: readonly ParsedDocument[], file: string): readonly ParsedDocument[] {
  const filled = documents.filter(({ value }) => value !== null);
  if (filled.length > 0) return filled;
  throw new InputError({ file }, 'the input holds no objects, only white space or comments', { suggestions: ['check that the command that wrote it succeeded'] });
}

/** Texts that are saved by mistake and would give a puzzling syntax error. */
export function refuseKnownMistakes(text: string, file: string): void {
  const start = text.slice(0, 2_000).trimStart();
  if (/^<(?:!doctype|html|head|body|\?xml|!--)/i.test(start)) {
    throw new InputError({ file, line: 1 }, 'the file is an HTML or XML page, not JSON or YAML', {
      suggestions: ['a login or error page was probably saved instead of the answer: open it in a browser to see what it says'],
    });
  }
  if (/^(?:NAMESPACE +)?NAME(?: {2,}[A-Z][A-Z-]*)+ *\r?\n/.test(start)) {
    throw new InputError({ file, line: 1 }, 'the file is the table that kubectl prints for people', { suggestions: ['record with kubectl get … -o json, or with --save FILE'] });
  }
  const message = /^(?:Error from server|error: |Error: |Unable to connect to the server|The connection to the server|No resources found)[^\r\n]*/.exec(start)?.[0];
  if (message !== undefined) {
    throw new InputError({ file, line: 1 }, `the file holds a message of kubectl instead of objects: ${message}`, { suggestions: ['run the command that wrote it again'] });
  }
}
