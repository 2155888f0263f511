import { setTimeout as sleep } from 'node:timers/promises';
import { ensureParts } from './build.ts';
import { freePorts } from './ports.ts';
import type { RegistryPlace } from './registry-client.ts';
import { requestRegistry } from './registry-client.ts';
import type { Supervisor } from './supervisor.ts';
import { startSupervisor } from './supervisor.ts';

/** A registry that tests fill and ask. */
export interface TestRegistry extends RegistryPlace {
  /** `localhost:PORT`, as it stands in an image reference. */
  readonly host: string;
  /** Value of the header `authorization` that may push to a repository; null where nobody is asked for one. */
  authorizationToPush(repository: string): string | null;
  stop(): Promise<void>;
}

/** An OCI registry in memory, plain HTTP, no authentication (cmd/registry of go-containerregistry). */
export async function startRegistry(): Promise<TestRegistry> {
  const parts = await ensureParts(['registry']);
  const [port] = await freePorts(1);
  const supervisor = await startSupervisor();
  try {
    await supervisor.start({ name: 'registry', program: parts.registry, args: [`--port=${port}`] });
    const registry: TestRegistry = {
      host: `localhost:${port}`, url: `http://localhost:${port}`, certificateAuthority: null,
      authorizationToPush: () => null,
      stop: () => supervisor.stopAll(),
    };
    await answering(registry, supervisor, 'registry');
    return registry;
  } catch (error) {
    await supervisor.stopAll();
    throw error;
  }
}

/** Resolves when the registry answers, whether or not it wants credentials. */
export async function answering(registry: TestRegistry, supervisor: Supervisor, name: string): Promise<void> {
  const deadline = Date.now() + 10_000;
  for (;;) {
    const answer = await requestRegistry(registry, { method: 'GET', path: '/v2/' }).catch(() => null);
    if (answer?.status === 200 || answer?.status === 401) return;
    const failure = supervisor.failure(name);
    if (failure !== null) throw new Error(failure);
    if (Date.now() > deadline) throw new Error(`the registry at ${registry.url} did not answer within 10 s`);
    await sleep(20);
  }
}
