/** What a request needs to know of the server that it goes to: an API server's connection has all of it, a registry's part of it. */

/** Impersonation as the API server takes it (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#user-impersonation, read 2026-11-30). */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

/** What one request is authenticated with. PEM texts. */
export interface RequestCredentials {
  /** Value of the Authorization header. */
  readonly authorization?: string | undefined;
  readonly clientCertificate?: { readonly cert: string; readonly key: string; readonly passphrase?: string } | undefined;
}

/** Gives credentials per request; single flight inside, cached until they expire. */
export interface CredentialSource {
  get(signal?: AbortSignal): Promise<RequestCredentials>;
  /**
   * Called after a 401. Forgets what is cached; false when another attempt cannot go better (a static token).
   * `used`: what the refused request carried, as `get` gave it. When others were fetched since, nothing is forgotten and
   * another attempt takes those: a late 401 to an old request runs no credential plugin again.
   */
  refresh(signal?: AbortSignal, used?: RequestCredentials): Promise<boolean>;
}

/** A server, and how it is reached. */
export interface Endpoint {
  /** URL of the server, no trailing slash; may have a path (Rancher) and be http (kubectl proxy, kwok). */
  readonly server: string;
  readonly tls: {
    /** PEM bundle; undefined means the system's and Node's roots. */
    readonly ca?: string | undefined;
    readonly insecureSkipVerify: boolean;
    /** tls-server-name: SNI and the name that is verified. */
    readonly serverName?: string | undefined;
  };
  /** --proxy-url, else proxy-url of the kubeconfig; undefined means the environment (HTTPS_PROXY, NO_PROXY) decides. */
  readonly proxyUrl?: string | undefined;
  readonly disableCompression: boolean;
  /** For a connection to be taken, TLS included; undefined means client-go's 30 s. */
  readonly connectTimeoutMs?: number | undefined;
  readonly impersonate?: Impersonation | undefined;
  readonly credentials: CredentialSource;
  /** Context of the kubeconfig that it comes from, for messages; null where there is none. */
  readonly contextName: string | null;
}
