import assert from 'node:assert/strict';
import { cloudLogin } from '../../../../src/adapters/registry/cloud-login.ts';

describe('cloudLogin', () => {
  const ecr = '123456789012.dkr.ecr.eu-central-1.amazonaws.com';
  const cases: readonly (readonly [host: string, command: string | null])[] = [
    ['shop.azurecr.io', 'az acr login --name shop'],
    ['Shop.azurecr.io', 'az acr login --name shop'],
    ['shop-e3f2a1.azurecr.io', 'az acr login --name shop'],
    ['shop.azurecr.cn', 'az acr login --name shop'],
    ['shop.westeurope.data.azurecr.io', null],
    ['azurecr.io', null],
    ['shop.azurecr.io.example', null],
    [ecr, `aws ecr get-login-password --region eu-central-1 | docker login --username AWS --password-stdin ${ecr}`],
    ['1.dkr.ecr-fips.us-gov-west-1.amazonaws.com', 'aws ecr get-login-password --region us-gov-west-1 | docker login --username AWS --password-stdin 1.dkr.ecr-fips.us-gov-west-1.amazonaws.com'],
    ['1.dkr.ecr.cn-north-1.amazonaws.com.cn', 'aws ecr get-login-password --region cn-north-1 | docker login --username AWS --password-stdin 1.dkr.ecr.cn-north-1.amazonaws.com.cn'],
    ['public.ecr.aws', null],
    ['europe-west3-docker.pkg.dev', 'gcloud auth configure-docker europe-west3-docker.pkg.dev'],
    ['gcr.io', 'gcloud auth configure-docker gcr.io'],
    ['eu.gcr.io', 'gcloud auth configure-docker eu.gcr.io'],
    ['notgcr.io', null],
    ['docker.io', null],
    ['registry.example:5000', null],
  ];
  for (const [host, command] of cases) {
    it(`${command ?? 'has no command'} for ${host}`, () => assert.equal(cloudLogin(host), command));
  }
});
