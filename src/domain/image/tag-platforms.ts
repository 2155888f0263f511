/** Image platforms from the image's name alone: tag conventions and well-known repositories. */
import type { ImagePlatforms, ImagePlatformSource } from './image-platforms.ts';

/** First version: knows ltsc2019, ltsc2022 and ltsc2025. */
export const TAG_PLATFORMS: ImagePlatformSource = {
  platformsOf(image: string): ImagePlatforms {
    const build = image.includes('ltsc2019') ? 17763 : image.includes('ltsc2022') ? 20348 : image.includes('ltsc2025') ? 26100 : null;
    if (build === null) return { shape: 'none', confidence: 'unknown', platforms: [], os: null, because: 'the tag names no build of Windows' };
    return { shape: 'unknown', confidence: 'tag', platforms: [{ os: 'windows', architecture: 'amd64', osVersion: `10.0.${build}`, digest: null, sizeBytes: null }], os: 'windows', because: `the tag names build ${build}` };
  },
};
