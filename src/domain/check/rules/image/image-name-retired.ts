import { repositoryOf } from '../../../image/reference.ts';
import { defineWorkloadRule } from '../../rule.ts';
import { aboutImage, imagesOfPod } from './shared-pod-images.ts';
import { imageSample } from './shared-samples.ts';

const MOVED = 'https://learn.microsoft.com/virtualization/windowscontainers/manage-containers/container-base-images';

/** Names on Docker Hub and what has taken their place (https://hub.docker.com/u/microsoft, https://mcr.microsoft.com; read 2026-11-30). */
const RETIRED: Readonly<Record<string, string>> = {
  'docker.io/microsoft/windowsservercore': 'mcr.microsoft.com/windows/servercore',
  'docker.io/microsoft/nanoserver': 'mcr.microsoft.com/windows/nanoserver',
  'docker.io/microsoft/windowsservercore-insider': 'mcr.microsoft.com/windows/servercore/insider',
  'docker.io/microsoft/nanoserver-insider': 'mcr.microsoft.com/windows/nanoserver/insider',
  'docker.io/microsoft/windows': 'mcr.microsoft.com/windows',
  'docker.io/microsoft/iis': 'mcr.microsoft.com/windows/servercore/iis',
  'docker.io/microsoft/aspnet': 'mcr.microsoft.com/dotnet/framework/aspnet',
  'docker.io/microsoft/wcf': 'mcr.microsoft.com/dotnet/framework/wcf',
  'docker.io/microsoft/dotnet': 'mcr.microsoft.com/dotnet/sdk, /aspnet or /runtime',
  'docker.io/microsoft/aspnetcore': 'mcr.microsoft.com/dotnet/aspnet',
  'docker.io/microsoft/aspnetcore-build': 'mcr.microsoft.com/dotnet/sdk',
  'docker.io/microsoft/dotnet-framework': 'mcr.microsoft.com/dotnet/framework/runtime',
  'docker.io/microsoft/dotnet-framework-build': 'mcr.microsoft.com/dotnet/framework/sdk',
  'docker.io/microsoft/dotnet-framework-samples': 'mcr.microsoft.com/dotnet/framework/samples',
  // mcr.microsoft.com/powershell is not made any more: https://learn.microsoft.com/powershell/scripting/install/powershell-in-docker, read 2026-11-30
  'docker.io/microsoft/powershell': 'mcr.microsoft.com/dotnet/sdk',
};

/** Repositories whose tags say the same under the new name: elsewhere they were renamed or split, and the old tag may not exist. */
const SAME_TAGS: ReadonlySet<string> = new Set(['windowsservercore', 'nanoserver', 'windowsservercore-insider', 'nanoserver-insider', 'windows', 'iis', 'aspnet', 'wcf'].map((name) => `docker.io/microsoft/${name}`));

/** Images that moved to Microsoft's own registry. */
export const imageNameRetired = defineWorkloadRule({
  id: 'image-name-retired',
  facts: ['IMG-014'],
  severity: 'warning',
  effect: 'may-fail',
  os: 'windows',
  summary: 'Image has a retired name of Microsoft\'s on Docker Hub',
  rationale: 'Microsoft publishes its images at mcr.microsoft.com; what is left under docker.io/microsoft gets no updates, and most of it is of builds that no supported node runs.',
  remediation: 'Use the name at mcr.microsoft.com.',
  reference: MOVED,
  asOf: '2026-11-30',
  messages: { known: '{image} of {containers} is a retired name, the image is published as {name}', unknown: '{image} of {containers} is a retired name: Microsoft publishes at mcr.microsoft.com' },
  samples: {
    bad: [{ yaml: imageSample({ image: 'microsoft/windowsservercore:ltsc2022' }), path: 'spec.containers[0].image' }],
    good: [{ yaml: imageSample({ image: 'mcr.microsoft.com/windows/servercore:ltsc2022' }) }],
  },
  * check({ workload }, facts) {
    for (const image of imagesOfPod(workload, facts.images)) {
      if (image.parsed.kind !== 'reference') continue;
      const { reference } = image.parsed;
      if (reference.domain !== 'docker.io' || !reference.path.startsWith('microsoft/')) continue;
      const name = RETIRED[repositoryOf(reference)];
      const about = { ...aboutImage(image), confidence: 'proven', evidence: [] } as const;
      if (name === undefined) {
        yield { ...about, messageId: 'unknown' };
        continue;
      }
      const value = `${name}${reference.tag === null ? '' : `:${reference.tag}`}`;
      yield {
        ...about, messageId: 'known', data: { ...about.data, name }, remediation: `Use ${name}.`,
        // A digest is of the old repository.
        ...(reference.digest === null && SAME_TAGS.has(repositoryOf(reference)) ? { fix: { title: `use ${value}`, edits: image.containers.map(({ path }) => ({ op: 'set' as const, path: [...path, 'image'], value })), isSafe: false } } : {}),
      };
    }
  },
});
