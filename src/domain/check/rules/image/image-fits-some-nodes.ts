import { listText } from '../../../list-text.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { buildPinOf } from './shared-build-pin.ts';
import { aboutImage, answersOn, buildsOf, buildsText, doesRun, imageBuilds, imagesOfPod, isFailure, nodesForImages, nodesOf } from './shared-pod-images.ts';
import { imageSample, nodesSample } from './shared-samples.ts';

/** Where the pod lands decides whether it runs. */
export const imageFitsSomeNodes = defineWorkloadRule({
  id: 'image-fits-some-nodes',
  facts: ['IMG-002', 'NOD-007', 'IMG-006', 'C12', 'C11'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  isolation: 'process',
  summary: 'Image fits some of the Windows nodes that the pod can land on, not all',
  rationale: 'The scheduler does not compare builds of Windows: in a cluster with several, a pod without a selector for the build lands on any of them, and where the image does not fit it fails at pull ("no match for platform in manifest") or at start (0xc0370101).',
  remediation: 'Add a nodeSelector for node.kubernetes.io/windows-build, or a RuntimeClass that has it, or use an image with all builds.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#handling-multiple-windows-versions-in-the-same-cluster',
  asOf: '2026-11-30',
  messages: {
    some: '{image} of {containers} fits nodes of {fitting} only, and the pod can land on {failing} too: {because}',
    notThese: '{image} of {containers} does not fit nodes of {failing}, on which the pod can land: {because}',
    mislabelled: '{image} of {containers} does not fit {nodes} of {failing}, which the pod can land on in spite of its {pin}: the label names another build than runs there',
  },
  samples: {
    bad: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', pin: '' }), cluster: nodesSample({ build: 17763 }, { build: 20348 }), path: 'spec.containers[0].image' },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', pin: '', kind: 'DaemonSet' }), cluster: nodesSample({ build: 17763 }, { build: 20348 }) },
    ],
    good: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022' }), cluster: nodesSample({ build: 17763 }, { build: 20348 }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', pin: '' }), cluster: nodesSample({ build: 20348 }, { build: 26100 }) },
    ],
  },
  * check({ workload, placement }, facts) {
    if (placement === null) return;
    for (const image of imagesOfPod(workload, facts.images).filter((one) => imageBuilds(one).length > 0)) {
      const answers = answersOn(image, nodesForImages(placement));
      const failing = answers.filter((one) => isFailure(one) && one.answer.blame === 'image');
      const [first] = failing;
      if (first === undefined || answers.every(isFailure)) continue;
      const fitting = nodesOf(answers.filter(doesRun)).nodes;
      const { nodes, names } = nodesOf(failing);
      const builds = buildsOf(fitting);
      const about = aboutImage(image);
      const own = buildPinOf(workload, facts.runtimeClasses);
      const mislabelled = own !== null && nodes.every(({ build }) => build !== null && !own.builds.includes(build)) ? own : null;
      const pin = mislabelled === null && builds.length === 1 && workload.object.kind !== 'DaemonSet' ? `10.0.${builds[0] ?? 0}` : null;
      const path = [...workload.specPath, 'nodeSelector', 'node.kubernetes.io/windows-build'];
      yield {
        ...about, nodes: names,
        ...(mislabelled === null
          ? { messageId: fitting.length === 0 ? 'notThese' : 'some', data: { ...about.data, fitting: buildsText(fitting), failing: buildsText(nodes), because: first.answer.because } } as const
          : { messageId: 'mislabelled', data: { ...about.data, nodes: listText(names), failing: buildsText(nodes), pin: mislabelled.text }, remediation: `Correct the label ${mislabelled.key} of these nodes.` } as const),
        facts: ['IMG-002', 'NOD-007', ...(image.platforms.shape === 'manifest' ? ['IMG-006'] : [])],
        ...(pin === null ? {} : { fix: { title: `pin the pod to build ${pin}`, edits: [{ op: 'set', path, value: pin }], isSafe: false } }),
      };
    }
  },
});
