/** What is meant by the words of a command line: nodes, and pods on them. */
import type { ExecTarget } from './exec-plan.ts';

/** As kubectl takes them before a slash. */
const NODE_WORDS = new Set(['node', 'nodes', 'no']);
const POD_WORDS = new Set(['pod', 'pods', 'po']);

/** `win-1`, `node/win-1`, `pod/web`, `pod/shop/web`; a clause about what is wrong with others. */
export function readTarget(text: string): ExecTarget | string {
  const parts = text.split('/');
  const [kind = '', ...names] = parts.length === 1 ? ['node', ...parts] : parts;
  const word = kind.toLowerCase();
  const wrong = names.find((name) => !isObjectName(name));
  if (NODE_WORDS.has(word)) return names.length !== 1 ? 'is no node: node/NAME' : wrong === undefined ? { kind: 'node', name: names[0] ?? '' } : nameProblem(wrong);
  if (!POD_WORDS.has(word)) return `is neither a node nor a pod: ${JSON.stringify(kind)} is not known here`;
  if (names.length > 2) return 'is no pod: pod/NAME or pod/NAMESPACE/NAME';
  if (wrong !== undefined) return nameProblem(wrong);
  return names.length === 1 ? { kind: 'pod', namespace: null, name: names[0] ?? '' } : { kind: 'pod', namespace: names[0] ?? '', name: names[1] ?? '' };
}

function nameProblem(name: string): string {
  if (name === '') return 'has no name';
  // kubelets make their node's name of the computer's, in lower case
  const lower = name.toLowerCase();
  return isObjectName(lower) ? `is no name that Kubernetes takes: names are in lower case, ${lower}` : `is no name that Kubernetes takes: ${JSON.stringify(name)}`;
}

/** A DNS subdomain, as of nodes and pods (https://kubernetes.io/docs/concepts/overview/working-with-objects/names/#dns-subdomain-names, read 2026-11-30). */
function isObjectName(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/.test(text);
}
