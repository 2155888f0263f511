import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureParts } from '../cluster/build.ts';

export interface KubectlResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The real kubectl in an empty home of its own: without kubeconfig, cache or kuberc of the person who runs the test. */
export interface RealKubectl {
  run(args: readonly string[]): Promise<KubectlResult>;
  /** Writes a file that lives as long as this object. */
  write(name: string, text: string): string;
  close(): void;
}

export async function realKubectl(): Promise<RealKubectl> {
  const { kubectl } = await ensureParts(['kubectl']);
  const home = mkdtempSync(join(tmpdir(), 'kubectl-win-kubectl-'));
  const env = { HOME: home, PATH: process.env['PATH'] ?? '', KUBECONFIG: join(home, 'none') };
  return {
    run: (args) =>
      new Promise((resolve, reject) => {
        execFile(kubectl, [...args], { env, maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
          if (error !== null && typeof error.code !== 'number') reject(error);
          else resolve({ exitCode: error === null ? 0 : Number(error.code), stdout, stderr });
        });
      }),
    write(name, text) {
      const path = join(home, name);
      writeFileSync(path, text);
      return path;
    },
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** A loopback server that is just enough of an API server for `kubectl get nodes`: whatever it holds may have any shape. */
export interface NodeListServer {
  readonly url: string;
  /** What GET /api/v1/nodes answers when objects are asked for, and when a Table is. */
  list: unknown;
  table: unknown;
  close(): Promise<void>;
}

export async function serveNodeList(): Promise<NodeListServer> {
  const held: { list: unknown; table: unknown } = { list: null, table: null };
  const answers: Readonly<Record<string, unknown>> = {
    '/api': { kind: 'APIVersions', versions: ['v1'] },
    '/apis': { kind: 'APIGroupList', apiVersion: 'v1', groups: [] },
    '/api/v1': {
      kind: 'APIResourceList',
      groupVersion: 'v1',
      resources: [{ name: 'nodes', singularName: 'node', kind: 'Node', namespaced: false, verbs: ['get', 'list'], shortNames: ['no'] }],
    },
  };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const wantsTable = (request.headers.accept ?? '').includes('as=Table');
    const answer = pathname === '/api/v1/nodes' ? (wantsTable ? held.table : held.list) : answers[pathname];
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return Object.assign(held, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => closeServer(server),
  });
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}
