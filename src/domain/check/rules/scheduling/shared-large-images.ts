import type { ImagePlatformSource } from '../../../image/image-platforms.ts';
import type { Container, Workload } from '../../../workload/workload.ts';

/** Compressed bytes from which a pull takes minutes: Server Core alone is twice that (windows.md and AKS' lists of cached images: 1.9 to 2.2 GiB). */
const LARGE_BYTES = 2 ** 30;

/** Images on Server Core, Server and Windows by their names; Nano Server and the HostProcess base image are small. */
const LARGE_NAMES = [
  /(^|\/)windows\/(servercore|server)([/:@]|$)/,
  /^mcr\.microsoft\.com\/windows[:@]/,
  /(^|\/)dotnet\/framework\//,
  /windowsservercore/,
];

/** Containers with images of which a first pull takes minutes, as far as the registry or the name tells. */
export function containersWithLargeImages({ containers }: Workload, images: ImagePlatformSource): readonly Container[] {
  return containers.filter(({ image }) => {
    if (image === null) return false;
    const sizes = images.platformsOf(image).platforms.flatMap(({ os, sizeBytes }) => (os === 'windows' && sizeBytes !== null ? [sizeBytes] : []));
    return sizes.length > 0 ? Math.max(...sizes) >= LARGE_BYTES : LARGE_NAMES.some((name) => name.test(image));
  });
}
