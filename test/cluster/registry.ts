import { setTimeout as sleep } from 'node:timers/promises';
import { ensureParts } from './build.ts';
import { freePorts } from './ports.ts';
import { startSupervisor } from './supervisor.ts';

/** An OCI registry in memory, plain HTTP, no authentication (cmd/registry of go-containerregistry). */
export interface TestRegistry {
  /** `localhost:PORT`, as it stands in an image reference. */
  readonly host: string;
  readonly url: string;
  stop(): Promise<void>;
}

export async function startRegistry(): Promise<TestRegistry> {
  const parts = await ensureParts(['registry']);
  const [port] = await freePorts(1);
  const supervisor = await startSupervisor();
  try {
    await supervisor.start({ name: 'registry', program: parts.registry, args: [`--port=${port}`] });
    const url = `http://localhost:${port}`;
    const deadline = Date.now() + 10_000;
    for (;;) {
      const answer = await fetch(`${url}/v2/`).catch(() => null);
      await answer?.body?.cancel();
      if (answer?.ok === true) break;
      const failure = supervisor.failure('registry');
      if (failure !== null) throw new Error(failure);
      if (Date.now() > deadline) throw new Error(`the registry at ${url} did not answer within 10 s`);
      await sleep(20);
    }
    return { host: `localhost:${port}`, url, stop: () => supervisor.stopAll() };
  } catch (error) {
    await supervisor.stopAll();
    throw error;
  }
}
