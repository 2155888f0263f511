import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pluginPolicy } from '../../../../../src/adapters/kube/config/kuberc.ts';
import { InputError, UsageError } from '../../../../../src/errors.ts';
import { workplace } from './workplace.ts';
import type { Workplace } from './workplace.ts';

const preference = (policy: string, version = 'v1beta1'): string => `apiVersion: kubectl.config.k8s.io/${version}\nkind: Preference\ncredentialPluginPolicy: ${policy}\n`;
const NONE = { type: '', allowlist: null };

describe('pluginPolicy', () => {
  let place: Workplace;
  beforeEach(() => {
    place = workplace();
  });
  afterEach(() => place.close());

  it('reads --kuberc before KUBERC before ~/.kube/kuberc', async () => {
    place.write('home/.kube/kuberc', preference('AllowAll'));
    const variable = place.write('variable', preference('DenyAll'));
    const flag = place.write('flag', `${preference('Allowlist')}credentialPluginAllowlist: [{command: aws}]\n`);
    const environment = place.environment({ variables: { KUBERC: variable } });
    assert.deepEqual(await pluginPolicy(undefined, place.environment()), { type: 'AllowAll', allowlist: null });
    assert.deepEqual(await pluginPolicy(undefined, environment), { type: 'DenyAll', allowlist: null });
    assert.deepEqual(await pluginPolicy(flag, environment), { type: 'Allowlist', allowlist: ['aws'] });
  });

  for (const [title, text] of [['is missing', null], ['is empty', ' \n'], ['holds comments', '# nothing\n'], ['is of v1alpha1, which knows no policy', preference('DenyAll', 'v1alpha1')]] as const) {
    it(`has none when the default file ${title}`, async () => {
      if (text !== null) place.write('home/.kube/kuberc', text);
      assert.deepEqual(await pluginPolicy(undefined, place.environment()), NONE);
      assert.deepEqual(place.warnings, []);
    });
  }

  it('takes the first document that is a Preference', async () => {
    const file = place.write('several', `kind: Other\n---\n${preference('DenyAll')}---\n${preference('AllowAll')}`);
    assert.equal((await pluginPolicy(file, place.environment())).type, 'DenyAll');
  });

  for (const [title, text, problem] of [
    ['is not YAML', 'a: [\n', /is not valid YAML/],
    ['has no Preference', 'kind: Pod\n', /no valid preferences found$/],
    ['has a policy that is no text', preference('[DenyAll]'), /no valid preferences found$/],
    ['has a list of another form', `${preference('Allowlist')}credentialPluginAllowlist: aws\n`, /no valid preferences found$/],
  ] as const) {
    it(`refuses a named file that ${title}; of the default file it warns`, async () => {
      const file = place.write('named', text);
      await assert.rejects(pluginPolicy(file, place.environment()), (error: unknown) => error instanceof InputError && problem.test(error.message) && error.file === file);
      place.write('home/.kube/kuberc', text);
      assert.deepEqual(await pluginPolicy(undefined, place.environment()), NONE);
      assert.match(place.warnings.join(), problem);
      assert.match(place.warnings.join(), /^kuberc: no preferences loaded from /);
    });
  }

  it('refuses a named file that is missing', async () => {
    const file = join(place.folder, 'nowhere');
    await assert.rejects(pluginPolicy(undefined, place.environment({ variables: { KUBERC: file } })), /kuberc: open .*nowhere: no such file or directory$/);
  });

  it('is off by KUBERC=off, which does not go with --kuberc', async () => {
    const environment = place.environment({ variables: { KUBERC: 'off' } });
    place.write('home/.kube/kuberc', preference('DenyAll'));
    assert.deepEqual(await pluginPolicy(undefined, environment), NONE);
    await assert.rejects(pluginPolicy('file', environment), UsageError);
  });
});
