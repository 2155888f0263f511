import { isHostProcessBase, knownRepository } from '../../../image/known-repositories.ts';
import { repositoryOf } from '../../../image/reference.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { movingTagOf } from './shared-moving-tags.ts';
import { aboutImage, imagesOfPod } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

/** `latest`, or no tag, in a pod for Windows. */
export const imageTagLatest = defineWorkloadRule({
  id: 'image-tag-latest',
  facts: ['IMG-010', 'C16'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  summary: 'Image without a tag, or with latest: the build of Windows in it may change',
  rationale: 'What latest holds moves, on Windows its build too: a rebuild on a newer base ends in images that the nodes cannot run. Of the base images Microsoft has published no latest tag since April 2019, so that their pull fails.',
  remediation: 'Use a tag that names a version and a release of Windows, or a digest.',
  reference: 'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility',
  asOf: '2026-11-30',
  messages: {
    latest: '{image} of {containers} has the tag {tag}: which builds of Windows it holds may change with every push',
    none: '{image} of {containers} has no tag, so latest is taken: which builds of Windows it holds may change with every push',
    unpublished: '{image} of {containers} means the tag latest, which Microsoft does not publish for its base images',
  },
  samples: {
    bad: [
      { yaml: imageSample({ image: 'registry.example/web:latest' }), path: 'spec.containers[0].image' },
      { yaml: imageSample({ image: 'registry.example/web' }) },
      { yaml: imageSample({ image: 'registry.example/csi:latest-windows-hp' }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore' }), severity: 'warning' },
    ],
    good: [
      { yaml: imageSample({ image: 'registry.example/web:1.0-ltsc2022' }) },
      { yaml: imageSample({ image: `registry.example/web@sha256:${'0123456789abcdef'.repeat(4)}` }) },
    ],
  },
  * check({ workload }, facts) {
    for (const image of imagesOfPod(workload, facts.images)) {
      const { parsed } = image;
      const moving = movingTagOf(parsed);
      if (moving === null || moving.kind === 'moving' || parsed.kind !== 'reference' || isHostProcessBase(parsed.reference)) continue;
      const about = { ...aboutImage(image), confidence: 'proven', evidence: [] } as const;
      const isUnpublished = parsed.reference.domain === 'mcr.microsoft.com' && knownRepository(parsed.reference)?.isWindowsBase === true
        && !repositoryOf(parsed.reference).includes('insider') && (moving.kind === 'none' || moving.tag === 'latest');
      if (isUnpublished) yield { ...about, messageId: 'unpublished', severity: 'warning', effect: 'may-fail' };
      else if (moving.kind === 'none') yield { ...about, messageId: 'none' };
      else yield { ...about, messageId: 'latest', data: { ...about.data, tag: moving.tag } };
    }
  },
});
