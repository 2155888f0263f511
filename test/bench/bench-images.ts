/** `images` on 500 distinct images against a loop that asks for one after the other, on a real registry, near and far. */
import { mkdir, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startRegistry, type TestRegistry } from '../cluster/registry.ts';
import { indexOfPlatforms, pushImage, type DocumentPlatform } from '../support/image-documents.ts';
import type { Cost, CostMeter } from './cost.ts';

const IMAGES = 500;
/** Milliseconds that each answer of a far registry takes more: a data centre on the same continent. */
const FAR_MS = 20;

const PLATFORMS: readonly DocumentPlatform[] = [
  { os: 'linux', architecture: 'amd64', osVersion: null }, { os: 'windows', architecture: 'amd64', osVersion: '10.0.20348.5499' }, { os: 'windows', architecture: 'amd64', osVersion: '10.0.26100.33296' },
];

export interface ImagesBenchOptions {
  readonly meter: CostMeter;
  readonly launcher: string;
  /** Node, for the loop. */
  readonly node: string;
  /** Empty folder for files and caches. */
  readonly folder: string;
  readonly rounds: number;
  readonly progress: (line: string) => void;
}

/** What 500 images cost. */
export interface ImagesResult {
  readonly count: number;
  readonly runs: readonly {
    /** `near`, `20 ms away`. */
    readonly registry: string;
    readonly sequence: readonly Cost[];
    readonly cold: readonly Cost[];
    readonly warm: readonly Cost[];
  }[];
}

export async function benchImages(options: ImagesBenchOptions): Promise<ImagesResult> {
  const { progress } = options;
  progress(`filling a registry with ${IMAGES} images`);
  const registry = await startRegistry();
  try {
    const repositories = Array.from({ length: IMAGES }, (_, index) => `bench/app-${index}`);
    for (const repository of repositories) await pushImage(registry, indexOfPlatforms({ shape: 'index', repository, tag: '1', isByDigest: false }, PLATFORMS));
    const far = await startFarProxy(registry);
    try {
      return { count: IMAGES, runs: [
        { registry: 'near', ...await measure(options, registry.host, repositories, 'near') },
        { registry: `${FAR_MS} ms away`, ...await measure(options, far.host, repositories, 'far') },
      ] };
    } finally {
      await far.stop();
    }
  } finally {
    await registry.stop();
  }
}

async function measure({ meter, launcher, node, folder, rounds, progress }: ImagesBenchOptions, host: string, repositories: readonly string[], name: string): Promise<Omit<ImagesResult['runs'][number], 'registry'>> {
  const home = join(folder, name);
  await mkdir(home, { recursive: true });
  const manifests = join(home, 'pods.yaml');
  await writeFile(manifests, repositories.map((repository, index) => JSON.stringify({
    apiVersion: 'v1', kind: 'Pod', metadata: { name: `p${index}` }, spec: { os: { name: 'windows' }, nodeSelector: { 'kubernetes.io/os': 'windows' }, containers: [{ name: 'c', image: `${host}/${repository}:1` }] },
  })).join('\n---\n'));
  const config = join(home, 'config.yaml');
  await writeFile(config, JSON.stringify({ registries: { [host]: { plainHTTP: true } } }));
  const env = { KUBECTL_WIN_CONFIG: config };
  const caches = { cold: join(home, 'cold'), warm: join(home, 'warm') };
  const images = (cache: string): readonly string[] => [launcher, 'images', '-f', manifests, '--images=registry', `--cache-dir=${cache}`];
  const title = `images, ${repositories.length} images, registry ${name}`;
  const [sequence = [], cold = [], warm = []] = await meter.measure([
    { title: `${title}: one after the other`, command: [node, join(import.meta.dirname, 'sequence.mjs'), host, ...repositories] },
    // the shell's own cost, a few milliseconds, counts against us
    { title: `${title}: cold`, command: ['/bin/sh', '-c', 'rm -rf "$0" && exec "$@"', caches.cold, ...images(caches.cold)], env },
    { title: `${title}: warm`, command: images(caches.warm), env },
  ], Math.min(rounds, 5), (round) => progress(`${title}: ${round}`));
  return { sequence, cold, warm };
}

/** Passes requests on, and each answer later than it came. */
async function startFarProxy(registry: TestRegistry): Promise<{ readonly host: string; stop(): Promise<void> }> {
  const target = new URL(registry.url);
  const agent = new http.Agent({ keepAlive: true });
  const server = http.createServer((request, response) => {
    const passed = http.request({ agent, host: target.hostname, port: target.port, method: request.method, path: request.url, headers: { ...request.headers, host: target.host } }, (answer) => {
      setTimeout(() => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      }, FAR_MS);
    });
    passed.once('error', () => response.destroy());
    request.pipe(passed);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    host: `localhost:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => {
      agent.destroy();
      server.closeAllConnections();
      server.close(() => resolve());
    }),
  };
}
