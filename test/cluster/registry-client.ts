import { request as requestPlain } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { request as requestSecure } from 'node:https';

/** Where a test registry is. */
export interface RegistryPlace {
  readonly url: string;
  /** PEM of who signed its certificate; null for plain HTTP. */
  readonly certificateAuthority: string | null;
}

/** A request to a test registry. */
export interface RegistryRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  /** Path, or a whole URL of the same registry as it gives them for uploads. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** What a test registry answered. */
export interface RegistryResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Asks a test registry, whose certificate no trust store of this machine knows. Independent of the project's own client on purpose. */
export function requestRegistry(registry: RegistryPlace, { method, path, headers = {}, body }: RegistryRequest): Promise<RegistryResponse> {
  const url = new URL(path, registry.url);
  const options = { method, headers: { ...headers, ...(body === undefined ? {} : { 'content-length': String(body.length) }) } };
  return new Promise((resolve, reject) => {
    const request = registry.certificateAuthority === null ? requestPlain(url, options) : requestSecure(url, { ...options, ca: registry.certificateAuthority });
    request.once('error', reject).once('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).once('error', reject).once('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) });
      });
    });
    request.end(body);
  });
}
