/** Scripts as -EncodedCommand takes them, and how long a command line becomes on the node. */
import { shimArgument } from './windows-arguments.ts';

/**
 * For all that the shim hands to CreateProcess. On hosts with bind filters (from Windows Server 2022 on) that is a command line
 * of cmd.exe, which takes 8,191 characters (https://support.microsoft.com/help/830473); a node may be upgraded, so all are
 * held to it, with room for what the shim puts before. Read 2026-11-30.
 */
export const LINE_LIMIT = 8000;

/** UTF-16, lowest byte first, as Base64. */
export function encodeCommand(script: string): string {
  let bytes = '';
  for (let index = 0; index < script.length; index += 1) {
    const unit = script.charCodeAt(index);
    bytes += String.fromCharCode(unit & 0xff, unit >> 8);
  }
  return btoa(bytes);
}

/** The line that becomes of argv on the node, with the `cmd /c ` of current hosts. */
export function joinedLength(argv: readonly string[]): number {
  return 'cmd /c '.length + argv.map(shimArgument).join(' ').length;
}
