/** The image of pods that reach nodes: it fits every build, and holds next to nothing, for programs come from the node. */

/**
 * Tag and digest stand together in ten Dockerfiles of Azure/azure-container-networking (cns, dropgz, npm), one as `v1.0.0@sha256:…`. The digest pins what runs with
 * the rights of SYSTEM; whoever mirrors it keeps it.
 */
const ROW = {
  repository: 'mcr.microsoft.com/oss/kubernetes/windows-host-process-containers-base-image', tag: 'v1.0.0', digest: 'sha256:b4c9637e032f667c52d1eccfa31ad8c63f1b035e8639f3f48a510536bf34032b',
  /** Containerd before it takes no entry of an index that names no build. */
  containerd: [1, 6, 18],
  source: 'https://github.com/microsoft/windows-host-process-containers-base-image', asOf: '2026-11-30',
} as const;

export const HOST_PROCESS_BASE_IMAGE = { ...ROW, reference: `${ROW.repository}:${ROW.tag}@${ROW.digest}` } as const;
