import { buildMatches } from '../../../windows/containerd.ts';
import { SERVER_RELEASES } from '../../../windows/releases.ts';

/** The newest build with base images that a host runs: 20348 for version 23H2, which has none of its own. Null when there is none. */
export function newestBaseFor(hostBuild: number | null): number | null {
  if (hostBuild === null) return null;
  return SERVER_RELEASES.findLast(({ build, baseImages }) => baseImages && buildMatches('previous-ltsc', hostBuild, build))?.build ?? null;
}
