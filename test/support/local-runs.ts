import type { LocalRun, LocalRuns } from '../../src/app/ports.ts';

export interface MemoryRuns extends LocalRuns {
  /** What is on record now. */
  readonly runs: ReadonlyMap<string, LocalRun>;
}

/** Records of runs that no disk holds. */
export function memoryRuns(before: readonly LocalRun[] = []): MemoryRuns {
  const runs = new Map(before.map((run) => [run.run, run]));
  return {
    runs,
    begin: async (run) => void runs.set(run.run, run),
    made: async (run, name, uid) => {
      const known = runs.get(run);
      if (known !== undefined) runs.set(run, { ...known, objects: known.objects.map((object) => (object.name === name ? { ...object, uid } : object)) });
    },
    end: async (run) => void runs.delete(run),
    all: async () => [...runs.values()],
  };
}
