/** Time as a run sees it; tests bring one that does not wait. */
export interface RunClock {
  now(): Date;
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>;
}
