/** Requests to the Kubernetes API over raw JSON: no field that this program does not know is dropped on the way. */
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterError } from '../../../errors.ts';
import type { ListOptions, ListPage, ServerVersion, WatchEvent, WatchOptions } from '../../../app/ports.ts';
import { arrayAt, booleanAt, isRecord, stringAt, valueAt, type KubeObject } from '../../../domain/kubernetes/object.ts';
import { apiVersionOf, PODS, type Resource } from '../../../domain/kubernetes/resource.ts';
import type { Connection } from '../connection.ts';
import { decodedStream } from '../../http/body.ts';
import { Transport, type Answer, type OpenAnswer, type TransportOptions, type TransportRequest } from '../../http/transport.ts';
import { apiError, parseObject, parseProtobufObject, statusError, unexpectedError, type AnswerContext, type Attempt } from './api-error.ts';
import { followLog, type LogLine } from './follow-log.ts';
import { discoverResources } from './discovery.ts';
import { continueTokenInHead, pages, type PageRequest, type RawPage } from './pager.ts';
import { continueTokenInProtobufHead, isProtobuf, PROTOBUF_OR_JSON } from './pod-protobuf.ts';
import { queryString, resourcePath, type Query, type ResourcePlace } from './url.ts';
import { watch } from './watch.ts';

/** Names this program in managedFields. */
export const FIELD_MANAGER = 'kubectl-win';

export interface RequestOptions {
  readonly namespace?: string | undefined;
  readonly subresource?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface WriteOptions extends RequestOptions {
  /** kubectl's --dry-run=server: admission and validation run, nothing is stored. */
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
}

/** Media types of the kinds of patch (https://kubernetes.io/docs/reference/using-api/api-concepts/#patch-and-apply, read 2026-11-30). */
const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  // JSON is YAML, so an apply patch is sent as it is.
  apply: 'application/apply-patch+yaml',
} as const;

export interface PatchOptions extends WriteOptions {
  readonly type: keyof typeof PATCH_TYPES;
  /** Takes fields over from other managers; for apply only. */
  readonly force?: boolean | undefined;
}

export interface DeleteOptions extends RequestOptions {
  readonly dryRun?: boolean | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly gracePeriodSeconds?: number | undefined;
  /** Deletes only the object with this UID, not a namesake. */
  readonly uid?: string | undefined;
}

/** A container of a pod. */
export interface LogPlace {
  readonly namespace: string;
  readonly name: string;
  readonly container: string;
}

export interface FollowLogOptions {
  /** RFC 3339; the server counts whole seconds. */
  readonly sinceTime?: string | undefined;
  /** So many of the lines that are there already. */
  readonly tailLines?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A right to ask for; namespace undefined means the whole cluster. */
export interface AccessQuestion {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export interface AccessAnswer {
  readonly question: AccessQuestion;
  /** null when the server would not say. */
  readonly allowed: boolean | null;
  readonly reason: string;
}

type HttpMethod = TransportRequest['method'];

interface Call extends RequestOptions {
  readonly method: HttpMethod;
  /** RBAC's verb. */
  readonly verb: string;
  readonly name?: string | undefined;
  readonly query?: Query;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string | undefined;
  readonly onHead?: ((head: Buffer) => void) | undefined;
}

/** All requests of one connection. Every method throws ClusterError, or what `signal` was aborted with. */
export class KubeClient {
  readonly connection: Connection;
  readonly transport: Transport;
  readonly #onNotice: TransportOptions['onNotice'];

  constructor(connection: Connection, options: TransportOptions = {}) {
    this.connection = connection;
    this.#onNotice = options.onNotice;
    this.transport = new Transport(connection, options);
  }

