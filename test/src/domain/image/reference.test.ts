import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalImage, parseReference, placeholderIn, readReference, repositoryOf } from '../../../../src/domain/image/reference.ts';

const HEX = '0123456789abcdef'.repeat(4);

describe('image references', () => {
  for (const [image, domain, path, tag, digest] of [
    ['nginx', 'docker.io', 'library/nginx', null, null],
    ['nginx:1.27', 'docker.io', 'library/nginx', '1.27', null],
    ['microsoft/iis', 'docker.io', 'microsoft/iis', null, null],
    ['index.docker.io/nginx', 'docker.io', 'library/nginx', null, null],
    ['mcr.microsoft.com/windows/servercore:ltsc2022', 'mcr.microsoft.com', 'windows/servercore', 'ltsc2022', null],
    ['localhost/app', 'localhost', 'app', null, null],
    ['registry:5000/app:x', 'registry:5000', 'app', 'x', null],
    ['[fd00::1]:5000/app', '[fd00::1]:5000', 'app', null, null],
    [`app:1.2@sha256:${HEX}`, 'docker.io', 'library/app', '1.2', `sha256:${HEX}`],
    [`app@sha512:${HEX}${HEX}`, 'docker.io', 'library/app', null, `sha512:${HEX}${HEX}`],
    ['Team/app', 'Team', 'app', null, null],
    ['a__b/c---d', 'docker.io', 'a__b/c---d', null, null],
  ] as const) {
    it(`${image.slice(0, 60)} is ${domain}/${path}`, () => {
      assert.deepEqual(parseReference(image), { kind: 'reference', reference: { domain, path, tag, digest } });
    });
  }

  for (const [image, reason] of [
    ['', /empty/],
    [' nginx', /begins or ends with white space/],
    ['nginx latest', /holds white space/],
    ['Nginx', /capital letters/],
    ['mcr.microsoft.com/Windows/servercore', /"Windows\/servercore" has capital letters/],
    ['nginx:', /tag is empty/],
    ['nginx:-a', /"-a" is no tag/],
    [`nginx:${'t'.repeat(129)}`, /longer than 128/],
    ['nginx@sha256:abc', /is no digest/],
    [`nginx@sha256:${HEX}0`, /has 65 digits, sha256 has 64/],
    [`nginx@md5:${HEX.slice(0, 32)}`, /no digest algorithm that containerd knows/],
    [`nginx@sha256:${HEX.toUpperCase()}`, /capital letters/],
    [HEX, /identifier/],
    ['a//b', /part of its repository is empty/],
    ['a..b', /"a\.\.b" is no part of a repository/],
    ['-bad.com/app', /"-bad.com" is no registry/],
    [`docker.io/${'x'.repeat(256)}`, /longer than 255/],
  ] as const) {
    it(`${JSON.stringify(image.slice(0, 40))} is refused: ${reason.source}`, () => {
      const parsed = parseReference(image);
      assert.match(parsed.kind === 'invalid' ? parsed.reason : parsed.kind, reason);
    });
  }

  it('a tag of 128 characters and a repository of 255 are the longest', () => {
    assert.equal(readReference(`a:${'t'.repeat(128)}`).kind, 'reference');
    assert.equal(readReference(`quay.io/${'x'.repeat(255)}`).kind, 'reference');
  });

  it('are accepted and split as by distribution\'s own parser (v0.6.0, whose answers were recorded)', () => {
    const answers = JSON.parse(readFileSync(join(import.meta.dirname, 'reference-answers.json'), 'utf8')) as readonly (readonly [string, readonly [string, string, string, string] | null])[];
    assert.ok(answers.length >= 400);
    for (const [image, expected] of answers) {
      const parsed = readReference(image);
      const actual = parsed.kind === 'reference' ? [parsed.reference.domain, parsed.reference.path, parsed.reference.tag ?? '', parsed.reference.digest ?? ''] : null;
      assert.deepEqual(actual, expected, image);
    }
  });

  it('name their repository in full', () => {
    const parsed = parseReference('nginx:1');
    assert.equal(parsed.kind === 'reference' ? repositoryOf(parsed.reference) : '', 'docker.io/library/nginx');
  });

  for (const [image, placeholder] of [
    ['${image_path}', '${image_path}'],
    ['repo/app:$TAG', '$TAG'],
    ['$(registry)/app', '$(registry)'],
    ['{{ .Values.image }}', '{{ .Values.image }}'],
    ['app:{{tag}}', '{{tag}}'],
    ['<%= image %>', '<%= image %>'],
    ['<image-name>', '<image-name>'],
    ['__acrName__.azurecr.io/win-webapp:__imageTag__', '__acrName__'],
    ['app:__image_tag__', '__image_tag__'],
    ['@@IMAGE@@', '@@IMAGE@@'],
    ['app:%VERSION%', '%VERSION%'],
    ['#{image}#', '#{image}#'],
    ['REPLACE_WITH_OPENSHIFT_TOOLS_IMAGE', 'REPLACE_WITH_OPENSHIFT_TOOLS_IMAGE'],
    ['YOUR_REGISTRY/app', 'YOUR_REGISTRY'],
    ['sigwindowstools/kube-proxy:KUBE_PROXY_VERSION-calico-hostprocess', 'KUBE_PROXY_VERSION'],
    ['quay.io/app:IMAGE_TAG', 'IMAGE_TAG'],
    ['CHANGEME', 'CHANGEME'],
  ] as const) {
    it(`${image} holds the placeholder ${placeholder}`, () => {
      assert.deepEqual(parseReference(image), { kind: 'placeholder', placeholder });
    });
  }

  for (const image of ['a__b/c', 'app:v1_2_3', 'app:20H2', 'app:1809-KB4551853', 'app:RELEASE_2024', `app@sha256:${HEX}`, '[fd00::1]:5000/app', 'app:v1-RC.1', 'Team/app:V1', 'x/y__z:t__u']) {
    it(`${image.slice(0, 40)} holds no placeholder`, () => assert.equal(placeholderIn(image), null));
  }

  it('have one spelling', () => {
    for (const spelling of ['nginx', 'nginx:latest', 'library/nginx', 'docker.io/nginx', 'index.docker.io/library/nginx:latest']) assert.equal(canonicalImage(spelling), 'docker.io/library/nginx:latest');
    assert.equal(canonicalImage(`nginx:1@sha256:${HEX}`), `docker.io/library/nginx@sha256:${HEX}`);
    assert.equal(canonicalImage('Nginx:1'), null);
  });

  it('end quickly on long and hostile text', () => {
    const started = performance.now();
    for (const text of ['a'.repeat(1e6), '__a'.repeat(3e5), '{{'.repeat(3e5), 'A_'.repeat(3e5), '$('.repeat(3e5), 'a/'.repeat(3e5), '<a'.repeat(3e5)]) parseReference(text);
    assert.ok(performance.now() - started < 1500);
  });
});
