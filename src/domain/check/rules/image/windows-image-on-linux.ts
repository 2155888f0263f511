import { knownRepository } from '../../../image/known-repositories.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, imagesOfPod, type PodImage } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

/** A Windows image in a pod that is kept on Linux nodes. */
export const windowsImageOnLinux = defineWorkloadRule({
  id: 'windows-image-on-linux',
  facts: ['C13'],
  severity: 'error',
  effect: 'cannot-run',
  os: 'any',
  summary: 'Windows image in a pod that is kept on Linux nodes',
  rationale: 'A Linux node cannot run Windows containers: containerd finds no entry for linux in the index and ends the pull with "no match for platform in manifest".',
  remediation: 'Select Windows nodes (nodeSelector kubernetes.io/os: windows, spec.os.name: windows), or use an image for Linux.',
  reference: 'https://kubernetes.io/docs/concepts/windows/user-guide/#ensuring-os-specific-workloads-land-on-the-appropriate-container-host',
  asOf: '2026-11-30',
  messages: { windows: '{image} of {containers} is an image for Windows, but the pod is kept on Linux ({evidence})' },
  samples: {
    bad: [
      { yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022', os: 'linux', pin: '' }), path: 'spec.containers[0].image' },
      { yaml: imageSample({ image: 'registry.example/web:1.0-windowsservercore-ltsc2022', os: 'linux', pin: '' }), severity: 'warning' },
    ],
    good: [
      { yaml: imageSample({ image: 'registry.example/windows-machine-config-operator:v1', os: 'linux', pin: '' }) },
      { yaml: imageSample({ image: 'registry.example/tool-windows:v1', os: 'linux', pin: '' }) },
    ],
  },
  * check({ workload, os }, facts) {
    const kept = os.evidence.filter((one) => one.os === 'linux' && one.strength !== 'hint');
    if (kept.length === 0 || os.os !== 'linux') return;
    for (const image of imagesOfPod(workload, facts.images)) {
      if (!isForWindowsOnly(image)) continue;
      const about = aboutImage(image);
      const isSure = image.platforms.confidence === 'registry' || (image.parsed.kind === 'reference' && knownRepository(image.parsed.reference)?.os === 'windows');
      yield {
        ...about, messageId: 'windows', data: { ...about.data, evidence: kept.map(({ text }) => text).join(', ') },
        ...(isSure ? {} : { severity: 'warning', effect: 'may-fail' }),
      };
    }
  },
});

function isForWindowsOnly({ platforms }: PodImage): boolean {
  if (platforms.isGuess === true) return false;
  const systems = new Set(platforms.platforms.map(({ os }) => os).filter((os) => os !== 'unknown'));
  return systems.size === 0 ? platforms.os === 'windows' : systems.size === 1 && systems.has('windows');
}