  /** GET /version. */
  async serverVersion(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<ServerVersion> {
    const context: AnswerContext = { connection: this.connection, method: 'GET', attempt: { verb: 'get', resource: '/version' } };
    const answer = await this.transport.request({ method: 'GET', path: '/version', attempt: context.attempt, signal: options.signal, patient: true });
    if (answer.status >= 300) throw apiError(answer, context);
    const parsed = parseObject(answer, context);
    const gitVersion = stringAt(parsed, 'gitVersion');
    if (gitVersion === undefined) throw unexpectedError(context, 'an object without gitVersion', answer.status);
    return { gitVersion };
  }

  /** Every resource that can be listed, in the version that its group prefers; see discovery.ts. */
  async resources(options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly Resource[]> {
    return discoverResources(async (path, accept) => {
      const context: AnswerContext = { connection: this.connection, method: 'GET', attempt: { verb: 'get', resource: path } };
      const answer = await this.transport.request({ method: 'GET', path, attempt: context.attempt, headers: { Accept: accept }, signal: options.signal });
      if (answer.status >= 300) throw apiError(answer, context);
      return parseObject(answer, context);
    });
  }

  /** One object, as it is on the wire. */
  async get(resource: Resource, name: string, options: RequestOptions = {}): Promise<KubeObject> {
    return this.#object(resource, { ...options, method: 'GET', verb: 'get', name });
  }

  /** Pages of a list; see pager.ts. */
  list(resource: Resource, options: ListOptions = {}): AsyncGenerator<ListPage, void, undefined> {
    const refuse = (what: string): ClusterError => unexpectedError(this.#context(resource, { method: 'GET', verb: 'list', namespace: options.namespace }), what);
    return pages((page, signal) => this.listPage(resource, options, page, signal), { chunkSize: options.chunkSize, signal: options.signal, refuse });
  }

  /** One page of a list. */
  async listPage(resource: Resource, options: ListOptions, page: PageRequest, signal?: AbortSignal): Promise<RawPage> {
    const { onContinueToken } = page;
    const isDigest = resource === PODS && options.metadataOnly !== true && options.podDigest?.() === true;
    const call: Call = {
      method: 'GET',
      verb: 'list',
      namespace: options.namespace,
      signal: signal ?? options.signal,
      query: {
        ...selectorQuery(options),
        limit: page.limit > 0 ? page.limit : undefined,
        continue: page.continueToken === '' ? undefined : page.continueToken,
      },
      accept: options.metadataOnly === true ? METADATA_LIST : isDigest ? PROTOBUF_OR_JSON : undefined,
      onHead: onContinueToken === undefined ? undefined : (head) => {
        const token = (isDigest ? continueTokenInProtobufHead(head) : null) ?? continueTokenInHead(head);
        if (token !== null) onContinueToken(token);
      },
    };
    const context = this.#context(resource, call);
    const answer = await this.#call(resource, call);
    if (!isDigest || !isProtobuf(answer.headers['content-type'])) return pageOf(parseObject(answer, context), resource, context, options.metadataOnly === true);
    const { limit, continueToken } = page;
    return { ...pageOf(parseProtobufObject(answer, context), resource, context, false), whole: async () => (await this.listPage(resource, { ...options, podDigest: undefined }, { limit, continueToken })).items };
  }

  /** Changes after a resource version, for ever; see watch.ts. */
  async *watch(resource: Resource, options: WatchOptions): AsyncGenerator<WatchEvent, void, undefined> {
    // Leaving the loop ends the request that is open.
    const ended = new AbortController();
    const signal = options.signal === undefined ? ended.signal : AbortSignal.any([options.signal, ended.signal]);
    try {
      yield* watch(
        {
          open: (resourceVersion, timeoutSeconds, openSignal) => this.#openWatch(resource, options, resourceVersion, timeoutSeconds, openSignal),
          relist: (listSignal) => this.#listWhole(resource, { ...options, signal: listSignal }),
          errorOf: (status) => statusError(status, this.#context(resource, { method: 'GET', verb: 'watch', namespace: options.namespace })),
          sleep: (milliseconds, sleepSignal) => sleep(milliseconds, undefined, { signal: sleepSignal }),
          random: Math.random,
          lost: (error) => this.#onNotice?.(`the watch on ${resource.plural} was lost and is tried again: ${error instanceof Error ? error.message : String(error)}`),
        },
        options.resourceVersion,
        signal,
      );
    } finally {
      ended.abort();
    }
  }

  async create(resource: Resource, object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    const name = stringAt(object, 'metadata', 'name');
    // The name is in the body; only a subresource (eviction, token) has it in the URL.
    return this.#object(resource, { ...options, method: 'POST', verb: 'create', ...(options.subresource === undefined ? {} : { name }), query: writeQuery(options), body: object });
  }

  async replace(resource: Resource, object: KubeObject, options: WriteOptions = {}): Promise<KubeObject> {
    return this.#object(resource, { ...options, method: 'PUT', verb: 'update', name: stringAt(object, 'metadata', 'name') ?? '', query: writeQuery(options), body: object });
  }

  async patch(resource: Resource, name: string, patch: unknown, options: PatchOptions): Promise<KubeObject> {
    return this.#object(resource, {
      ...options,
      method: 'PATCH',
      verb: 'patch',
      name,
      query: { ...writeQuery(options), ...(options.type === 'apply' ? { force: options.force ?? false } : {}) },
      body: patch,
      contentType: PATCH_TYPES[options.type],
    });
  }

  /** Deletes one object; answers the object (while it terminates) or a Status. */
  async delete(resource: Resource, name: string, options: DeleteOptions = {}): Promise<KubeObject> {
    const { dryRun, propagationPolicy, gracePeriodSeconds, uid } = options;
    return this.#object(resource, {
      ...options,
      method: 'DELETE',
      verb: 'delete',
      name,
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
        ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
        ...(uid === undefined ? {} : { preconditions: { uid } }),
        ...(dryRun === true ? { dryRun: ['All'] } : {}),
      },
    });
  }

