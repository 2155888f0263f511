/** What --images asks for, opened. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ImageRegistry } from '../../app/ports.ts';
import type { ImagePlatformSource } from '../../domain/image/image-platforms.ts';
import { NO_PLATFORMS } from '../../domain/image/no-platforms.ts';
import { TAG_PLATFORMS } from '../../domain/image/tag-platforms.ts';
import type { CommandContext, RegistryOptions } from '../context.ts';
import type { ImagesMode, Settings } from '../settings.ts';

export interface OpenedImages {
  /** To take in place of all evidence; null to gather it. */
  readonly images: ImagePlatformSource | null;
  /** To ask; null for nobody. */
  readonly registry: ImageRegistry | null;
}

export async function openImages(
  flag: string | undefined, settings: Settings, { isOffline }: { readonly isOffline: boolean }, context: CommandContext,
  options: Omit<RegistryOptions, 'registries' | 'cacheFolder'> & { readonly cacheDir: string | undefined },
): Promise<OpenedImages> {
  const mode = (flag ?? settings.images ?? 'auto') as ImagesMode; // `choices` let no other text through
  if (mode === 'off') return { images: NO_PLATFORMS, registry: null };
  if (mode === 'tags') return { images: TAG_PLATFORMS, registry: null };
  if (mode === 'auto' && isOffline) return { images: null, registry: null };
  const { cacheDir, ...rest } = options;
  return { images: null, registry: await context.ports.openRegistry({ ...rest, registries: settings.registries, cacheFolder: cacheFolderOf(cacheDir, context.env) }, context) };
}

/**
 * Below kubectl's own cache folder: --cache-dir, KUBECACHEDIR, $HOME/.kube/cache
 * (https://github.com/kubernetes/cli-runtime/blob/v0.37.2/pkg/genericclioptions/config_flags.go, getDefaultCacheDir, read 2026-11-30).
 */
function cacheFolderOf(flag: string | undefined, env: CommandContext['env']): string {
  const folder = [flag, env['KUBECACHEDIR']].find((one) => one !== undefined && one !== '') ?? join(env['HOME'] ?? env['USERPROFILE'] ?? homedir(), '.kube', 'cache');
  return join(folder, 'kubectl-win', 'registries');
}
