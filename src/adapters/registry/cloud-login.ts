/** Registries of clouds, where `docker login` by itself has no password to offer. */

interface CloudRegistry {
  readonly host: RegExp;
  /** `groups`: what the host's pattern found. */
  readonly login: (host: string, groups: readonly (string | undefined)[]) => string;
}

const CLOUD_REGISTRIES: readonly CloudRegistry[] = [
  {
    // https://learn.microsoft.com/azure/container-registry/container-registry-authentication, read 2026-11-30. After a hyphen comes a label of the domain, no part of the name.
    host: /^([a-z0-9]+)(?:-[a-z0-9]+)?\.azurecr\.(?:io|cn|us)$/,
    login: (_host, [, name]) => `az acr login --name ${name}`,
  },
  {
    // https://docs.aws.amazon.com/AmazonECR/latest/userguide/registry_auth.html, read 2026-11-30
    host: /^\d+\.dkr\.ecr(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com(?:\.cn)?$/,
    login: (host, [, region]) => `aws ecr get-login-password --region ${region} | docker login --username AWS --password-stdin ${host}`,
  },
  {
    // https://docs.cloud.google.com/artifact-registry/docs/docker/authentication, read 2026-11-30
    host: /^(?:[a-z0-9-]+\.pkg\.dev|(?:[a-z0-9-]+\.)?gcr\.io)$/,
    login: (host) => `gcloud auth configure-docker ${host}`,
  },
];

/** The command that logs Docker in to a cloud's registry; null for another host. */
export function cloudLogin(host: string): string | null {
  for (const { host: pattern, login } of CLOUD_REGISTRIES) {
    const groups = pattern.exec(host.toLowerCase());
    if (groups !== null) return login(host.toLowerCase(), groups);
  }
  return null;
}