  /** The unread body of a GET, decoded: logs and other streams. Ends by the reader's hand, the server's, or when `signal` is aborted. */
  async rawStream(resource: Resource, name: string, options: RequestOptions & { readonly query?: Query } = {}): Promise<Readable> {
    const call: Call = { ...options, method: 'GET', verb: 'get', name };
    return (await this.#open(resource, call, { Accept: '*/*', 'Accept-Encoding': 'identity' })).stream;
  }

  /**
   * Lines of a container's log until the container has ended, across broken connections; see follow-log.ts. For what a
   * log holds so far, without following it, there is rawStream with the subresource `log`.
   */
  async *followLog(pod: LogPlace, options: FollowLogOptions = {}): AsyncGenerator<LogLine, void, undefined> {
    const { namespace, name, container } = pod;
    // Leaving the loop ends the request that is open.
    const ended = new AbortController();
    const signal = options.signal === undefined ? ended.signal : AbortSignal.any([options.signal, ended.signal]);
    try {
      yield* followLog(
        {
          open: (sinceTime, openSignal) => this.rawStream(PODS, name, {
            namespace, subresource: 'log', signal: openSignal,
            query: { container, follow: true, timestamps: true, ...(sinceTime === null ? { sinceTime: options.sinceTime, tailLines: options.tailLines } : { sinceTime }) },
          }),
          stillRuns: (askSignal) => this.#isRunning(pod, askSignal),
          sleep: (milliseconds, sleepSignal) => sleep(milliseconds, undefined, { signal: sleepSignal }),
          random: Math.random,
        },
        signal,
      );
    } finally {
      ended.abort();
    }
  }

  /** Asks the server for rights, ten at a time. A question that it does not answer is `allowed: null`, not an error. */
  async review(questions: readonly AccessQuestion[], options: { readonly signal?: AbortSignal | undefined } = {}): Promise<readonly AccessAnswer[]> {
    return Promise.all(questions.map((question) => this.#reviewOne(question, options.signal)));
  }

  /** Asks whether a service account may do something in its namespace; null when the server would not say. */
  async reviewServiceAccount(account: { readonly namespace: string; readonly name: string }, question: Omit<AccessQuestion, 'namespace'>, options: { readonly signal?: AbortSignal | undefined } = {}): Promise<boolean | null> {
    const { namespace, name } = account;
    try {
      const review = await this.create(SUBJECT_ACCESS_REVIEWS, {
        apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview',
        spec: {
          user: `system:serviceaccount:${namespace}:${name}`, groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
          resourceAttributes: { ...question, namespace },
        },
      }, { signal: options.signal, fieldManager: '' });
      return booleanAt(review, 'status', 'allowed') ?? null;
    } catch (error) {
      if (error instanceof ClusterError && (error.reason === 'Forbidden' || error.reason === 'NotFound' || error.reason === 'MethodNotAllowed')) return null;
      throw error;
    }
  }

  /** Ends all connections. */
  close(): void {
    this.transport.close();
  }

  /** false also where the server does not say: a log that is followed has then come to its end. */
  async #isRunning({ namespace, name, container }: LogPlace, signal: AbortSignal): Promise<boolean> {
    try {
      const pod = await this.get(PODS, name, { namespace, signal });
      const statuses = ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'].flatMap((kind) => arrayAt(pod, 'status', kind));
      return statuses.some((status) => stringAt(status, 'name') === container && isRecord(valueAt(status, 'state', 'running')));
    } catch (error) {
      if (signal.aborted || !(error instanceof ClusterError)) throw error;
      return false;
    }
  }

  async #reviewOne(question: AccessQuestion, signal: AbortSignal | undefined): Promise<AccessAnswer> {
    try {
      const review = await this.create(
        ACCESS_REVIEWS,
        { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview', spec: { resourceAttributes: { ...question } } },
        { signal, fieldManager: '' },
      );
      return { question, allowed: booleanAt(review, 'status', 'allowed') ?? null, reason: stringAt(review, 'status', 'reason') ?? stringAt(review, 'status', 'evaluationError') ?? '' };
    } catch (error) {
      // Whoever may not ask can still be allowed the thing itself.
      if (error instanceof ClusterError && (error.reason === 'Forbidden' || error.reason === 'NotFound' || error.reason === 'MethodNotAllowed')) return { question, allowed: null, reason: error.message };
      throw error;
    }
  }

  async #listWhole(resource: Resource, options: ListOptions): Promise<{ readonly objects: readonly KubeObject[]; readonly resourceVersion: string }> {
    let objects: KubeObject[] = [];
    let resourceVersion = '';
    for await (const page of this.list(resource, options)) {
      if (page.restarted === true) objects = [];
      for (const item of page.items) objects.push(item);
      resourceVersion = page.resourceVersion;
    }
    return { objects, resourceVersion };
  }

  async #openWatch(resource: Resource, options: ListOptions, resourceVersion: string, timeoutSeconds: number, signal: AbortSignal): Promise<Readable> {
    const call: Call = {
      method: 'GET',
      verb: 'watch',
      namespace: options.namespace,
      signal,
      query: { ...selectorQuery(options), watch: true, allowWatchBookmarks: true, resourceVersion, timeoutSeconds },
    };
    const context = this.#context(resource, call);
    // A compressed stream would hold events back until a block is full.
    const answer = await this.#open(resource, call, { 'Accept-Encoding': 'identity' });
    if (!/^application\/json/i.test(answer.headers['content-type'] ?? '')) {
      answer.stream.destroy();
      throw unexpectedError(context, `a ${answer.headers['content-type'] ?? 'nameless'} stream instead of watch events`, answer.status);
    }
    return decodedStream(answer.stream);
  }

