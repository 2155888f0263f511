/** Answers of the real kubectl: jsonpath.test.ts compares with them, jsonpath.cluster.test.ts asks kubectl again. */
export const RECORD_FILE = 'output/kubectl-jsonpath.json';

export interface JsonPathRecord {
  /** The object before `kubectl label --local a=b`. */
  readonly document: { readonly metadata: { readonly labels: Readonly<Record<string, string>> }; readonly [field: string]: unknown };
  readonly cases: readonly { readonly format: 'jsonpath' | 'jsonpath-as-json'; readonly template: string; readonly output: string }[];
}
