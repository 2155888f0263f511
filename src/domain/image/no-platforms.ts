import type { ImagePlatforms, ImagePlatformSource } from './image-platforms.ts';

const NOT_ASKED: ImagePlatforms = { shape: 'none', confidence: 'unknown', platforms: [], os: null, because: 'images were not looked at (--images=off)' };

/** `--images=off`: nothing is known of any image. */
export const NO_PLATFORMS: ImagePlatformSource = { platformsOf: () => NOT_ASKED };