  async #object(resource: Resource, call: Call): Promise<KubeObject> {
    const answer = await this.#call(resource, call);
    const context = this.#context(resource, call);
    const parsed = parseObject(answer, context);
    if (typeof parsed.kind !== 'string') throw unexpectedError(context, 'an object without a kind', answer.status);
    // A get answers the kind that was asked for; a write of a subresource or a delete may answer another.
    if (call.method === 'GET' && call.subresource === undefined && parsed.kind !== resource.kind) throw unexpectedError(context, `a ${parsed.kind} instead of a ${resource.kind}`, answer.status);
    return parsed;
  }

  async #call(resource: Resource, call: Call): Promise<Answer> {
    const answer = await this.transport.request({ ...this.#request(resource, call), onHead: call.onHead });
    if (answer.status >= 300) throw apiError(answer, this.#context(resource, call));
    return answer;
  }

  /** An answer whose body is still to be read; the call's signal ends that, too. */
  async #open(resource: Resource, call: Call, headers: TransportRequest['headers']): Promise<OpenAnswer> {
    const answer = await this.transport.open({ ...this.#request(resource, call), headers });
    if ('body' in answer) throw apiError(answer, this.#context(resource, call));
    const { signal } = call;
    if (signal === undefined) return answer;
    const stop = (): void => void answer.stream.destroy();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    answer.stream.once('close', () => signal.removeEventListener('abort', stop));
    return answer;
  }

  #request(resource: Resource, call: Call): TransportRequest {
    const place: ResourcePlace = { namespace: resource.namespaced ? call.namespace : undefined, name: call.name, subresource: call.subresource };
    const seconds = this.transport.requestTimeoutSeconds;
    // client-go tells the server as well, so that it stops working for nobody (rest/request.go, URL()).
    const timeout = seconds > 0 && call.verb !== 'watch' ? { timeout: `${seconds}s` } : {};
    return {
      method: call.method,
      path: resourcePath(resource, place) + queryString({ ...call.query, ...timeout }),
      attempt: this.#attempt(resource, call),
      signal: call.signal,
      // nobody asked to see them: imagePullSecrets are read on the way
      hasSecretBodies: resource.group === '' && resource.plural === 'secrets',
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body), headers: { 'Content-Type': call.contentType ?? 'application/json' } }),
      ...(call.accept === undefined ? {} : { headers: { Accept: call.accept } }),
    };
  }

