import assert from 'node:assert/strict';
import { createAuthority } from '../../../../cluster/certificates.ts';
import type { Identity } from '../../../../cluster/certificates.ts';
import { credentialsOf } from '../../../../../src/adapters/kube/auth/credentials.ts';
import type { ExecConfig, KubeconfigUser } from '../../../../../src/adapters/kube/config/kubeconfig.ts';
import type { CredentialSource } from '../../../../../src/adapters/kube/connection.ts';
import { workplace } from '../config/workplace.ts';
import type { Workplace } from '../config/workplace.ts';

describe('credentialsOf', () => {
  let place: Workplace;
  let me: Identity;
  let renewed: Identity;
  let exec: ExecConfig;

  before(async () => {
    const authority = await createAuthority();
    me = await authority.issue({ commonName: 'me' });
    renewed = await authority.issue({ commonName: 'me' });
  });
  beforeEach(() => {
    place = workplace();
    const credential = { kind: 'ExecCredential', apiVersion: 'client.authentication.k8s.io/v1', status: { token: 'plugin' } };
    const command = place.write('plugin', `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`, 0o755);
    exec = { apiVersion: credential.apiVersion, command, args: [], env: [], installHint: '', provideClusterInfo: false, interactiveMode: 'Never' };
  });
  afterEach(() => place.close());

  function open(user: Partial<KubeconfigUser>): Promise<CredentialSource> {
    return credentialsOf({
      user: { name: 'u', impersonateGroups: [], impersonateExtra: {}, origin: 'config', ...user },
      cluster: { name: 'c', server: 'https://h', skipTLSVerify: false, disableCompression: false, origin: 'config' },
      ca: undefined,
      environment: place.environment(),
      kuberc: undefined,
    });
  }
  const certificate = (): Partial<KubeconfigUser> => ({ certData: Buffer.from(me.cert).toString('base64'), keyData: Buffer.from(me.key).toString('base64') });
  const pair = (): unknown => ({ cert: me.cert, key: me.key });

  it('is nobody when the user says nothing', async () => {
    assert.deepEqual(await (await open({})).get(), {});
    assert.equal(await (await open({ password: 'alone' })).refresh(), false);
  });

  it('takes the first of tokenFile, token, user name and credential plugin for the header', async () => {
    const tokenFile = place.write('token', 'file');
    const oidc = { name: 'oidc', config: { 'idp-issuer-url': 'https://127.0.0.1:1', 'client-id': 'i' } };
    const header = async (user: Partial<KubeconfigUser>): Promise<unknown> => (await (await open(user)).get()).authorization;
    assert.equal(await header({ tokenFile, token: 'inline', exec }), 'Bearer file');
    assert.equal(await header({ token: 'inline', exec }), 'Bearer inline');
    assert.equal(await header({ username: 'joe', password: 'pw', exec }), `Basic ${Buffer.from('joe:pw').toString('base64')}`);
    assert.equal(await header({ exec }), 'Bearer plugin');
    assert.equal(await header({ token: 'inline', authProvider: oidc }), 'Bearer inline');
  });

  it('sends a certificate together with a token, as one object while neither changes', async () => {
    const source = await open({ ...certificate(), token: 't' });
    const credentials = await source.get();
    assert.deepEqual(credentials, { authorization: 'Bearer t', clientCertificate: pair() });
    assert.equal(await source.get(), credentials);
  });

  it('runs a credential plugin once for several contexts with the same user, unless it is told the cluster', async () => {
    const credential = JSON.stringify({ kind: 'ExecCredential', apiVersion: exec.apiVersion, status: { token: 'tRUN' } });
    const command = place.write('counting', `#!/bin/sh\necho run >> ${place.folder}/runs\necho '${credential}' | sed "s/RUN/$(wc -l < ${place.folder}/runs | tr -d ' ')/"\n`, 0o755);
    const variables = { PATH: process.env['PATH'] };
    const openFor = (server: string, provideClusterInfo: boolean): Promise<CredentialSource> => credentialsOf({
      user: { name: 'u', impersonateGroups: [], impersonateExtra: {}, origin: 'config', exec: { ...exec, command, provideClusterInfo } },
      cluster: { name: server, server, skipTLSVerify: false, disableCompression: false, origin: 'config' },
      ca: undefined,
      environment: place.environment({ variables }),
      kuberc: undefined,
    });
    const tokens = async (provideClusterInfo: boolean): Promise<readonly unknown[]> => {
      const sources = await Promise.all([openFor('https://east', provideClusterInfo), openFor('https://west', provideClusterInfo), openFor('https://east', provideClusterInfo)]);
      const all: unknown[] = [];
      for (const source of sources) all.push((await source.get()).authorization);
      return all;
    };
    assert.deepEqual(await tokens(false), ['Bearer t1', 'Bearer t1', 'Bearer t1']);
    assert.deepEqual(await tokens(true), ['Bearer t2', 'Bearer t3', 'Bearer t2']);
  });

  it('spends a refresh-token once for several contexts with the same user', async () => {
    const variables = {};
    const authProvider = { name: 'oidc', config: { 'idp-issuer-url': 'https://127.0.0.1:1', 'client-id': 'i', 'refresh-token': 'r' } };
    const openFor = (name: string): Promise<CredentialSource> => credentialsOf({
      user: { name, impersonateGroups: [], impersonateExtra: {}, origin: 'config', authProvider },
      cluster: { name: 'c', server: 'https://h', skipTLSVerify: false, disableCompression: false, origin: 'config' },
      ca: undefined,
      environment: place.environment({ variables }),
      kuberc: undefined,
    });
    assert.equal(await openFor('u'), await openFor('u'));
    assert.notEqual(await openFor('u'), await openFor('another'));
  });

  it('runs no credential plugin beside a certificate', async () => {
    assert.deepEqual(await (await open({ ...certificate(), exec })).get(), { clientCertificate: pair() });
  });

  it('reads certificate files again after a 401, and says whether they have changed', async () => {
    const certFile = place.write('me.crt', me.cert);
    const keyFile = place.write('me.key', me.key);
    const source = await open({ certFile, keyFile });
    assert.equal(await source.refresh(), false);
    place.write('me.crt', renewed.cert);
    place.write('me.key', renewed.key);
    assert.equal(await source.refresh(), true);
    assert.deepEqual(await source.get(), { clientCertificate: { cert: renewed.cert, key: renewed.key } });
  });

  it('tells each part what of its own was refused', async () => {
    const certFile = place.write('me.crt', me.cert);
    const keyFile = place.write('me.key', me.key);
    const tokenFile = place.write('token', 'first');
    const source = await open({ certFile, keyFile, tokenFile });
    const old = await source.get();
    place.write('me.crt', renewed.cert);
    place.write('me.key', renewed.key);
    place.write('token', 'second');
    assert.equal(await source.refresh(undefined, old), true);
    const fresh = { authorization: 'Bearer second', clientCertificate: { cert: renewed.cert, key: renewed.key } };
    assert.deepEqual(await source.get(), fresh);
    // Neither file is read for a late refusal of the old ones.
    for (const name of ['me.crt', 'me.key', 'token']) place.write(name, 'spoilt');
    assert.equal(await source.refresh(undefined, old), true);
    assert.deepEqual(await source.get(), fresh);
  });

  it('has nothing better after a 401 when the certificate stands in the kubeconfig', async () => {
    assert.equal(await (await open({ ...certificate(), token: 't' })).refresh(), false);
  });
});
