import assert from 'node:assert/strict';
import { KubeClient } from '../../../../src/adapters/kube/api/client.ts';
import { authorityOf, BodyTooLargeError, networkError } from '../../../../src/adapters/http/network-error.ts';
import { ClusterError } from '../../../../src/errors.ts';
import { createAuthority } from '../../../cluster/certificates.ts';
import { closedPort, connectionTo, sendJson, startLoopbackApi } from '../../../support/loopback-api.ts';
import { errorOfRawAnswer, rawAnswer } from './raw-answer.ts';

describe('failures below HTTP', () => {
  async function failureOf(url: string, ca: string | undefined, tls: Partial<{ insecureSkipVerify: boolean }> = {}): Promise<ClusterError> {
    const client = new KubeClient(connectionTo({ url, ca }, { tls: { ca, insecureSkipVerify: false, ...tls } }));
    try {
      await client.serverVersion();
    } catch (error) {
      assert.ok(error instanceof ClusterError, String(error));
      return error;
    } finally {
      client.close();
    }
    throw new assert.AssertionError({ message: 'no failure' });
  }

  it('refused', async () => {
    const port = await closedPort();
    const error = await failureOf(`https://127.0.0.1:${port}`, undefined);
    assert.equal(error.message, `The connection to the server 127.0.0.1:${port} was refused - did you specify the right host or port?`);
    assert.equal(error.reason, 'Unreachable');
    assert.equal(error.exitCode, 3);
    assert.match(error.suggestions[0] ?? '', /comes from the context "loopback"/);
  });

  it('unknown host', async () => {
    const error = await failureOf('https://no-such-host.invalid:6443', undefined);
    assert.match(error.message, /^Unable to connect to the server: dial tcp: lookup no-such-host\.invalid: (no such host|temporary failure in name resolution)$/);
  });

  it('wrong CA', async () => {
    const api = await startLoopbackApi((_request, response) => sendJson(response, 200, {}));
    try {
      const other = await createAuthority('another');
      const error = await failureOf(api.url, other.cert);
      assert.equal(error.message, 'Unable to connect to the server: tls: failed to verify certificate: x509: certificate signed by unknown authority');
      assert.equal(error.reason, 'UntrustedCertificate');
      assert.match(error.suggestions[0] ?? '', /certificate-authority-data of the kubeconfig does not belong to this server/);
    } finally {
      await api.close();
    }
  });

  it('wrong name and wrong address', async () => {
    for (const [tls, text] of [
      [{ dnsNames: ['kubernetes.example'], ipAddresses: ['10.0.0.1'] }, 'certificate is valid for 10.0.0.1, not 127.0.0.1'],
      [{ dnsNames: ['kubernetes.example'], ipAddresses: [] }, "cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs"],
    ] as const) {
      const api = await startLoopbackApi((_request, response) => sendJson(response, 200, {}), { tls });
      try {
        const error = await failureOf(api.url, api.ca);
        assert.equal(error.message, `Unable to connect to the server: tls: failed to verify certificate: x509: ${text}`);
        assert.match(error.suggestions[0] ?? '', /^tls-server-name in the kubeconfig .* may be any of these: kubernetes\.example/);
      } finally {
        await api.close();
      }
    }
  });

  it('expired certificate', async () => {
    const api = await startLoopbackApi((_request, response) => sendJson(response, 200, {}), { tls: { notAfter: new Date('2026-01-01T00:00:00Z') } });
    try {
      const error = await failureOf(api.url, api.ca);
      const [sentence = '', dates = ''] = error.message.split(/: (?=current time )/);
      assert.equal(sentence, 'Unable to connect to the server: tls: failed to verify certificate: x509: certificate has expired or is not yet valid');
      // Bun keeps no certificate of a handshake that failed.
      if (process.versions['bun'] === undefined) assert.match(dates, /^current time \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ is after 2026-01-01T00:00:00Z$/);
      else assert.equal(dates, '');
      assert.equal(error.reason, 'UntrustedCertificate');
    } finally {
      await api.close();
    }
  });

  it('https to a server that speaks http', async () => {
    const api = await startLoopbackApi((_request, response) => sendJson(response, 200, {}), { tls: false });
    try {
      assert.equal((await failureOf(`https://127.0.0.1:${api.port}`, undefined, { insecureSkipVerify: true })).message, 'Unable to connect to the server: http: server gave HTTP response to HTTPS client');
    } finally {
      await api.close();
    }
  });
});

