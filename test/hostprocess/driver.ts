/** A run in a process of its own, to be killed: `node driver.ts '{"kubeconfig": …, "records": FOLDER, "options": …}'` prints the type of each step, a line each. */
import { openLocalRuns } from '../../src/adapters/files/local-runs.ts';
import { liveExec, type LiveExecOptions } from './live-exec.ts';

const { kubeconfig, records, options } = JSON.parse(process.argv[2] ?? '') as { readonly kubeconfig: string; readonly records: string; readonly options: LiveExecOptions };
const stop = new AbortController();
process.once('SIGINT', () => stop.abort(new Error('interrupted')));
const { error } = await liveExec(kubeconfig, { ...options, records: openLocalRuns(records, { onNotice: (text) => process.stderr.write(`${text}\n`) }), signal: stop.signal }, ({ type }) => {
  process.stdout.write(`${type}\n`);
});
process.exitCode = error === null ? 0 : 1;
if (error !== null && !stop.signal.aborted) process.stderr.write(`${error instanceof Error ? error.message : 'it failed'}\n`);
