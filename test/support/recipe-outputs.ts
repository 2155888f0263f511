/** What recipes print on a node, as their scripts are written: nobody has run them on Windows for this project. */
import type { RecipeId } from '../../src/domain/hostprocess/recipes/index.ts';

const HEAD = { schemaVersion: 1, takenAt: '2026-11-30T09:15:02Z', computerName: 'AKSNPWIN000000' };
const OPERATING_SYSTEM = { productName: 'Windows Server 2022 Datacenter', edition: 'ServerDatacenter', installationType: 'Server Core', displayVersion: '21H2', build: 20348, revision: 5386 };
const HOTFIXES = [
  { id: 'KB5094128', description: 'Security Update', installedOn: '2026-10-13' },
  { id: 'KB5088051', description: 'Update', installedOn: null },
];

export const RECIPE_OUTPUTS: Readonly<Record<RecipeId, Readonly<Record<string, unknown>>>> = {
  'node-facts': {
    recipe: 'node-facts', ...HEAD,
    operatingSystem: OPERATING_SYSTEM,
    lastBootAt: '2026-10-14T03:02:11Z',
    pendingReboot: { isPending: true, reasons: ['WindowsUpdate', 'FileRename'] },
    hotfixes: HOTFIXES,
    disks: [{ drive: 'C:', fileSystem: 'NTFS', sizeBytes: 136_265_592_832, freeBytes: 61_203_283_968 }],
    imageCache: { source: 'crictl', images: 31, usedBytes: 28_991_029_248, compressedBytes: null },
    services: [
      { name: 'containerd', state: 'Running', startMode: 'Auto', account: 'LocalSystem', processId: 2412, exitCode: 0 },
      { name: 'docker', state: 'Stopped', startMode: 'Disabled', account: 'LocalSystem', processId: null, exitCode: 1077 },
    ],
    problems: [],
  },
  logs: {
    recipe: 'logs', ...HEAD,
    events: [
      { at: '2026-11-30T09:01:44Z', log: 'System', provider: 'Service Control Manager', id: 7031, level: 'error', message: 'The kubelet service terminated unexpectedly.\r\nIt has done this 1 time(s).' },
      { at: null, log: 'Microsoft-Windows-Hyper-V-Compute-Operational', provider: 'Microsoft-Windows-Hyper-V-Compute', id: 2000, level: 'information', message: null },
    ],
    files: [
      { path: 'C:\\k\\kubelet.err.log', sizeBytes: 1_048_576, changedAt: '2026-11-30T09:14:59Z', lastLines: ['E1130 09:14:59.1 kubelet.go:2412] "node not found"'] },
      { path: 'C:\\k\\azure-vnet.log', sizeBytes: 0, changedAt: '2026-09-01T00:00:00Z', lastLines: null },
    ],
    problems: [{ part: 'events', message: 'System: only the newest 200' }],
  },
  hns: {
    recipe: 'hns', ...HEAD,
    service: { state: 'Running', startMode: 'Manual' },
    networks: [{ id: '7F2C4E0B-3A51-4C9D-8B1E-0D9F3A6C5B21', name: 'azure', type: 'L2Bridge', state: '1', managementAddress: '10.224.0.97', adapter: 'Ethernet', subnets: [{ prefix: '10.224.0.0/16', gateway: '10.224.0.1' }], policies: [] }],
    endpoints: [{ id: '1D5E', name: 'd4c1-eth0', network: 'azure', address: '10.224.0.101', macAddress: '00-15-5D-8C-11-02', gateway: '10.224.0.1', state: '3', isRemote: false, containers: 2, policies: ['OutBoundNAT', 'ROUTE'] }],
    loadBalancers: [{ id: '9A77', addresses: ['10.0.0.10'], externalPort: 53, internalPort: 53, protocol: 17, sourceAddress: null, endpoints: 2 }],
    problems: [],
  },
  images: {
    recipe: 'images', ...HEAD,
    images: [
      { id: 'sha256:0f2c', tags: ['mcr.microsoft.com/windows/servercore:ltsc2022'], digests: ['mcr.microsoft.com/windows/servercore@sha256:5b1e'], sizeBytes: 2_310_011_212, isPinned: false },
      { id: null, tags: [], digests: ['registry.example/web@sha256:77aa'], sizeBytes: null, isPinned: null },
    ],
    fileSystems: [{ path: 'C:\\ProgramData\\containerd\\root\\io.containerd.snapshotter.v1.windows', usedBytes: 28_991_029_248 }],
    problems: [],
  },
  hotfixes: {
    recipe: 'hotfixes', ...HEAD,
    operatingSystem: OPERATING_SYSTEM,
    pendingReboot: { isPending: false, reasons: [] },
    hotfixes: HOTFIXES,
    history: [{ at: '2026-10-13T22:10:00Z', title: '2026-10 Cumulative Update for Microsoft server operating system version 21H2 for x64-based Systems (KB5094128)', operation: 'install', result: 'succeeded', code: '0x00000000' }],
    policy: { server: null, isAutomatic: false, automaticOption: null },
    problems: [],
  },
};

/** As it comes from the node. */
export function recipeOutput(id: RecipeId): string {
  return `${JSON.stringify(RECIPE_OUTPUTS[id])}\n`;
}

/** Of a node on which nothing could be read. */
export function emptyRecipeOutput(id: RecipeId): Readonly<Record<string, unknown>> {
  const { recipe, schemaVersion, takenAt, computerName, problems: _none, ...parts } = RECIPE_OUTPUTS[id];
  const names = Object.keys(parts);
  return { recipe, schemaVersion, takenAt, computerName, ...Object.fromEntries(names.map((name) => [name, null])), problems: names.map((part) => ({ part, message: 'access is denied' })) };
}
