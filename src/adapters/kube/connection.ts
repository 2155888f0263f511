/** The seam inside the client layer: `config/` and `auth/` make a Connection, everything else here uses one. */
import type { Endpoint } from '../http/endpoint.ts';

export type { CredentialSource, Impersonation, RequestCredentials } from '../http/endpoint.ts';

/** Everything that is needed to talk to one API server as one user. */
export interface Connection extends Endpoint {
  /** Cluster and user names as in the kubeconfig; null where there is none (in-cluster, flags alone). */
  readonly clusterName: string | null;
  readonly userName: string | null;
  /** Namespace that commands use: -n, else the context's, else the service account's, else `default`. */
  readonly namespace: string;
}
