import type { Rule } from '../../rule.ts';
import { csiDriverNotOnNode } from './csi-driver-not-on-node.ts';
import { dockerPipeWithoutDocker } from './docker-pipe-without-docker.ts';
import { emptyDirInMemory } from './empty-dir-in-memory.ts';
import { ephemeralStorageBeyondContainerDisk } from './ephemeral-storage-beyond-container-disk.ts';
import { fileModeIgnored } from './file-mode-ignored.ts';
import { hostPathTypeOfLinux } from './host-path-type-of-linux.ts';
import { linuxFileSystem } from './linux-file-system.ts';
import { linuxHostPath } from './linux-host-path.ts';
import { mountPathIsDrive } from './mount-path-is-drive.ts';
import { mountPathNotAbsolute } from './mount-path-not-absolute.ts';
import { mountPathsCollide } from './mount-paths-collide.ts';
import { mountPropagationIgnored } from './mount-propagation-ignored.ts';
import { pipePathMisspelt } from './pipe-path-misspelt.ts';
import { rawBlockDevice } from './raw-block-device.ts';
import { secretOnDisk } from './secret-on-disk.ts';
import { subPathBlocksTermination } from './sub-path-blocks-termination.ts';
import { subPathNeverUpdates } from './sub-path-never-updates.ts';
import { volumeKindOfLinux } from './volume-kind-of-linux.ts';

export const STORAGE_RULES: readonly Rule[] = [
  emptyDirInMemory, rawBlockDevice, mountPropagationIgnored, volumeKindOfLinux, csiDriverNotOnNode, fileModeIgnored, subPathBlocksTermination,
  subPathNeverUpdates, mountPathIsDrive, linuxHostPath, hostPathTypeOfLinux, linuxFileSystem, secretOnDisk, ephemeralStorageBeyondContainerDisk,
  mountPathsCollide, mountPathNotAbsolute, pipePathMisspelt, dockerPipeWithoutDocker,
];
