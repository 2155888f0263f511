/** A run in a process of its own, to be killed: `node driver.ts '{"kubeconfig": …, "options": …}'` prints the type of each step, a line each. */
import { optionsFor, prepull } from './played-cluster.ts';

const { kubeconfig, options } = JSON.parse(process.argv[2] ?? '') as { readonly kubeconfig: string; readonly options: Parameters<typeof optionsFor>[0] };
const stop = new AbortController();
process.once('SIGINT', () => stop.abort(new Error('interrupted')));
const { error } = await prepull(kubeconfig, optionsFor({ ...options, signal: stop.signal }), ({ type }) => {
  process.stdout.write(`${type}\n`);
});
process.exitCode = error === null ? 0 : 1;
if (error !== null && !stop.signal.aborted) process.stderr.write(`${error instanceof Error ? error.message : 'it failed'}\n`);
