const NOTHING = { cpu: '0', memory: '0' };

export interface Resources {
  readonly limits?: Readonly<Record<string, string>>;
  readonly requests: Readonly<Record<string, string>>;
}

/**
 * Resources of a container that holds no more of its node than `requests` say, and is limited by nothing.
 *
 * A quota of limits wants every container to have some, and is content with 0, of which a Windows kubelet makes no limit: calculateWindowsResources of
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/kubelet/kuberuntime/kuberuntime_container_windows.go, read 2026-11-30. Pods stay BestEffort
 * with it. What is requested has no limit beside it: a request must not be more than the limit is.
 */
export function resourcesOf(requests: Readonly<Record<string, string>> = {}): Resources {
  const limits = Object.fromEntries(Object.entries(NOTHING).filter(([resource]) => requests[resource] === undefined));
  return { ...(Object.keys(limits).length === 0 ? {} : { limits }), requests: { ...NOTHING, ...requests } };
}