  #context(resource: Resource, call: Call): AnswerContext {
    return { connection: this.connection, method: call.method, attempt: this.#attempt(resource, call) };
  }

  #attempt(resource: Resource, { verb, subresource, name, namespace }: Call): Attempt {
    return {
      verb,
      group: resource.group,
      resource: subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`,
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined || !resource.namespaced ? {} : { namespace }),
    };
  }
}

const SUBJECT_ACCESS_REVIEWS = { group: 'authorization.k8s.io', version: 'v1', plural: 'subjectaccessreviews', kind: 'SubjectAccessReview', namespaced: false } as const satisfies Resource;
const ACCESS_REVIEWS = { group: 'authorization.k8s.io', version: 'v1', plural: 'selfsubjectaccessreviews', kind: 'SelfSubjectAccessReview', namespaced: false } as const satisfies Resource;

function selectorQuery(options: ListOptions): Query {
  return { labelSelector: options.labelSelector || undefined, fieldSelector: options.fieldSelector || undefined };
}

function writeQuery(options: WriteOptions): Query {
  return { dryRun: options.dryRun === true ? 'All' : undefined, fieldManager: (options.fieldManager ?? FIELD_MANAGER) || undefined };
}

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#metadata-only-fetches, read 2026-11-30 */
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';

/** Reads a list; gives each item the apiVersion and kind that the server leaves out in lists, and writes its own into metadata. */
function pageOf(list: Readonly<Record<string, unknown>>, resource: Resource, context: AnswerContext, metadataOnly: boolean): RawPage {
  if (list.kind !== `${resource.kind}List` && !(metadataOnly && list.kind === 'PartialObjectMetadataList')) throw unexpectedError(context, `${typeof list.kind === 'string' ? `a ${list.kind}` : 'an object without a kind'} instead of a ${resource.kind}List`);
  if (!Array.isArray(list.items) && list.items !== null) throw unexpectedError(context, `a ${resource.kind}List without items`);
  const apiVersion = apiVersionOf(resource);
  const items = ((list.items ?? []) as readonly unknown[]).map((item): KubeObject => {
    if (!isRecord(item)) throw unexpectedError(context, `a ${resource.kind}List with an item that is no object`);
    return metadataOnly ? { ...item, apiVersion, kind: resource.kind } : { apiVersion, kind: resource.kind, ...item };
  });
  return { items, resourceVersion: stringAt(list, 'metadata', 'resourceVersion') ?? '', continueToken: stringAt(list, 'metadata', 'continue') ?? '' };
}
