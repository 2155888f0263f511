/** One request to the API server and all that client-go does around it: deadline, retries, refresh of credentials, warnings, trace. */
import http, { STATUS_CODES, type IncomingHttpHeaders, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterError, type ClusterErrorDetails } from '../../errors.ts';
import type { Endpoint, RequestCredentials } from './endpoint.ts';
import { agentFor, closeAgent, requestHeaders } from './agent.ts';
import { readBody, requireKnownEncoding, type ReadBodyOptions } from './body.ts';
import { clockSkewWarning } from './clock-skew.ts';
import { authorityOf, codeOf, DeadlineExceeded, interruption, networkError } from './network-error.ts';
import { hostOf } from './proxy.ts';
import { serverText } from './server-text.ts';
import { timerMs } from './timer.ts';
import { traceBody, traceEvent, traceRequest, traceResponse, withoutSecrets, type Trace } from './trace.ts';
import { WaitingLine } from './waiting-line.ts';
import { parseWarnings } from './warnings.ts';
import { Flights, type Flight } from './flights.ts';

/** Time as the transport sees it; tests bring one that does not wait. */
export interface TransportClock {
  /** Milliseconds, from any zero. */
  now(): number;
  sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void>;
}

export interface TransportOptions {
  /** kubectl's --request-timeout: the whole of a request with its retries and its body; 0 or undefined means no limit. */
  readonly requestTimeoutSeconds?: number | undefined;
  /** Gets each distinct warning of the server once. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Gets what is worth saying, stops nothing and is no warning of the server: that the clocks differ. */
  readonly onNotice?: ((text: string) => void) | undefined;
  readonly trace?: Trace | undefined;
  readonly clock?: TransportClock | undefined;
  readonly limits?: TransportLimits | undefined;
  /** An error whose body cannot be read counts as one without: its status and headers say what matters. */
  readonly sparesErrorBodies?: boolean | undefined;
}

/** What is not given is as for an API server. */
export interface TransportLimits {
  /** How often a request is sent again that the server asks to repeat later; 0 hands every answer over as it is. */
  readonly maxRetries?: number | undefined;
  readonly maxRetryAfterSeconds?: number | undefined;
  /** Of a 2xx answer, inflated. */
  readonly maxBodyBytes?: number | undefined;
  /** Requests at a time. */
  readonly maxParallel?: number | undefined;
}

export interface TransportRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Encoded path and query below the server's URL, with a leading slash. */
  readonly path: string;
  readonly headers?: OutgoingHttpHeaders | undefined;
  readonly body?: string | Buffer | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For messages. */
  readonly attempt?: ClusterErrorDetails['attempt'] | undefined;
  /** See readBody. */
  readonly onHead?: ((head: Buffer) => void) | undefined;
  /** Wait for the connection of a request under way where that is faster than opening another one: see flights.ts. */
  readonly patient?: boolean | undefined;
  /** Both bodies hold secrets, and are traced as `<masked>`; so are headers of the answer that may hold some. */
  readonly hasSecretBodies?: boolean | undefined;
}

/** An answer with its body; any status. */
export interface Answer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** How often the request was sent. */
  readonly tries: number;
}

/** A 2xx answer whose body is still to be read by the caller. */
export interface OpenAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly stream: IncomingMessage;
}

/** client-go's rest.Request: 10 retries (https://github.com/kubernetes/client-go/blob/v0.37.2/rest/request.go, maxRetries, read 2026-11-30). */
const MAX_RETRIES = 10;
/** A server that asks for a longer pause is reported instead of waited for. */
const MAX_RETRY_AFTER_SECONDS = 120;
/** Requests at a time; the API server's fairness queues hold more of one user back anyway. */
const MAX_PARALLEL = 10;
/** V8 cannot hold a longer string. */
const MAX_BODY_BYTES = 512 * 2 ** 20 - 64;
/** The status tells already what matters: what goes beyond is not waited for. */
const ERROR_BODY: ReadBodyOptions = { maxBytes: 2 ** 20, isCut: true };
/**
 * Of an answer's head. Node's 16 KiB are less than some login proxies write; Go's client takes 10 MiB
 * (https://github.com/golang/go/blob/go1.26.0/src/net/http/transport.go, MaxResponseHeaderBytes, read 2026-11-30).
 */
