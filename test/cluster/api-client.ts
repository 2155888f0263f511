/** Talks to the test API server with node:https alone, so that tests of our own client layer do not lean on it. */
import { Agent, request } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { KubeObject } from '../../src/domain/kubernetes/object.ts';

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** An answer of 400 and above, with the server's own message. */
export class ApiError extends Error {
  readonly status: number;

  constructor(attempt: string, answer: Answer) {
    super(`${attempt}: ${answer.status} ${messageOf(answer.text)}`);
    this.name = 'ApiError';
    this.status = answer.status;
  }
}

function messageOf(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return typeof message === 'string' ? message : text;
  } catch {
    return text;
  }
}

export interface ApiClientOptions {
  readonly server: string;
  readonly ca: string;
  /** Client certificate, PEM. */
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
  /** false: any certificate of the server will do. Default true. */
  readonly verify?: boolean;
  /** Connections at once. Default 32. */
  readonly connections?: number;
}

/** Requests as one user. Everything but `send` throws ApiError when the server refuses. */
export interface ApiClient {
  /** Any answer is a result here. `body` is sent as JSON. */
  send(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>;
  get(path: string): Promise<KubeObject>;
  create(path: string, object: unknown): Promise<KubeObject>;
  replace(path: string, object: unknown): Promise<KubeObject>;
  /** A JSON merge patch. */
  patch(path: string, patch: unknown): Promise<KubeObject>;
  /** A missing object counts as deleted. */
  delete(path: string): Promise<void>;
  close(): void;
}

export function createApiClient(options: ApiClientOptions): ApiClient {
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections ?? 32, ca: options.ca, cert: options.cert, key: options.key, rejectUnauthorized: options.verify ?? true });

  const send: ApiClient['send'] = async (method, path, body, headers = {}) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    return new Promise<Answer>((resolve, reject) => {
      const call = request(new URL(path, options.server), {
        agent,
        method,
        headers: {
          accept: 'application/json',
          ...(payload === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
          ...headers,
        },
      }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
        response.on('end', () => { resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString('utf8') }); });
      });
      call.on('error', reject);
      call.setTimeout(60_000, () => call.destroy(new Error(`${method} ${path}: no answer within 60 s`)));
      call.end(payload);
    });
  };

  async function object(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<KubeObject> {
    const answer = await send(method, path, body, headers);
    if (answer.status >= 400) throw new ApiError(`${method} ${path}`, answer);
    return JSON.parse(answer.text) as KubeObject;
  }

  return {
    send,
    get: (path) => object('GET', path),
    create: (path, body) => object('POST', path, body),
    replace: (path, body) => object('PUT', path, body),
    patch: (path, patch) => object('PATCH', path, patch, { 'content-type': 'application/merge-patch+json' }),
    delete: async (path) => {
      const answer = await send('DELETE', path);
      if (answer.status >= 400 && answer.status !== 404) throw new ApiError(`DELETE ${path}`, answer);
    },
    close: () => { agent.destroy(); },
  };
}

/** Runs `work` for each item, at most `limit` at once; rejects with the first error. */
export async function forEachBounded<Item>(items: readonly Item[], limit: number, work: (item: Item, index: number) => Promise<void>): Promise<void> {
  const rest = items.entries();
  const worker = async (): Promise<void> => { for (const [index, item] of rest) await work(item, index); };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
}
