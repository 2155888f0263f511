/** The same base image of another release, where the tag is the release alone. */
import { knownRepository } from '../../../image/known-repositories.ts';
import { repositoryOf, type ParsedReference } from '../../../image/reference.ts';
import { SERVER_RELEASES, type ServerRelease } from '../../../windows/releases.ts';
import type { Container } from '../../../workload/workload.ts';
import type { Fix } from '../../finding.ts';

/** Releases for which Microsoft publishes both images below under the release's name. */
const PUBLISHED = new Set(['ltsc2019', 'ltsc2022', 'ltsc2025']);
const REPOSITORIES = new Set(['mcr.microsoft.com/windows/servercore', 'mcr.microsoft.com/windows/nanoserver']);

/** Null for any other image: what stands on a base has to be rebuilt, not renamed. */
export function baseImageFix(parsed: ParsedReference, containers: readonly Container[], build: number): Fix | null {
  if (parsed.kind !== 'reference' || parsed.reference.digest !== null || knownRepository(parsed.reference)?.isWindowsBase !== true) return null;
  const repository = repositoryOf(parsed.reference);
  const release: ServerRelease | undefined = SERVER_RELEASES.find((row) => row.build === build);
  if (release === undefined || !PUBLISHED.has(release.release) || !REPOSITORIES.has(repository) || !/^(?:ltsc20\d\d|\d{4}|20H2)$/.test(parsed.reference.tag ?? '')) return null;
  const image = `${repository}:${release.release}`;
  return { title: `use ${image}`, edits: containers.map(({ path }) => ({ op: 'set', path: [...path, 'image'], value: image })), isSafe: false };
}
