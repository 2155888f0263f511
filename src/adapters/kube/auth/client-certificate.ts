import { X509Certificate, createPrivateKey } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ClusterError } from '../../../errors.ts';
import type { ConnectionEnvironment } from '../config/environment.ts';
import type { KubeconfigUser } from '../config/kubeconfig.ts';
import { unreadableFile } from '../config/validation.ts';
import type { CredentialSource, RequestCredentials } from '../connection.ts';

type CertificateAndKey = NonNullable<RequestCredentials['clientCertificate']>;

/** A client certificate from data or files. Files are read now, and again after a 401, as another program may renew them. */
export async function certificateCredentials(user: KubeconfigUser, environment: ConnectionEnvironment): Promise<CredentialSource> {
  let current: RequestCredentials = { clientCertificate: await readPair(user, environment) };
  return {
    get: () => Promise.resolve(current),
    refresh: async (_signal, used) => {
      if (user.certFile === undefined && user.keyFile === undefined) return false;
      if (used !== undefined && used !== current) return true;
      const clientCertificate = await readPair(user, environment);
      const changed = clientCertificate.cert !== current.clientCertificate?.cert || clientCertificate.key !== current.clientCertificate?.key;
      if (changed) current = { clientCertificate };
      return changed;
    },
  };
}

async function readPair(user: KubeconfigUser, environment: ConnectionEnvironment): Promise<CertificateAndKey> {
  const [cert, key] = await Promise.all([
    pemOf(user.certData, user.certFile, 'client-cert', user.name, environment),
    pemOf(user.keyData, user.keyFile, 'client-key', user.name, environment),
  ]);
  const problem = pairProblem(cert, key);
  if (problem !== null) {
    throw new ClusterError(`the client certificate of user ${JSON.stringify(user.name)} cannot be used: ${problem}`, {
      reason: 'BadConfiguration',
      suggestions: ['fetch the kubeconfig anew from your cluster or its administrator'],
    });
  }
  return { cert, key };
}

async function pemOf(data: string | undefined, file: string | undefined, what: string, user: string, environment: ConnectionEnvironment): Promise<string> {
  if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8');
  if (file === undefined) return '';
  try {
    return await readFile(resolve(environment.workingFolder, file), 'utf8');
  } catch (error) {
    throw new ClusterError(unreadableFile(what, file, user, error), { reason: 'BadConfiguration' });
  }
}

/** Why a certificate and a key are no pair, without showing either; null when they are one. Go's tls.X509KeyPair checks the same. */
export function pairProblem(cert: string, key: string): string | null {
  if (!cert.includes('-----BEGIN CERTIFICATE-----')) return 'tls: failed to find any PEM data in certificate input';
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key)) return 'tls: failed to find any PEM data in key input';
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(cert);
  } catch {
    return 'failed to parse the certificate';
  }
  try {
    return certificate.checkPrivateKey(createPrivateKey(key)) ? null : 'tls: private key does not match public key';
  } catch {
    return key.includes('ENCRYPTED') ? 'the private key is encrypted, which kubeconfigs do not support' : 'tls: failed to parse private key';
  }
}
