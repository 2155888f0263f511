/** What a recipe is: a script of ours that reads something on a node and prints one JSON document. */

/** A whole number that a user may set with --param NAME=VALUE. */
export interface RecipeParameter {
  readonly name: string;
  readonly default: number;
  readonly minimum: number;
  readonly maximum: number;
  /** A line without a full stop. */
  readonly summary: string;
}

export interface Recipe {
  /** Also the name of its script and of the schema of its document. */
  readonly id: string;
  /** Grows with every change of the script: who has read one knows what runs under its number. */
  readonly version: number;
  /** Of the document that it prints; grows when a field goes or changes its meaning. */
  readonly schemaVersion: number;
  /** A line without a full stop. */
  readonly summary: string;
  readonly parameters: readonly RecipeParameter[];
  /** What it may take on a busy node. */
  readonly timeoutSeconds: number;
}

/** What stands before every script. */
export const PROLOGUE_FILE = 'prologue.ps1';

export function scriptFile({ id, version }: Recipe): string {
  return `${id}.v${version}.ps1`;
}

/** All that a node runs of a recipe. */
export function recipeText(prologue: string, script: string): string {
  return `${prologue.trimEnd()}\n\n${script.trimEnd()}\n`;
}

/** The script's argument: every parameter with its value; or a sentence about what is wrong with the texts (NAME=VALUE). */
export function readParameters(recipe: Recipe, texts: readonly string[]): Readonly<Record<string, number>> | string {
  const values = Object.fromEntries(recipe.parameters.map((parameter) => [parameter.name, parameter.default]));
  for (const text of texts) {
    const [name, value] = splitOnce(text);
    const parameter = recipe.parameters.find((each) => each.name === name);
    if (parameter === undefined) {
      const names = recipe.parameters.map((each) => each.name);
      return names.length === 0 ? `recipe ${recipe.id} takes no parameters` : `recipe ${recipe.id} has no parameter ${JSON.stringify(name)}; it has ${names.join(', ')}`;
    }
    const { minimum, maximum } = parameter;
    if (value === undefined || !/^\d{1,9}$/.test(value) || Number(value) < minimum || Number(value) > maximum) return `${name} of recipe ${recipe.id} is a whole number from ${minimum} to ${maximum}, and ${value === undefined ? 'none is given' : `not ${JSON.stringify(value)}`}: ${name}=${parameter.default}`;
    values[name] = Number(value);
  }
  return values;
}

function splitOnce(text: string): readonly [string, string | undefined] {
  const at = text.indexOf('=');
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}
