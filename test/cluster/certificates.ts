// The decorators inside @peculiar/x509 need this polyfill before it is loaded.
import 'reflect-metadata';
import { generateKeyPairSync, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** A certificate with its key, both PEM; the key is PKCS #8, which Go and Node both read. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/** Whom a certificate names. To the API server CN is the user and each O a group (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#x509-client-certificates, read 2026-11-30). */
export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** Default: two days from now. A date that has passed makes an expired certificate. */
  readonly notAfter?: Date;
}

/** A certificate authority that lives as long as the test. */
export interface Authority {
  readonly cert: string;
  /** A certificate for server and client use, signed by this authority. */
  issue(subject: Subject): Promise<Identity>;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMilliseconds = 24 * 60 * 60 * 1000;

async function pem(key: webcrypto.CryptoKey): Promise<string> {
  return x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY') + '\n';
}

// Positive and of 16 bytes: RFC 5280, section 4.1.2.2.
const serialNumber = (): string => '01' + randomBytes(15).toString('hex');

/** Makes a new authority; nothing is written to disk. */
export async function createAuthority(commonName = 'kubectl-win test authority'): Promise<Authority> {
  x509.cryptoProvider.set(webcrypto as Crypto);
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const now = Date.now();
  const name = new x509.Name([{ CN: [commonName] }]);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: name.toString(),
    // An hour back, because clocks of containers and hosts differ a little.
    notBefore: new Date(now - dayMilliseconds / 24),
    notAfter: new Date(now + 2 * dayMilliseconds),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return {
    cert: certificate.toString('pem') + '\n',
    async issue(subject) {
      const leafKeys = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
      const alternatives = [
        ...(subject.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
        ...(subject.ipAddresses ?? []).map((value) => ({ type: 'ip' as const, value })),
      ];
      const notAfter = subject.notAfter ?? new Date(now + 2 * dayMilliseconds);
      const leaf = await x509.X509CertificateGenerator.create({
        serialNumber: serialNumber(),
        // Organizations first, each as its own attribute: Go reads every O as a group.
        subject: new x509.Name([...(subject.organizations ?? []).map((organization) => ({ O: [organization] })), { CN: [subject.commonName] }]).toString(),
        issuer: certificate.subject,
        notBefore: new Date(Math.min(now, notAfter.getTime()) - dayMilliseconds / 24),
        notAfter,
        publicKey: leafKeys.publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [
          new x509.BasicConstraintsExtension(false, undefined, true),
          new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
          new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
          await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
          ...(alternatives.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(alternatives)]),
        ],
      });
      return { cert: leaf.toString('pem') + '\n', key: await pem(leafKeys.privateKey) };
    },
  };
}

/** The pair that the API server signs service account tokens with. */
export function createServiceAccountKeys(): { readonly privateKey: string; readonly publicKey: string } {
  const pair = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  return { privateKey: pair.privateKey, publicKey: pair.publicKey };
}
