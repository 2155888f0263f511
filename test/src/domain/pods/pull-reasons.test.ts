import assert from 'node:assert/strict';
import { explainPullFailure, isMereBackOff } from '../../../../src/domain/pods/pull-reasons.ts';
import { remedyOf } from '../../../../src/domain/prepull/remedies.ts';

/** Texts of kubelets and containerd: reason of the container, its text, what is made of it, whether another attempt may go better. */
const TEXTS: readonly (readonly [reason: string, message: string, made: string, isPassing: boolean])[] = [
  ['ErrImagePull', 'rpc error: code = NotFound desc = failed to pull and unpack image "mcr.microsoft.com/windows/nanoserver:1809": no match for platform in manifest: not found', 'NoMatchForPlatform', false],
  ['ErrImagePull', 'no matching manifest for windows/amd64 10.0.20348 in the manifest list entries', 'NoMatchForPlatform', false],
  ['ErrImagePull', 'hcsshim::CreateComputeSystem: The container operating system does not match the host operating system. (0xc0370101)', 'OsMismatch', false],
  ['ErrImagePull', 'failed to copy: httpReadSeeker: failed open: unexpected status code https://registry-1.docker.io/v2/library/golang/manifests/sha256:aa: 429 Too Many Requests - Server message: toomanyrequests: You have reached your pull rate limit.', 'TooManyRequests', true],
  ['ErrImagePull', 'unexpected status from HEAD request to https://r.example/v2/x/manifests/1: 429 Too Many Requests', 'TooManyRequests', true],
  ['ErrImagePull', 'pull QPS exceeded', 'NodeBusy', true],
  ['ErrImagePull', 'failed to extract layer sha256:aa: hcsshim::ImportLayer failed in Win32: There is not enough space on the disk. (0x70)', 'DiskFull', false],
  ['ErrImagePull', 'write /var/lib/containerd/x: no space left on device', 'DiskFull', false],
  ['ErrImagePull', 'failed to authorize: failed to fetch anonymous token: unexpected status from GET request to https://r.example/token: 401 Unauthorized', 'Unauthorized', false],
  ['ErrImagePull', 'unexpected status code https://r.example/v2/x/manifests/1: 403 Forbidden', 'Unauthorized', false],
  ['ErrImagePull', 'pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed', 'Unauthorized', false],
  ['ErrImagePull', 'failed to resolve reference "r.example/x:1": r.example/x:1: not found', 'NotFound', false],
  ['ErrImagePull', 'manifest unknown: manifest tagged by "9" is not found', 'NotFound', false],
  ['ErrImagePull', 'failed to do request: Head "https://r.example/v2/x": tls: failed to verify certificate: x509: certificate signed by unknown authority', 'UntrustedCertificate', false],
  ['ErrImagePull', 'http: server gave HTTP response to HTTPS client', 'UntrustedCertificate', false],
  ['ErrImagePull', 'failed to do request: Head "https://r.example/v2/x": dial tcp: lookup r.example: no such host', 'RegistryUnreachable', true],
  ['ErrImagePull', 'dial tcp 10.0.0.9:443: connectex: No connection could be made because the target machine actively refused it.', 'RegistryUnreachable', true],
  ['ErrImagePull', 'net/http: TLS handshake timeout', 'RegistryUnreachable', true],
  ['ErrImagePull', 'unexpected status code https://r.example/v2/x: 503 Service Unavailable', 'RegistryUnreachable', true],
  ['ErrImagePull', 'rpc error: code = DeadlineExceeded desc = context deadline exceeded', 'Timeout', true],
  ['ErrImagePull', 'rpc error: code = Canceled desc = context canceled', 'Canceled', true],
  ['ErrImagePull', 'failed to pull and unpack image "x:1": failed to copy: context canceled', 'Canceled', true],
  ['ErrImagePull', 'something new', 'PullFailed', true],
  ['ImagePullBackOff', 'Back-off pulling image "x": ErrImagePull: failed to resolve reference "x": x: not found', 'NotFound', false],
  ['ImagePullBackOff', '', 'PullFailed', true],
  ['ErrImageNeverPull', 'Container image "x" is not present with pull policy of Never', 'NeverPull', false],
  ['InvalidImageName', 'Failed to apply default image tag "X": couldn\'t parse image name', 'InvalidImageName', false],
  ['SignatureValidationFailed', 'x', 'UntrustedSignature', false],
  ['RegistryUnavailable', 'x', 'RegistryUnreachable', true],
  // What is only a name says nothing.
  ['ErrImagePull', 'failed to pull and unpack image "r.example/app:429": failed to resolve reference "r.example/app:429": r.example/app:429: not found', 'NotFound', false],
  ['ErrImagePull', 'failed to resolve reference "r.example/unauthorized/x509:1": r.example/unauthorized/x509:1: not found', 'NotFound', false],
  ['ErrImagePull', 'failed to do request: Head "https://r.example:401/v2/x/manifests/404": dial tcp 10.0.0.9:401: i/o timeout', 'RegistryUnreachable', true],
  ['toString', 'x', 'PullFailed', true],
];

describe('why a pull fails', () => {
  for (const [reason, message, made, isPassing] of TEXTS) {
    it(`${reason} ${JSON.stringify(message.slice(0, 90))} is ${made}`, () => {
      const failure = explainPullFailure(reason, message);
      assert.deepEqual([failure.reason, failure.isPassing], [made, isPassing]);
      assert.match(remedyOf(failure.reason) ?? '', /^[A-Z].*\.$/);
      assert.doesNotMatch(failure.happened, /^[A-Z]|\.$/);
    });
  }

  it('R144: a pull that the runtime of the node cancels names the settings of the node, and not --timeout', () => {
    const canceled = explainPullFailure('ErrImagePull', 'rpc error: code = Canceled desc = context canceled');
    assert.match(canceled.happened, /the node gave the pull up.*image_pull_progress_timeout of containerd, image-pull-progress-deadline of cri-dockerd/);
    assert.doesNotMatch(`${canceled.happened} ${remedyOf(canceled.reason)}`, /--timeout/);
    assert.match(explainPullFailure('ErrImagePull', 'context deadline exceeded').happened, /took too long/);
  });

  it('reads the beginning of a text, whose end may be megabytes away', () => {
    const LIMIT = '429 Too Many Requests';
    assert.deepEqual([`${'x'.repeat(3_900)} ${LIMIT}`, `${'x'.repeat(4_100)} ${LIMIT}`].map((text) => explainPullFailure('ErrImagePull', text).reason), ['TooManyRequests', 'PullFailed']);
    // of patterns that look back and forth each of these would take for ever
    for (const text of ['insufficient '.repeat(400_000), '"'.repeat(3_000_000), '"aaaa" '.repeat(300_000), `insufficient${'x'.repeat(5_000_000)}`]) assert.equal(explainPullFailure('ErrImagePull', text).reason, 'PullFailed');
  });

  it('knows a back-off that does not say why', () => {
    assert.deepEqual([['ImagePullBackOff', 'Back-off pulling image "a:1"'], ['ImagePullBackOff', ''], ['ImagePullBackOff', 'Back-off pulling image "a:1": ErrImagePull: x'], ['ErrImagePull', '']].map(([reason = '', message = '']) => isMereBackOff(reason, message)), [true, true, false, false]);
  });
});
