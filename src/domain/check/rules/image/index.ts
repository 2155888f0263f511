import type { Rule } from '../../rule.ts';
import { baseImagePastSupport } from './base-image-past-support.ts';
import { buildPinMissing } from './build-pin-missing.ts';
import { containersNeedDifferentBuilds } from './containers-need-different-builds.ts';
import { fullWindowsBaseImage } from './full-windows-base-image.ts';
import { hostProcessBaseImageMisused } from './host-process-base-image-misused.ts';
import { hostProcessImageRefused } from './host-process-image-refused.ts';
import { imageBuildMismatch } from './image-build-mismatch.ts';
import { imageBuildsUnknown } from './image-builds-unknown.ts';
import { imageContradictsBuildPin } from './image-contradicts-build-pin.ts';
import { imageFitsSomeNodes } from './image-fits-some-nodes.ts';
import { imageNameRetired } from './image-name-retired.ts';
import { imageNotFound } from './image-not-found.ts';
import { imageReferenceInvalid } from './image-reference-invalid.ts';
import { imageRevisionNewer } from './image-revision-newer.ts';
import { imageRunsDownLevel } from './image-runs-down-level.ts';
import { imageTagLatest } from './image-tag-latest.ts';
import { imageTagMoving } from './image-tag-moving.ts';
import { imageWithoutWindows } from './image-without-windows.ts';
import { indexPicksOlderImage } from './index-picks-older-image.ts';
import { runtimeRefusesImage } from './runtime-refuses-image.ts';
import { windowsImageOnLinux } from './windows-image-on-linux.ts';

export const IMAGE_RULES: readonly Rule[] = [
  imageReferenceInvalid, imageWithoutWindows, windowsImageOnLinux,
  imageBuildMismatch, imageFitsSomeNodes, containersNeedDifferentBuilds, imageContradictsBuildPin, buildPinMissing,
  runtimeRefusesImage, indexPicksOlderImage, hostProcessImageRefused, hostProcessBaseImageMisused,
  imageRevisionNewer, imageRunsDownLevel, baseImagePastSupport,
  imageNameRetired, imageTagLatest, imageTagMoving, fullWindowsBaseImage, imageNotFound, imageBuildsUnknown,
];