const MAX_HEADER_BYTES = 2 ** 20;
/** client-go would ask again at once for a Retry-After of 0 (rest/with_retry.go): ten times in a row, of a server that sheds load. */
const MIN_RETRY_AFTER_SECONDS = 1;

const MASKED_BODY = Buffer.from('<masked>');

const REAL_CLOCK: TransportClock = {
  now: () => Number(process.hrtime.bigint()) / 1e6,
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, signal === undefined ? {} : { signal }),
};

export class Transport {
  readonly connection: Endpoint;
  readonly requestTimeoutSeconds: number;
  readonly #onWarning: ((text: string) => void) | undefined;
  readonly #onNotice: ((text: string) => void) | undefined;
  #isClockCompared = false;
  readonly #trace: Trace | undefined;
  readonly #clock: TransportClock;
  readonly #limits: Readonly<Record<keyof TransportLimits, number>>;
  readonly #sparesErrorBodies: boolean;
  readonly #server: URL;
  readonly #basePath: string;
  readonly #warned = new Set<string>();
  /** Until then no request of this connection is sent: the server asked one of them to wait. */
  #notBefore = 0;
  #running = 0;
  readonly #waiting = new WaitingLine();
  readonly #flights = new Flights();

  constructor(connection: Endpoint, options: TransportOptions = {}) {
    this.connection = connection;
    this.requestTimeoutSeconds = options.requestTimeoutSeconds ?? 0;
    this.#onWarning = options.onWarning;
    this.#onNotice = options.onNotice;
    this.#trace = options.trace;
    this.#clock = options.clock ?? REAL_CLOCK;
    this.#sparesErrorBodies = options.sparesErrorBodies ?? false;
    const { maxRetries = MAX_RETRIES, maxRetryAfterSeconds = MAX_RETRY_AFTER_SECONDS, maxBodyBytes = MAX_BODY_BYTES, maxParallel = MAX_PARALLEL } = options.limits ?? {};
    this.#limits = { maxRetries, maxRetryAfterSeconds, maxBodyBytes, maxParallel };
    if (!URL.canParse(connection.server) || !/^https?:$/.test(new URL(connection.server).protocol)) {
      throw new ClusterError(`invalid server "${connection.server}": it has to be a URL that starts with https:// or http://`, { reason: 'BadConfiguration' });
    }
    this.#server = new URL(connection.server);
    this.#basePath = this.#server.pathname.replace(/\/+$/, '');
  }

