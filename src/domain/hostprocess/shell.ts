/** What runs a command on a node. */
import type { Shell } from './command/transport.ts';

/** The program of each; none for words that are sent as they are. powershell.exe is on every node, pwsh.exe where it was installed. */
export const SHELL_PROGRAMS: Readonly<Record<Exclude<Shell, 'none'>, string>> = { powershell: 'powershell.exe', pwsh: 'pwsh.exe', cmd: 'cmd.exe' };
