/** What a text that is no YAML shows of the language that it has yet to be rendered from. */
export interface TemplateText {
  /** `a Go template, as of a Helm chart`. */
  readonly language: string;
  /** Offset of the first sign that tells it. */
  readonly offset: number;
  readonly suggestion: string;
}

const HELM = { language: 'a Go template, as of a Helm chart,', suggestion: 'render it first: helm template RELEASE CHART | kubectl win check -f -' };
const JINJA = { language: 'a Jinja template, as of Ansible,', suggestion: 'check what the template gives once it is rendered' };
const ANY = { language: 'a template', suggestion: JINJA.suggestion };

/** https://pkg.go.dev/text/template and https://jinja.palletsprojects.com/en/stable/templates/, read 2026-11-30 */
const SIGNS = [
  { pattern: /\{\{-?\s*(?:\.|\$|\/\*|(?:if|else|end|range|with|define|template|block|include|toYaml|tpl|required|default|printf|quote|eq|ne|and|or|not|lookup|fail)\b)/, ...HELM },
  { pattern: /\{%-?\s*\w/, ...JINJA },
  { pattern: /\{\{/, ...ANY },
];

/** The template that a text is; null where nothing says so. Comments do not count. */
export function templateIn(text: string): TemplateText | null {
  if (!text.includes('{{') && !text.includes('{%')) return null;
  for (const { pattern, language, suggestion } of SIGNS) {
    for (const match of text.matchAll(new RegExp(pattern, 'g'))) {
      if (!isInComment(text, match.index)) return { language, suggestion, offset: match.index };
    }
  }
  return null;
}

function isInComment(text: string, offset: number): boolean {
  const lineStart = text.lastIndexOf('\n', offset) + 1;
  return /^\s*#|\s#\s/.test(text.slice(Math.max(lineStart, offset - 2_000), offset));
}
