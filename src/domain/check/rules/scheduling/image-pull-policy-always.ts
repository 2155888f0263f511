import { defineWorkloadRule } from '../../rule.ts';
import { samplePod } from '../../samples.ts';
import { stringAt } from '../../../kubernetes/object.ts';
import { containersWithLargeImages } from './shared-large-images.ts';

/** A large image is looked up in the registry at each start. */
export const imagePullPolicyAlways = defineWorkloadRule({
  id: 'image-pull-policy-always',
  facts: ['PUL-001'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  summary: 'Large Windows image with imagePullPolicy Always',
  rationale: 'With Always the kubelet asks the registry at each start. When the tag has moved, which the tags of Windows images do each month, the start waits for a pull of gigabytes; without the registry nothing starts, though the image is on the node.',
  remediation: 'Set imagePullPolicy to IfNotPresent and use a tag that does not move, or a digest.',
  reference: 'https://kubernetes.io/docs/concepts/containers/images/#image-pull-policy',
  asOf: '2026-11-30',
  messages: { always: 'the image is large and is looked up in the registry at each start (imagePullPolicy Always){others}' },
  samples: {
    bad: [{ path: 'spec.containers[0].imagePullPolicy', yaml: samplePod({ container: 'imagePullPolicy: Always' }) }],
    good: [{ yaml: samplePod({ container: 'imagePullPolicy: IfNotPresent' }) }, { yaml: samplePod({ image: 'mcr.microsoft.com/windows/nanoserver:ltsc2022', container: 'imagePullPolicy: Always' }) }],
  },
  * check({ workload }, { images }) {
    const found = containersWithLargeImages(workload, images).filter(({ list, fields }) => list !== 'ephemeralContainers' && stringAt(fields, 'imagePullPolicy') === 'Always');
    const [first, ...others] = found;
    if (first === undefined) return;
    yield {
      messageId: 'always', data: { others: others.length === 0 ? '' : `; so are those of ${others.map(({ name }) => name).join(', ')}` }, path: [...first.path, 'imagePullPolicy'], container: first.name,
      fix: { title: 'set imagePullPolicy to IfNotPresent', edits: found.map(({ path }) => ({ op: 'set', path: [...path, 'imagePullPolicy'], value: 'IfNotPresent' })), isSafe: false },
    };
  },
});
