/** What is known of an image by its repository alone. */
import { repositoryOf, type ImageReference } from './reference.ts';

export interface KnownRepository {
  /** OS of every image in it; null where it holds both. */
  readonly os: 'windows' | 'linux' | null;
  /** Whether its tags that name a build, without an architecture, are indexes; null where that is not known. */
  readonly isIndex: boolean | null;
  /** Whether it is one of Microsoft's base images, tagged by release alone. */
  readonly isWindowsBase: boolean;
}

/**
 * Repositories with images of Windows alone. The base images are published as indexes of one build each: the answer for
 * windows/nanoserver:ltsc2022 stands in https://github.com/docker-library/official-images/pull/13874; nodes of AKS list
 * an index digest and another one of its manifest for each of them
 * (https://github.com/Azure/AgentBaker/tree/master/vhdbuilder/release-notes/AKSWindows). Read 2026-11-30.
 */
const WINDOWS_REPOSITORIES: readonly { readonly pattern: RegExp; readonly known: KnownRepository }[] = [
  { pattern: /^mcr\.microsoft\.com\/windows(?:\/(?:servercore|nanoserver|server|insider)|\/(?:servercore|nanoserver|server)\/insider)?$/, known: { os: 'windows', isIndex: true, isWindowsBase: true } },
  { pattern: /^mcr\.microsoft\.com\/windows\/servercore\/iis$/, known: { os: 'windows', isIndex: true, isWindowsBase: false } },
  { pattern: /^mcr\.microsoft\.com\/dotnet\/framework\/(?:aspnet|runtime|sdk|wcf|samples)$/, known: { os: 'windows', isIndex: null, isWindowsBase: false } },
  // Its Windows tags are lists: https://github.com/prometheus-community/windows_exporter/issues/1189, read 2026-11-30.
  { pattern: /^mcr\.microsoft\.com\/powershell$/, known: { os: null, isIndex: true, isWindowsBase: false } },
  { pattern: /^docker\.io\/microsoft\/(?:windowsservercore|nanoserver|windowsservercore-insider|nanoserver-insider|windows)$/, known: { os: 'windows', isIndex: null, isWindowsBase: true } },
  { pattern: /^docker\.io\/microsoft\/(?:iis|aspnet|wcf|dotnet-framework|dotnet-framework-build|dotnet-framework-samples|mssql-server-windows(?:-developer|-express)?)$/, known: { os: 'windows', isIndex: null, isWindowsBase: false } },
  // The Windows half of images that are published twice, by its own makers' naming.
  { pattern: /^(?:docker\.io\/antrea|.*\/antrea)\/antrea-windows$/, known: { os: 'windows', isIndex: null, isWindowsBase: false } },
];

/**
 * Official images without any Windows variant: no `windows-amd64` among the architectures of their file in
 * https://github.com/docker-library/official-images/tree/37079fb336f572a88700cf32e5e1f6be54a04e8f/library, read 2026-11-30.
 */
const LINUX_OFFICIAL_IMAGES: ReadonlySet<string> = new Set([
  'almalinux', 'alpine', 'amazonlinux', 'archlinux', 'bash', 'buildpack-deps', 'busybox', 'debian', 'fedora', 'haproxy', 'httpd', 'mariadb', 'memcached', 'mysql',
  'nginx', 'node', 'perl', 'php', 'postgres', 'rabbitmq', 'redis', 'rockylinux', 'ruby', 'ubuntu', 'wordpress',
]);

/**
 * Microsoft's images under the name of a mirror: caches and copies keep the repository's path, some behind a project or the
 * registry's name (`harbor.example/mcr/windows/servercore`, `example.azurecr.io/mcr.microsoft.com/dotnet/framework/aspnet`).
 * `crane copy` keeps an index, `docker pull` and `docker push` leave one image of it, so whether it is one is not known.
 */
const MIRRORED_REPOSITORIES: readonly { readonly pattern: RegExp; readonly known: KnownRepository }[] = [
  { pattern: /\/windows\/(?:servercore|nanoserver|server)(?:\/insider)?$/, known: { os: 'windows', isIndex: null, isWindowsBase: true } },
  { pattern: /\/mcr(?:[.-][a-z0-9.-]+)?\/windows$/, known: { os: 'windows', isIndex: null, isWindowsBase: true } },
  { pattern: /\/(?:windows\/servercore\/iis|dotnet\/framework\/(?:aspnet|runtime|sdk|wcf|samples))$/, known: { os: 'windows', isIndex: null, isWindowsBase: false } },
];

/** Null for a repository that nothing is known of. */
export function knownRepository(reference: ImageReference): KnownRepository | null {
  const repository = repositoryOf(reference);
  const known = [...WINDOWS_REPOSITORIES, ...MIRRORED_REPOSITORIES].find(({ pattern }) => pattern.test(repository))?.known;
  if (known !== undefined) return known;
  return isLinuxOfficialImage(reference) ? { os: 'linux', isIndex: true, isWindowsBase: false } : null;
}

function isLinuxOfficialImage({ domain, path }: ImageReference): boolean {
  return domain === 'docker.io' && path.startsWith('library/') && LINUX_OFFICIAL_IMAGES.has(path.slice('library/'.length));
}

/**
 * The base image for HostProcess containers, also on a mirror: a few kilobytes, one image without an os.version, and no
 * Windows inside. https://github.com/microsoft/windows-host-process-containers-base-image, read 2026-11-30
 */
export function isHostProcessBase(reference: ImageReference): boolean {
  return /(?:^|\/)windows-host-process-containers-base-image$/.test(reference.path);
}

/** Sandbox images as Kubernetes publishes them; rebuilds of vendors elsewhere hold what their makers put in. */
export function isPublishedPause(reference: ImageReference): boolean {
  return /^(?:registry\.k8s\.io\/pause|k8s\.gcr\.io\/pause|gcr\.io\/google[_-]containers\/pause|mcr\.microsoft\.com\/(?:oss\/(?:v2\/)?kubernetes|k8s\/core)\/pause)$/.test(repositoryOf(reference));
}

/** OS that the last part of a repository ends with, after a hyphen: `cyclonus-windows`, `pause-win`. A name that begins with it means often a tool for Windows. */
export function osInRepository(reference: ImageReference): 'windows' | 'linux' | null {
  const last = /-(windows|win|nanoserver|windowsservercore|linux)(?:-(?:amd64|x64|arm64))?$/.exec(reference.path)?.[1];
  return last === undefined ? null : last === 'linux' ? 'linux' : 'windows';
}
