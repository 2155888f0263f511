import type { Rule } from '../../rule.ts';
import { commandLineInOneWord } from './command-line-in-one-word.ts';
import { ephemeralContainerTarget } from './ephemeral-container-target.ts';
import { gracePeriodCutShort } from './grace-period-cut-short.ts';
import { linuxCommand } from './linux-command.ts';
import { powershellInNanoserver } from './powershell-in-nanoserver.ts';
import { probeBeforeFirstStart } from './probe-before-first-start.ts';
import { slowExecProbe } from './slow-exec-probe.ts';
import { stopSignalOfLinux } from './stop-signal-of-linux.ts';
import { terminationMessageFile } from './termination-message-file.ts';
import { timeoutWithoutConsole } from './timeout-without-console.ts';

export const LIFECYCLE_RULES: readonly Rule[] = [
  stopSignalOfLinux, gracePeriodCutShort, linuxCommand, commandLineInOneWord, timeoutWithoutConsole, powershellInNanoserver, slowExecProbe, probeBeforeFirstStart, terminationMessageFile, ephemeralContainerTarget,
];
