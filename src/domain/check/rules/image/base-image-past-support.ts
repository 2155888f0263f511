import { isPublishedPause } from '../../../image/known-repositories.ts';
import { SERVER_RELEASES, lastDayOf, type ServerRelease } from '../../../windows/releases.ts';
import { daysUntil, isoDay } from '../../../windows/support-dates.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, imageBuilds, imagesOfPod } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

/** Days before the last one from which it is more than a note: time for a rebuild and a roll-out. */
const WARN_FROM_DAYS = 180;

/** Days before the last one from which security updates only are worth a note: three years. Earlier it would be one note per workload of every cluster. */
const NOTE_FROM_DAYS = 3 * 365;

/** An image of a release that Microsoft no longer updates, or soon will not. */
export const baseImagePastSupport = defineWorkloadRule({
  id: 'base-image-past-support',
  facts: ['IMG-008', 'C14'],
  severity: 'warning',
  effect: 'advice',
  os: 'windows',
  summary: 'Image is of a release of Windows that is past its support, or close to its end',
  rationale: 'Base images get security updates as long as their release of Windows Server is supported; an image FROM an older one keeps its holes. Past the mainstream end there are security updates only; that is noted once the last of them is less than three years away.',
  remediation: 'Rebuild the image from a release that is supported for longer: ltsc2025, as soon as it can run on nodes of Windows Server 2025.',
  reference: 'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/base-image-lifecycle',
  asOf: '2026-11-30',
  messages: {
    ended: '{image} of {containers} is of {product}, whose support ended on {day}',
    ending: '{image} of {containers} is of {product}, whose support ends on {day}',
    extended: '{image} of {containers} is of {product}, which since {mainstream} gets security updates only, until {day}',
  },
  samples: {
    bad: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:20H2', pin: 'node.kubernetes.io/windows-build: 10.0.19042' }), path: 'spec.containers[0].image' },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2016', pin: 'node.kubernetes.io/windows-build: 10.0.14393' }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2019', pin: 'node.kubernetes.io/windows-build: 10.0.17763' }), severity: 'info' },
    ],
    good: [{ yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022' }) }, { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2025', pin: 'node.kubernetes.io/windows-build: 10.0.26100' }) }],
  },
  * check({ workload }, facts) {
    const today = isoDay(facts.asOf);
    for (const image of imagesOfPod(workload, facts.images)) {
      // Of an index with several builds the newest counts: the others are for older nodes.
      const newest = imageBuilds(image).at(-1);
      const release: ServerRelease | undefined = SERVER_RELEASES.find(({ build }) => build === newest);
      if (release === undefined || image.platforms.isGuess === true || (image.parsed.kind === 'reference' && isPublishedPause(image.parsed.reference))) continue;
      const day = lastDayOf(release);
      const left = daysUntil(day, facts.asOf);
      const about = aboutImage(image);
      const common = { ...about, reference: release.source, data: { ...about.data, product: release.product, day, mainstream: release.mainstreamEnd } };
      if (left < 0) yield { ...common, messageId: 'ended' };
      else if (left <= WARN_FROM_DAYS) yield { ...common, messageId: 'ending' };
      else if (release.mainstreamEnd < today && left <= NOTE_FROM_DAYS) yield { ...common, messageId: 'extended', severity: 'info' };
    }
  },
});