describe('networkError', () => {
  const connection = connectionTo({ url: 'https://api.example.com:6443', ca: undefined });
  const coded = (code: string, text = code): Error => Object.assign(new Error(text), { code });

  // Texts of Go's net and crypto/tls packages as kubectl prints them.
  for (const [error, text] of [
    [coded('ETIMEDOUT'), 'dial tcp api.example.com:6443: connect: connection timed out'],
    [coded('EHOSTUNREACH'), 'dial tcp api.example.com:6443: connect: no route to host'],
    [coded('ENETUNREACH'), 'dial tcp api.example.com:6443: connect: network is unreachable'],
    [coded('ECONNRESET', 'read ECONNRESET'), 'read tcp api.example.com:6443: connection reset by peer'],
    [coded('ECONNRESET', 'socket hang up'), 'EOF'],
    [coded('ENOTFOUND', 'getaddrinfo ENOTFOUND proxy.example'), 'dial tcp: lookup proxy.example: no such host'],
    [coded('ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'ssl/tls alert certificate required'), 'remote error: tls: certificate required'],
  ] as const) {
    it(`writes ${error.message} as ${text}`, () => {
      assert.equal(networkError(error, connection).message, `Unable to connect to the server: ${text}`);
    });
  }

  it('says what overflowed where the head of an answer is too long, and takes one of 100 KiB', async () => {
    const head = (bytes: number): string => `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${`X-Filler: ${'x'.repeat(1010)}\r\n`.repeat(bytes / 1024)}Content-Length: 15\r\n\r\n{"kind":"Node"}`;
    assert.deepEqual(await rawAnswer(head(100 * 1024)), { kind: 'Node' });
    const error = await errorOfRawAnswer(head(2 * 2 ** 20));
    assert.equal(error.message, 'Unable to connect to the server: net/http: server response headers exceeded 1048576 bytes; aborted');
    assert.match(error.suggestions[0] ?? '', /proxy/);
  });

  for (const [what, bytes, isTls] of [
    ['TLS', Buffer.from([0x15, 3, 1, 0, 2, 2, 70]), true],
    ['HTTP/0.9', '<html>hello</html>', false],
    ['a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n', false],
  ] as const) {
    it(`asks whether HTTPS is spoken ${isTls ? '' : 'not '}by a server that answers with ${what}`, async () => {
      const { message } = await errorOfRawAnswer(bytes, { ends: true });
      assert.match(message, /malformed HTTP response \(Parse Error: [^)]+\)/);
      assert.equal(message.endsWith('; does the server speak HTTPS?'), isTls);
    });
  }

  it('names some of the names of a certificate that has thousands', () => {
    const cert = { subjectaltname: Array.from({ length: 5000 }, (_, index) => `DNS:n${index}.example`).join(', ') };
    const error = networkError(Object.assign(new Error('x'), { code: 'ERR_TLS_CERT_ALTNAME_INVALID', cert }), connection);
    assert.ok(error.message.length + (error.suggestions[0] ?? '').length < 3000);
  });

  it('writes a limit in MiB as people do', () => {
    assert.equal(networkError(new BodyTooLargeError(512 * 2 ** 20 - 64), connection).message, 'the answer of the server api.example.com:6443 is larger than 512 MiB');
    assert.equal(networkError(new BodyTooLargeError(2 ** 20), connection).message, 'the answer of the server api.example.com:6443 is larger than 1 MiB');
  });

  it('names what was attempted and keeps errors that are made for people', () => {
    const attempt = { verb: 'list', resource: 'nodes' };
    const error = networkError(coded('ECONNRESET'), connection, attempt);
    assert.ok(error instanceof ClusterError);
    assert.deepEqual(error.attempt, attempt);
    assert.equal(networkError(error, connection), error);
  });

  it('keeps HOST:PORT as written', () => {
    assert.equal(authorityOf('https://10.0.0.1:443/path'), '10.0.0.1:443');
    assert.equal(authorityOf('https://[::1]:6443'), '[::1]:6443');
    assert.equal(authorityOf('http://user:secret@host'), 'host');
  });
});