  /** Sends a request and reads the answer, whatever its status. Throws ClusterError when there is none, and what `signal` was aborted with. */
  async request(request: TransportRequest): Promise<Answer> {
    const flight = request.patient === true ? undefined : this.#flights.begin();
    try {
      return await this.#within(request, async (signal) => {
        if (flight === undefined) await this.#flights.awaitConnection(signal);
        return this.#exchange(request, signal, flight);
      });
    } finally {
      flight?.end();
    }
  }

  async #exchange(request: TransportRequest, signal: AbortSignal, flight: Flight | undefined): Promise<Answer> {
    await this.#enter(signal);
    try {
      const { response, tries } = await this.#send(request, signal, flight);
      const status = response.statusCode ?? 0;
      const reading = status < 300 ? { maxBytes: this.#limits.maxBodyBytes, onHead: request.onHead } : ERROR_BODY;
      const body = request.method === 'HEAD' ? withoutBody(response) : await this.#guard(signal, response, status >= 300 && this.#sparesErrorBodies ? readSpared(response, reading, signal) : readBody(response, reading));
      if (this.#trace !== undefined) traceBody(this.#trace, request.hasSecretBodies === true ? MASKED_BODY : body);
      return { status, statusText: response.statusMessage ?? '', headers: response.headers, body, tries };
    } finally {
      this.#leave();
    }
  }

  /** Sends a request and hands over the body of a 2xx answer unread (watches, logs); the deadline ends with the head. */
  async open(request: TransportRequest): Promise<OpenAnswer | Answer> {
    return this.#within(request, async (signal) => {
      const { response, tries } = await this.#send(request, signal);
      const status = response.statusCode ?? 0;
      if (status >= 200 && status < 300) {
        requireKnownEncoding(response);
        return { status, headers: response.headers, stream: response };
      }
      const body = await this.#guard(signal, response, readBody(response, ERROR_BODY));
      return { status, statusText: response.statusMessage ?? '', headers: response.headers, body, tries };
    });
  }

  /** Ends all connections, also running ones. */
  close(): void {
    closeAgent(this.connection);
  }

  /** Waits for a place among the requests under way; the deadline covers that, too, as in client-go. */
  async #enter(signal: AbortSignal): Promise<void> {
    if (signal.aborted) throw interruption(signal);
    if (this.#running < this.#limits.maxParallel) {
      this.#running += 1;
      return;
    }
    await this.#waiting.wait(signal, () => interruption(signal));
  }

  #leave(): void {
    if (!this.#waiting.next()) this.#running -= 1;
  }

  /** Runs `work` under the caller's signal and the deadline, and turns its failures into errors for people. */
  async #within<T>(request: TransportRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    const outer = request.signal;
    const abort = (): void => controller.abort(outer === undefined ? undefined : interruption(outer));
    if (outer?.aborted === true) abort();
    outer?.addEventListener('abort', abort, { once: true });
    const seconds = this.requestTimeoutSeconds;
    const timer = seconds > 0 ? setTimeout(() => controller.abort(new DeadlineExceeded(seconds)), timerMs(seconds * 1000)) : undefined;
    try {
      return await work(controller.signal);
    } catch (error) {
      throw networkError(controller.signal.aborted ? interruption(controller.signal) : error, this.connection, request.attempt);
    } finally {
      clearTimeout(timer);
      outer?.removeEventListener('abort', abort);
    }
  }

  /** Destroys the answer when the signal fires while its body is read. */
  async #guard<T>(signal: AbortSignal, response: IncomingMessage, reading: Promise<T>): Promise<T> {
    const stop = (): void => void response.destroy(interruption(signal));
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await reading;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** The head of the answer that counts, after retries and a refresh of credentials. */
  async #send(request: TransportRequest, signal: AbortSignal, flight?: Flight): Promise<{ readonly response: IncomingMessage; readonly tries: number }> {
    const started = this.#clock.now();
    let refreshed = false;
    let reconnected = false;
    for (let tries = 1; ; tries += 1) {
      await this.#pause(signal);
      if (signal.aborted) throw interruption(signal);
      const credentials = await this.connection.credentials.get(signal);
      let response: IncomingMessage;
      try {
        response = await this.#once(request, credentials, signal, flight);
      } catch (error) {
        // A kept connection that the server had just given up, or a load balancer's hiccup: once, and only what changes nothing.
        if (signal.aborted || reconnected || !['GET', 'HEAD'].includes(request.method) || !['ECONNRESET', 'EPIPE'].includes(codeOf(error))) throw error;
        reconnected = true;
        this.#note(4, `connection lost (${codeOf(error)}), once more: ${request.method} ${request.path}`);
        continue;
      }
      this.#warn(response);
      const status = response.statusCode ?? 0;
      if (status === 401 && !refreshed) {
        refreshed = true;
        if (await this.connection.credentials.refresh(signal, credentials)) {
          response.resume();
          continue;
        }
      }
      const asked = status === 429 || status >= 500 ? retryAfterSeconds(response.headers['retry-after']) : null;
      const waitSeconds = asked === null ? null : Math.max(MIN_RETRY_AFTER_SECONDS, asked);
      if (waitSeconds === null || waitSeconds > this.#limits.maxRetryAfterSeconds || tries > this.#limits.maxRetries || !this.#fits(waitSeconds, started)) return { response, tries };
      response.resume();
      this.#note(4, `got a Retry-After ${waitSeconds}s response (${status}) for try ${tries} of ${request.method} ${request.path}`);
      const until = this.#clock.now() + waitSeconds * 1000;
      // A server that sheds load means all of us; another failure means this request.
      if (status === 429 || status === 503) this.#notBefore = Math.max(this.#notBefore, until);
      else await this.#sleep(waitSeconds * 1000, signal);
    }
  }

  /** Waiting for longer than the deadline would trade the server's answer for a mere timeout. */
  #fits(waitSeconds: number, started: number): boolean {
    return this.requestTimeoutSeconds <= 0 || waitSeconds + (this.#clock.now() - started) / 1000 < this.requestTimeoutSeconds;
  }

  async #pause(signal: AbortSignal): Promise<void> {
    for (let wait = this.#notBefore - this.#clock.now(); wait > 0; wait = this.#notBefore - this.#clock.now()) await this.#sleep(wait, signal);
  }

  async #sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    try {
      await this.#clock.sleep(milliseconds, signal);
    } catch (error) {
      throw signal.aborted ? interruption(signal) : error;
    }
  }

  #once(request: TransportRequest, credentials: RequestCredentials, signal: AbortSignal, flight?: Flight): Promise<IncomingMessage> {
    const { connection } = this;
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
    const headers = requestHeaders(connection, credentials, {
      Accept: 'application/json',
      'Accept-Encoding': connection.disableCompression ? 'identity' : 'gzip',
      ...(body === undefined ? {} : { 'Content-Length': body.length }),
      ...request.headers,
    });
    const agent = agentFor(connection, credentials);
    const started = this.#clock.now();
    const sentAt = new Date();
    const url = `${this.#server.protocol}//${this.#server.host}${this.#basePath}${request.path}`;
    if (this.#trace !== undefined) traceRequest(this.#trace, request.method, url, headers, request.hasSecretBodies === true && body !== undefined ? MASKED_BODY : body);
    return new Promise((resolve, reject) => {
      const outgoing = (this.#server.protocol === 'https:' ? https : http).request({
        agent,
        method: request.method,
        host: hostOf(this.#server),
        port: this.#server.port === '' ? (this.#server.protocol === 'https:' ? 443 : 80) : Number(this.#server.port),
        path: this.#basePath + request.path,
        headers,
        maxHeaderSize: MAX_HEADER_BYTES,
      });
      flight?.watch(outgoing);
      const abort = (): void => void outgoing.destroy(interruption(signal));
      if (signal.aborted) abort();
      signal.addEventListener('abort', abort, { once: true });
      let answer: IncomingMessage | undefined;
      outgoing.once('response', (response) => {
        signal.removeEventListener('abort', abort);
        answer = response;
        // Keeps an error that comes before the reader does, for `errored`; without a listener Node drops it.
        response.on('error', () => undefined);
        if (this.#trace !== undefined) {
          const isSecret = request.hasSecretBodies === true;
          const status = `${response.statusCode} ${isSecret ? STATUS_CODES[response.statusCode ?? 0] ?? '' : response.statusMessage}`.trim();
          traceResponse(this.#trace, request.method, url, status, this.#clock.now() - started, isSecret ? withoutSecrets(response.headers) : response.headers);
        }
        this.#compareClocks(response, sentAt);
        if ((response.statusCode ?? 0) >= 200) {
          resolve(response);
          return;
        }
        response.destroy();
        reject(this.#unexpectedAnswer(request, response));
      });
      // Without a listener Node ends the socket here and tells nobody, so that the request would never settle.
      outgoing.once('upgrade', (response, socket) => {
        signal.removeEventListener('abort', abort);
        socket.destroy();
        reject(this.#unexpectedAnswer(request, response));
      });
      // Stays for the life of the request: an error after the head belongs to the body, whose reader reports it. A parse
      // error comes here alone; the reader would learn only that the connection has ended.
      outgoing.on('error', (error) => {
        signal.removeEventListener('abort', abort);
        if (codeOf(error).startsWith('HPE_')) answer?.destroy(error);
        reject(error);
      });
      // The last resort against a request that never settles: no known path leads here without one of the above.
      outgoing.once('close', () => {
        signal.removeEventListener('abort', abort);
        reject(Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }));
      });
      // Never a string: Node joins the head with a text body and writes both as UTF-8, which spoils header bytes beyond ASCII.
      outgoing.end(body);
    });
  }

  /** For an informational status as the final one: 101 Switching Protocols, which no request of this transport asks for. */
  #unexpectedAnswer({ attempt }: TransportRequest, { statusCode = 0, statusMessage = '' }: IncomingMessage): ClusterError {
    return new ClusterError(`the server ${authorityOf(this.connection.server)} sent the unexpected answer ${statusCode}${statusMessage === '' ? '' : ` (${serverText(statusMessage)})`}; is it a Kubernetes API server?`, {
      reason: 'NotKubernetes',
      status: statusCode,
      ...(attempt === undefined ? {} : { attempt }),
      suggestions: [`check the server of the kubeconfig: ${this.connection.server}`],
    });
  }

  #warn(response: IncomingMessage): void {
    if (this.#onWarning === undefined || response.headers.warning === undefined) return;
    for (const text of parseWarnings(response.rawHeaders)) {
      if (this.#warned.has(text)) continue;
      this.#warned.add(text);
      this.#onWarning(text);
    }
  }

  /** Once, by the first answer: before anything that it brings is judged by the clock. */
  #compareClocks(response: IncomingMessage, sentAt: Date): void {
    if (this.#onNotice === undefined || this.#isClockCompared) return;
    this.#isClockCompared = true;
    const warning = clockSkewWarning(this.connection.server, response.headers, sentAt, new Date());
    if (warning !== null) this.#onNotice(warning);
  }

  #note(minimum: number, text: string): void {
    if (this.#trace !== undefined) traceEvent(this.#trace, minimum, text);
  }
}

