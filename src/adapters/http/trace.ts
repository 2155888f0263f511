/** What `-v=6` to `-v=9` print about requests, in the form and at the levels of kubectl 1.37. */
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';

export interface Trace {
  /** kubectl's -v: from 6 responses with their time, from 7 requests and headers, from 8 bodies. */
  readonly verbosity: number;
  /** Takes one or more lines without a final line break. */
  write(text: string): void;
}

export function traceRequest(trace: Trace, method: string, url: string, headers: OutgoingHttpHeaders, body: string | Uint8Array | undefined): void {
  if (trace.verbosity < 7) return;
  trace.write(`"Request" verb=${JSON.stringify(method)} url=${JSON.stringify(url)}${headerLines(headers)}`);
  if (body !== undefined && trace.verbosity >= 8) trace.write(`"Request Body" body=${shorten(Buffer.from(body).toString('utf8'), trace.verbosity)}`);
}

export function traceResponse(trace: Trace, method: string, url: string, status: string, milliseconds: number, headers: IncomingHttpHeaders): void {
  if (trace.verbosity < 6) return;
  trace.write(
    `"Response" verb=${JSON.stringify(method)} url=${JSON.stringify(url)} status=${JSON.stringify(status)} milliseconds=${Math.round(milliseconds)}` +
      (trace.verbosity >= 8 ? headerLines(headers) : ''),
  );
}

/** Of Kubernetes' protobuf, whose bytes are not for a terminal. */
const PROTOBUF_MARK = Buffer.from('k8s\0', 'latin1');

export function traceBody(trace: Trace, body: Buffer): void {
  if (trace.verbosity < 8) return;
  const limit = bodyLimit(trace.verbosity);
  if (body.subarray(0, 4).equals(PROTOBUF_MARK)) {
    trace.write(`"Response Body" body=[protobuf, ${body.length} bytes]`);
    return;
  }
  // Only what is shown is decoded: bodies may have many megabytes.
  const text = body.subarray(0, limit * 4).toString('utf8');
  trace.write(`"Response Body" body=${text.length > limit || body.length > limit * 4 ? `${text.slice(0, limit)} [truncated, ${body.length} bytes in all]` : text}`);
}

export function traceEvent(trace: Trace, minimum: number, text: string): void {
  if (trace.verbosity >= minimum) trace.write(text);
}

/** Headers of answers that tell how a server works, and of nobody's secrets. */
const HARMLESS = /^(?:age|allow|cache-control|connection|content-(?:encoding|language|length|type)|date|docker-distribution-api-version|expires|keep-alive|pragma|(?:x-)?ratelimit-[\w-]+|retry-after|server|strict-transport-security|transfer-encoding|vary|via|www-authenticate|x-content-type-options|x-frame-options)$/;

/** Headers of an answer that brings a secret: a server may repeat it in any of them. */
export function withoutSecrets(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, HARMLESS.test(name) ? value : '<masked>']));
}

function bodyLimit(verbosity: number): number {
  return verbosity >= 10 ? Number.MAX_SAFE_INTEGER / 8 : verbosity >= 9 ? 10_240 : 1024;
}

function shorten(text: string, verbosity: number): string {
  const limit = bodyLimit(verbosity);
  return text.length > limit ? `${text.slice(0, limit)} [truncated ${text.length - limit} chars]` : text;
}

function headerLines(headers: OutgoingHttpHeaders | IncomingHttpHeaders): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => (Array.isArray(value) ? value : [value ?? '']).map((one) => `\n\t${name}: ${masked(name, String(one))}`));
  return lines.length === 0 ? '' : ` headers=<${lines.join('')}\n >`;
}

/**
 * The scheme stays readable: it tells which way to authenticate was taken. Impersonate-* stays readable on purpose: its
 * values are what --as and its like were typed with, name somebody and prove nothing.
 */
function masked(name: string, value: string): string {
  if (/^impersonate-/i.test(name) || !/^(proxy-)?authorization$|cookie|token|secret|passw|api-?key|credential|session/i.test(name)) return value;
  const scheme = /^(Basic|Bearer|Negotiate) /i.exec(value)?.[1];
  return scheme === undefined ? '<masked>' : `${scheme} <masked>`;
}
