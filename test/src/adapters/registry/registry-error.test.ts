import assert from 'node:assert/strict';
import { ConnectTimeoutError } from '../../../../src/adapters/http/agent.ts';
import type { Endpoint } from '../../../../src/adapters/http/endpoint.ts';
import { BodyCutError, BodyTooLargeError, DeadlineExceeded, networkError } from '../../../../src/adapters/http/network-error.ts';
import { fromNetworkError, registryError, RegistryError } from '../../../../src/adapters/registry/registry-error.ts';
import type { RegistryFailureReason } from '../../../../src/app/ports.ts';
import { ClusterError } from '../../../../src/errors.ts';

const ENDPOINT: Endpoint = {
  server: 'https://r.example', tls: { insecureSkipVerify: false }, disableCompression: true, contextName: null,
  credentials: { get: () => Promise.resolve({}), refresh: () => Promise.resolve(false) },
};
const withCode = (code: string, message = code): Error => Object.assign(new Error(message), { code });

describe('fromNetworkError', () => {
  const cases: readonly (readonly [error: Error, reason: RegistryFailureReason, message: string])[] = [
    [withCode('ECONNREFUSED'), 'Unreachable', 'r.example refused the connection'],
    [withCode('ENOTFOUND', 'getaddrinfo ENOTFOUND r.example'), 'Unreachable', 'r.example cannot be found: its name is not known here'],
    [withCode('EAI_AGAIN'), 'Unreachable', 'r.example cannot be found: name resolution fails at the moment'],
    [withCode('EHOSTUNREACH'), 'Unreachable', 'r.example cannot be reached: no route to it'],
    [withCode('ECONNRESET', 'socket hang up'), 'Unreachable', 'r.example broke the connection off'],
    [withCode('EPROTO', 'wrong version number'), 'Unreachable', 'r.example cannot be reached: http: server gave HTTP response to HTTPS client'],
    [withCode('SELF_SIGNED_CERT_IN_CHAIN'), 'UntrustedCertificate', 'r.example has a certificate that is not trusted: certificate signed by unknown authority'],
    [withCode('EWHATEVER', 'one\n two:\n'), 'Unreachable', 'r.example cannot be reached: one two'],
    [withCode('EWHATEVER', 'x'.repeat(300)), 'Unreachable', `r.example cannot be reached: ${'x'.repeat(199)}…`],
    [new ConnectTimeoutError('dial'), 'Unreachable', 'r.example did not take the connection in time'],
    [new ConnectTimeoutError('handshake'), 'Unreachable', 'r.example took the connection and did not begin TLS in time'],
    [withCode('HPE_HEADER_OVERFLOW'), 'Malformed', 'r.example sent more headers than any answer has'],
    [withCode('HPE_INVALID_CONSTANT', 'Parse Error: Expected HTTP/'), 'Malformed', 'r.example sent what is no answer of HTTP: malformed HTTP response (Parse Error: Expected HTTP/)'],
    [new DeadlineExceeded(0.001), 'Timeout', 'r.example gave no answer within 0.001 s'],
    [new DeadlineExceeded(15), 'Timeout', 'r.example gave no answer within 15 s'],
    [new BodyCutError(7, undefined), 'Malformed', 'r.example sent an answer that was cut off after 7 bytes'],
    [new BodyTooLargeError(8 * 2 ** 20), 'Malformed', 'r.example sent more than 8 MiB, which no manifest has'],
    [new ClusterError('unable to use the certificate authority of the kubeconfig: bad', { reason: 'BadConfiguration' }), 'BadConfiguration', 'r.example cannot be asked: unable to use the certificate authority: bad'],
    [new ClusterError('Unable to connect to the server: the proxy http://proxy.example refused the connection (403)', { reason: 'ProxyError' }), 'Unreachable', 'r.example cannot be reached: the proxy http://proxy.example refused the connection (403)'],
  ];
  for (const [error, reason, message] of cases) {
    it(`says "${message}"`, () => {
      const failure = fromNetworkError({ registry: 'r.example', asked: 'r.example' }, networkError(error, ENDPOINT));
      assert.ok(failure instanceof RegistryError);
      assert.equal(failure.failure.message, message);
      assert.equal(failure.failure.reason, reason);
      assert.equal(failure.failure.registry, 'r.example');
      assert.doesNotMatch(JSON.stringify(failure.failure), /kubeconfig|kubectl config/);
    });
  }

  it('names a mirror together with the registry', () => {
    const failure = fromNetworkError({ registry: 'docker.io', asked: 'cache.corp' }, networkError(withCode('ECONNREFUSED'), ENDPOINT));
    assert.ok(failure instanceof RegistryError);
    assert.equal(failure.failure.message, 'cache.corp for docker.io refused the connection');
  });

  it('is one line of a bounded length, whatever a server wrote', () => {
    const { failure, problem, message } = registryError({ registry: 'r.example', asked: `${'a'.repeat(50_000)}\u202e` }, 'Malformed', `sent \u009b2J${'x'.repeat(50_000)}`, [`a\nb${'y'.repeat(50_000)}`]);
    for (const text of [failure.message, message, problem, ...failure.suggestions]) {
      assert.ok(text.length <= 2000);
      assert.doesNotMatch(text, /[\p{Cc}\p{Cf}]/u);
    }
    assert.match(message, /^a{199}… for r\.example sent 2Jx/);
  });

  it('leaves other errors as they are', () => {
    const error = new Error('a bug');
    assert.equal(fromNetworkError({ registry: 'r.example', asked: 'r.example' }, error), error);
  });
});