/** Empty for a body that cannot be read. */
async function readSpared(response: IncomingMessage, reading: ReadBodyOptions, signal: AbortSignal): Promise<Buffer> {
  try {
    return await readBody(response, reading);
  } catch (error) {
    if (signal.aborted) throw error;
    return Buffer.alloc(0);
  }
}

/** Of an answer to HEAD, whose head speaks of a body that does not come. */
function withoutBody(response: IncomingMessage): Buffer {
  response.resume();
  return Buffer.alloc(0);
}

/** The date form that servers have to write (https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7, IMF-fixdate, read 2026-11-30). */
const HTTP_DATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** A wish for more is a mistake: the longest period that servers count requests in is a day. */
const LONGEST_RETRY_AFTER_SECONDS = 24 * 60 * 60;

/**
 * Seconds of a Retry-After header, in its number or its date form (which client-go does not know); null when there is
 * none, or none that is valid: Date.parse alone would read `-5` as a day of the past.
 */
export function retryAfterSeconds(header: string | undefined, now: number = Date.now()): number | null {
  if (header === undefined) return null;
  const text = header.trim();
  const seconds = /^\d+$/.test(text) ? Number(text) : HTTP_DATE.test(text) ? Math.max(0, Math.ceil((Date.parse(text) - now) / 1000)) : Number.NaN;
  return seconds <= LONGEST_RETRY_AFTER_SECONDS ? seconds : null;
}
