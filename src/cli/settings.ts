/** The user's configuration file. */
export interface Settings {
  /** Node labels that name a node's pool, tried before the built-in ones. */
  readonly poolLabels: readonly string[];
}

const EMPTY: Settings = { poolLabels: [] };

export async function loadSettings(_env: Readonly<Record<string, string | undefined>>): Promise<Settings> {
  return EMPTY;
}
