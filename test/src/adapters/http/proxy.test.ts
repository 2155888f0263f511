import assert from 'node:assert/strict';
import { isProxied, proxyFor, withoutPassword } from '../../../../src/adapters/http/proxy.ts';
import { ClusterError } from '../../../../src/errors.ts';

describe('proxyFor', () => {
  const https = new URL('https://api.example.com:6443');

  it('takes HTTPS_PROXY for https and HTTP_PROXY for http servers, upper case before lower', () => {
    const env = { HTTPS_PROXY: 'http://one:3128', https_proxy: 'http://two:3128', http_proxy: 'http://three:3128' };
    assert.equal(proxyFor(https, undefined, env)?.href, 'http://one:3128/');
    assert.equal(proxyFor(new URL('http://api.example.com'), undefined, env)?.href, 'http://three:3128/');
    assert.equal(proxyFor(https, undefined, { HTTP_PROXY: 'http://three:3128' }), null);
  });

  it('lets proxy-url win over the environment and over NO_PROXY, also for loopback', () => {
    assert.equal(proxyFor(https, 'socks5://jump:1080', { HTTPS_PROXY: 'http://one:3128', NO_PROXY: '*' })?.href, 'socks5://jump:1080');
    assert.equal(proxyFor(new URL('https://127.0.0.1:6443'), 'http://jump:1', {})?.host, 'jump:1');
  });

  it('reads an address without scheme as http, and an empty one as none', () => {
    assert.equal(proxyFor(https, undefined, { HTTPS_PROXY: 'proxy.example:3128' })?.href, 'http://proxy.example:3128/');
    assert.equal(proxyFor(https, '', { HTTPS_PROXY: '', https_proxy: '' }), null);
  });

  it('refuses other schemes and broken addresses without printing the password', () => {
    for (const [address, message] of [
      ['ftp://u:secret@proxy.example', 'unsupported scheme "ftp" of the proxy ftp://proxy.example (HTTPS_PROXY), must be http, https, or socks5'],
      ['http://u:secret@', 'invalid proxy address "http://" (HTTPS_PROXY)'],
    ] as const) {
      assert.throws(() => proxyFor(https, undefined, { HTTPS_PROXY: address }), (error) => error instanceof ClusterError && error.reason === 'BadConfiguration' && error.message === message);
    }
  });

  it('shows an address without its user', () => {
    assert.equal(withoutPassword('http://user:p%40ss@proxy:3128/'), 'http://proxy:3128/');
    assert.equal(withoutPassword('http://proxy:3128/'), 'http://proxy:3128/');
    assert.equal(withoutPassword('http://user:p/a@s\ns@proxy:3128/'), 'http://proxy:3128/');
    assert.equal(withoutPassword('user:pass@proxy :1'), 'proxy :1');
  });
});

// Expectations follow https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config.ProxyFunc, read 2026-11-30.
describe('NO_PROXY (#10)', () => {
  const table: readonly (readonly [noProxy: string, host: string, port: string, proxied: boolean])[] = [
    ['', 'api.example.com', '443', true],
    ['', 'localhost', '6443', false],
    ['', '127.8.9.1', '6443', false],
    ['', '::1', '6443', false],
    ['*', 'api.example.com', '443', false],
    ['foo, * ', 'api.example.com', '443', false],
    ['example.com', 'example.com', '443', false],
    ['example.com', 'api.example.com', '443', false],
    ['example.com', 'notexample.com', '443', true],
    ['.example.com', 'api.example.com', '443', false],
    ['.example.com', 'example.com', '443', true],
    ['*.example.com', 'api.example.com', '443', false],
    ['*.example.com', 'example.com', '443', true],
    ['EXAMPLE.com', 'Api.Example.COM', '443', false],
    ['example.com', 'api.example.com.', '443', false],
    ['example.com:6443', 'api.example.com', '6443', false],
    ['example.com:6443', 'api.example.com', '443', true],
    [':6443', 'api.example.com', '6443', true],
    ['10.0.0.0/8', '10.200.3.4', '6443', false],
    ['10.0.0.0/8', '11.0.0.1', '6443', true],
    ['10.0.0.0/8', 'ten.example.com', '6443', true],
    ['10.0.0.0/33', '10.0.0.1', '6443', true],
    ['192.168.1.7', '192.168.1.7', '6443', false],
    ['192.168.1.7', '192.168.1.70', '6443', true],
    ['192.168.1.7:443', '192.168.1.7', '6443', true],
    ['192.168.1.7:6443', '192.168.1.7', '6443', false],
    ['fd00::/8', 'fd12::1', '6443', false],
    ['[fd12::1]:6443', 'fd12::1', '6443', false],
    ['fd12::1', 'fd12:0::1', '6443', false],
    ['fd00::/8', 'fe80::1', '6443', true],
    ['172.16.0.0/12,10.0.0.0/8 ,svc.cluster.local', 'kubernetes.default.svc.cluster.local', '443', false],
  ];
  for (const [noProxy, host, port, proxied] of table) {
    it(`${JSON.stringify(noProxy)}: ${host}:${port} goes ${proxied ? 'through the proxy' : 'directly'}`, () => {
      assert.equal(isProxied(host, port, noProxy), proxied);
    });
  }
});
