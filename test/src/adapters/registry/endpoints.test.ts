import assert from 'node:assert/strict';
import { endpointsOf, hostFor, isLoopback, type AllSettings } from '../../../../src/adapters/registry/endpoints.ts';

describe('hostFor', () => {
  const cases: readonly (readonly [name: string, settings: AllSettings, authority: string, scheme: string, insecure: boolean])[] = [
    ['registry.example', {}, 'registry.example', 'https', false],
    ['registry.example:5000', {}, 'registry.example:5000', 'https', false],
    ['registry.example:80', {}, 'registry.example:80', 'https', false],
    ['docker.io', {}, 'registry-1.docker.io', 'https', false],
    ['localhost', {}, 'localhost', 'https', true],
    ['localhost:443', {}, 'localhost:443', 'https', true],
    ['localhost:80', {}, 'localhost:80', 'http', true],
    ['localhost:5000', {}, 'localhost:5000', 'either', true],
    ['LOCALHOST:5000', {}, 'LOCALHOST:5000', 'either', true],
    ['127.8.9.10:5000', {}, '127.8.9.10:5000', 'either', true],
    ['[::1]:5000', {}, '[::1]:5000', 'either', true],
    ['[::1]', {}, '[::1]', 'https', true],
    ['localhost:5000', { 'localhost:5000': { certificateAuthority: 'ca.pem' } }, 'localhost:5000', 'either', false],
    ['localhost:5000', { 'localhost:5000': { insecureSkipTLSVerify: false } }, 'localhost:5000', 'either', false],
    ['registry.example', { 'registry.example': { plainHTTP: true } }, 'registry.example', 'http', false],
    ['registry.example', { 'registry.example': { insecureSkipTLSVerify: true } }, 'registry.example', 'https', true],
    ['registry.example', { 'registry.example:5000': { plainHTTP: true } }, 'registry.example', 'https', false],
    ['docker.io', { 'index.docker.io': { insecureSkipTLSVerify: true } }, 'registry-1.docker.io', 'https', true],
  ];
  for (const [name, settings, authority, scheme, insecure] of cases) {
    it(`${name} with ${JSON.stringify(settings)} is ${scheme}://${authority}${insecure ? ', not verified' : ''}`, () => {
      const host = hostFor(name, settings);
      assert.deepEqual([host.authority, host.scheme, host.insecureSkipVerify], [authority, scheme, insecure]);
    });
  }
});

describe('endpointsOf', () => {
  const shown = (registry: string, settings: AllSettings): readonly string[] =>
    endpointsOf(registry, settings).endpoints.map(({ host, pathPrefix, query, isMirror }) => `${host.scheme} ${host.authority}/${pathPrefix}${query}${isMirror ? ' mirror' : ''}`);

  it('is the registry alone where nothing is configured', () => assert.deepEqual(shown('quay.io', {}), ['https quay.io/']));

  it('has mirrors in their order before it, with the query that tells them apart', () => {
    assert.deepEqual(shown('docker.io', { 'docker.io': { mirrors: ['harbor.corp/dockerhub', 'http://cache.corp:5000', 'https://registry-1.docker.io', 'mirror.corp/v2/hub/'] } }), [
      'https harbor.corp/dockerhub/?ns=docker.io mirror', 'http cache.corp:5000/?ns=docker.io mirror', 'https registry-1.docker.io/ mirror', 'https mirror.corp/hub/?ns=docker.io mirror', 'https registry-1.docker.io/',
    ]);
  });

  it('takes what is configured of the mirror itself', () => {
    assert.deepEqual(shown('quay.io', { 'quay.io': { mirrors: ['cache.corp'] }, 'cache.corp': { plainHTTP: true } }), ['http cache.corp/?ns=quay.io mirror', 'https quay.io/']);
  });

  it('leaves out what is no address, and says so', () => {
    const { endpoints, notes } = endpointsOf('quay.io', { 'quay.io': { mirrors: ['', 'ftp://x', 'a b'] } });
    assert.equal(endpoints.length, 1);
    assert.deepEqual(notes, ['""', '"ftp://x"', '"a b"'].map((mirror) => `the mirror ${mirror} of quay.io was left out: write it as HOST[:PORT][/PREFIX]`));
  });
});

describe('isLoopback', () => {
  for (const [name, expected] of [['localhost', true], ['localhost:5000', true], ['LOCALHOST:5000', true], ['127.0.0.1', true], ['127.1.2.3:1', true], ['[::1]:5000', true], ['10.0.0.1', false], ['localhost.example', false], ['128.0.0.1', false]] as const) {
    it(`${name}: ${expected}`, () => assert.equal(isLoopback(name), expected));
  }
});
