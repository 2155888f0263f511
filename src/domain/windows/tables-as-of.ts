import { CONTAINERD_LIFECYCLES } from './containerd.ts';
import { PROVIDER_LIFECYCLES } from './providers.ts';
import { SERVER_RELEASES } from './releases.ts';
import { REVISIONS } from './revisions.ts';

/** The newest day on which a row of the tables was read (YYYY-MM-DD): what happened later, they cannot know. */
export function tablesAsOf(): string {
  const days = [SERVER_RELEASES, REVISIONS, PROVIDER_LIFECYCLES, CONTAINERD_LIFECYCLES].flatMap((table) => table.map(({ asOf }) => asOf));
  return days.reduce((newest, day) => (day > newest ? day : newest));
}
