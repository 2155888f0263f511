import { listText } from '../../../list-text.ts';
import { NO_PLATFORMS } from '../../../image/no-platforms.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { buildPinOf, type BuildPin } from './shared-build-pin.ts';
import { movingTagOf } from './shared-moving-tags.ts';
import { aboutImage, imagesOfPod, type PodImage } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

/** Nothing at hand tells on which builds an image runs. */
export const imageBuildsUnknown = defineWorkloadRule({
  id: 'image-builds-unknown',
  facts: ['IMG-011', 'C10'],
  severity: 'info',
  effect: 'advice',
  os: 'windows',
  summary: 'Which builds of Windows the image holds is not known',
  rationale: 'The name of the image tells no build, and its registry was not asked or did not answer. Whether it runs on the nodes that the pod can land on is therefore not known, and not guessed.',
  remediation: 'Ask its registry (kubectl win images IMAGE), or use a tag that names the release, such as 1.4-windowsservercore-ltsc2022.',
  reference: 'https://learn.microsoft.com/virtualization/windowscontainers/deploy-containers/version-compatibility',
  asOf: '2026-11-30',
  messages: {
    one: 'which builds of Windows {image} of {containers} holds is not known: {because}',
    several: 'which builds of Windows {count} images hold is not known: {images}',
  },
  samples: {
    bad: [
      { yaml: imageSample({ image: 'registry.example/web:1.4' }), path: 'spec.containers[0].image' },
      { yaml: imageSample({ image: `registry.example/web:1.4-ltsc2022@sha256:${'0123456789abcdef'.repeat(4)}` }) },
      { yaml: imageSample({ image: 'registry.example/web:1.4' }), images: { 'registry.example/web:1.4': ['linux', 'windows'] } },
    ],
    good: [
      { yaml: imageSample({ image: 'registry.example/web:1.4-windowsservercore-ltsc2022' }) },
      { yaml: imageSample({ image: 'registry.example/web:1.4', os: 'linux', pin: '' }) },
      { yaml: imageSample({ image: 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image:v1.0.0', hostProcess: true, pin: '' }) },
    ],
  },
  * check({ workload }, facts) {
    const images = imagesOfPod(workload, facts.images);
    if (facts.images === NO_PLATFORMS) {
      if (images.length > 0) yield { notEvaluated: 'image platforms', about: 'which builds of Windows its images hold' };
      return;
    }
    // Of a moving tag, and of an image that is not there, the rules on them say as much.
    const unknown = images.filter((image) => image.parsed.kind === 'reference' && image.platforms.missing === undefined && (image.platforms.platforms.length === 0 ? movingTagOf(image.parsed) === null : hasNoVersion(image)));
    const [first] = unknown;
    if (first === undefined) return;
    const because = ({ platforms }: PodImage): string => (platforms.platforms.length === 0 ? platforms.because : 'its entries for Windows have no os.version');
    const about = aboutImage({ ...first, containers: unknown.flatMap(({ containers }) => containers) });
    const remediation = remedyOf(unknown, buildPinOf(workload, facts.runtimeClasses));
    if (unknown.length === 1) {
      yield { ...about, evidence: [], messageId: 'one', data: { ...about.data, because: because(first) }, ...remediation };
      return;
    }
    yield { ...about, messageId: 'several', data: { images: listText(unknown.map(({ image }) => image), 4), count: unknown.length }, evidence: unknown.map((image) => `${image.image}: ${because(image)}`), ...remediation };
  },
});

/** In place of the rule's own, where a tag that names the release is no answer. */
function remedyOf(unknown: readonly PodImage[], pin: BuildPin | null): { readonly remediation?: string } {
  // the registry was asked, and this is what it said
  if (unknown.every(({ platforms }) => platforms.platforms.length > 0)) {
    return { remediation: 'Give the entries for Windows their os.version (docker manifest annotate --os-version, or a builder that reads it from the base image).' };
  }
  if (unknown.every(({ platforms }) => platforms.wasAsked === true)) {
    return { remediation: 'Let the registry be asked with credentials that may see the image (docker login, imagePullSecrets of the pod), or use a tag that names the release, such as 1.4-windowsservercore-ltsc2022.' };
  }
  if (unknown.every(({ isHostProcess }) => isHostProcess)) {
    return { remediation: 'Look into its index (kubectl win images IMAGE): for HostProcess containers it is a single image, best FROM windows-host-process-containers-base-image, or has an entry for the build of every node.' };
  }
  // a digest is not to be given up for a tag
  if (!unknown.every(({ parsed }) => parsed.kind === 'reference' && parsed.reference.digest !== null)) return {};
  const look = 'Look into what the digest is (kubectl win images IMAGE), and';
  return { remediation: pin === null ? `${look} keep the pod on nodes of that build (node.kubernetes.io/windows-build).` : `${look} see that it holds the build that the pod asks for (${pin.text}).` };
}

/** What lists made by hand often lack; containerd then pulls it on every node. No build is needed in a HostProcess container. */
function hasNoVersion({ platforms, isHostProcess }: PodImage): boolean {
  const windows = platforms.platforms.filter(({ os }) => os === 'windows');
  return !isHostProcess && platforms.isHostProcessBase !== true && windows.length > 0 && windows.every(({ osVersion }) => osVersion === null);
}
