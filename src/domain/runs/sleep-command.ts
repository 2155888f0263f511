/**
 * Sleeps in a Windows container, which has no program for that: `timeout` wants a terminal. sig-windows' own prepull DaemonSets ping
 * (https://github.com/kubernetes-sigs/windows-testing, gce/prepull-1.21.yaml, read 2026-11-30); where an image has no ping, or its user may
 * not, it waits for input, which a container with an open stdin never gets. `seconds`: null for ever.
 */
export function sleepCommand(seconds: number | null): readonly string[] {
  return ['cmd.exe', '/c', `ping ${seconds === null ? '-t' : `-n ${seconds + 1}`} 127.0.0.1 >NUL || set /p held=`];
}

/**
 * The same in a HostProcess container, which has no open stdin and runs the programs of its node: where ping fails at once, as without a network
 * stack, Windows PowerShell waits, which every node has.
 */
export function hostSleepCommand(seconds: number): readonly string[] {
  return ['cmd.exe', '/c', `ping -n ${seconds + 1} 127.0.0.1 >NUL || powershell.exe -NoLogo -NoProfile -NonInteractive -Command Start-Sleep ${seconds}`];
}
