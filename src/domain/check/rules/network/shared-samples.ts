/** What the Services and policies of samples meet: a Deployment for Windows, and the nodes of a provider. */
import { sampleList, sampleNode, sampleWorkload, TAINTED, TOLERATING } from '../../samples.ts';

export const WEB = sampleWorkload('Deployment', { spec: TOLERATING });

/** A Linux and a Windows node of a provider, told by one of its labels. */
export function clusterOf(label: string): string {
  return sampleList(sampleNode({ os: 'linux', labels: label }), sampleNode({ taints: TAINTED, labels: label }));
}
