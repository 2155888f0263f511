/**
 * The fixed PowerShell texts that run a command on a node. Nothing is ever put into them: what varies stands before them as
 * literals (payload.ts), so that they can be told by their hash, and read once by whoever has to trust them.
 *
 * Written for Windows PowerShell 5.1, the one that every node has, and understood by 7.
 */

/**
 * Reads a script from stdin, which begins with its length (frame.ts), and runs it in its own scope. No byte is read beyond it:
 * OpenStandardInput hands ReadFile through without a buffer, so what follows is left for the command. No variable is left to
 * the command either.
 * https://learn.microsoft.com/dotnet/api/system.console.openstandardinput, read 2026-11-30.
 */
export const BOOTSTRAP = [
  `$ErrorActionPreference='Stop'`,
  `.([scriptblock]::Create((&{`,
  `$s=[Console]::OpenStandardInput()`,
  `$r={param($n)$b=[byte[]]::new($n);$o=0;while($o-lt$n){$c=$s.Read($b,$o,$n-$o);if(!$c){throw 'kubectl win: stdin ended within the command'};$o+=$c};,$b}`,
  `[Text.Encoding]::UTF8.GetString((&$r ([BitConverter]::ToInt32((&$r 4),0))))`,
  `})))`,
].join('\n');

/** UTF-8 without a byte order mark, for PowerShell and for what it starts; there may be no console to set it for. */
export const CONSOLE_SETUP = [
  `$OutputEncoding=[Text.UTF8Encoding]::new()`,
  `try{[Console]::InputEncoding=[Console]::OutputEncoding=$OutputEncoding}catch{}`,
].join('\n');

/**
 * Runs what $kw describes.
 *
 * - Native programs are started by ProcessStartInfo with a command line that is quoted already: PowerShell 5.1 loses quotes in
 *   native arguments (https://github.com/PowerShell/PowerShell/issues/1995), and would read and write their bytes as text.
 *   They inherit the three handles.
 * - GetCommand of InvokeCommand takes a name as it is; Get-Command would read `[` and `*` in it as wildcards.
 * - Signs go to stderr's stream itself, one write each (sign.ts). The last stands in `finally`, which `exit` runs too
 *   (https://learn.microsoft.com/powershell/module/microsoft.powershell.core/about/about_try_catch_finally), without a number then.
 * - Out-Default stands in the pipeline, so that all is written before `exit`, which would drop what the formatter still holds.
 * - A number that a native program has left is the number of the whole, as in GitHub's runners
 *   (https://docs.github.com/actions/reference/workflows-and-actions/workflow-syntax#exit-codes-and-error-action-preference).
 *
 * Read 2026-11-30.
 */
export const RUNNER = [
  `$ErrorActionPreference='Stop'`,
  `$ProgressPreference='SilentlyContinue'`,
  CONSOLE_SETUP,
  `$kw.r=[Console]::OpenStandardError()`,
  `$kw.sign={param($s)if($kw.n){$b=$OutputEncoding.GetBytes("$([char]30)kubectl-win $($kw.n) $s\`n");$kw.r.Write($b,0,$b.Length)}}`,
  `$kw.fail={param($s,$m)if($kw.n){&$kw.sign "failed $s $([Convert]::ToBase64String($OutputEncoding.GetBytes($m)))"}else{[Console]::Error.WriteLine($m)};exit 127}`,
  `$kw.run={param($f,$g)$o=[Diagnostics.ProcessStartInfo]::new($f,$g);$o.UseShellExecute=$false`,
  `try{$p=[Diagnostics.Process]::Start($o)}catch{&$kw.fail StartFailed "$($_.Exception.GetBaseException().Message)"}`,
  `$p.WaitForExit();$kw.c=$p.ExitCode}`,
  `&$kw.sign "start $PID"`,
  `try{`,
  `if($kw.k-eq'command'){`,
  `$kw.x=$ExecutionContext.InvokeCommand.GetCommand($kw.w[0],'All')`,
  `if($kw.x.ResolvedCommand){$kw.x=$kw.x.ResolvedCommand}`,
  `if(!$kw.x){&$kw.fail NotFound "$($kw.w[0]): no such command"}`,
  `if($kw.x.CommandType-eq'Application'){`,
  `if($kw.x.Path-match'\\.(bat|cmd)[. ]*$'){`,
  `if($kw.ContainsKey('b')){$kw.l=$kw.b}`,
  `if($null-eq$kw.l-or$kw.x.Path-match'%'){&$kw.fail Refused "$($kw.x.Path): a batch file, for which cmd would change these arguments"}`,
  `&$kw.run $env:ComSpec "/d /v:off /s /c \`"\`"$($kw.x.Path)\`" $($kw.l)\`""`,
  `}else{&$kw.run $kw.x.Path $kw.l}}`,
  `}elseif($kw.k-eq'cmd'){&$kw.run $env:ComSpec "/d /v:off /s /c \`"$($kw.t)\`""`,
  `}else{$kw.x=[scriptblock]::Create($kw.t)}`,
  `if($null-eq$kw.c){`,
  `$ErrorActionPreference=$kw.e`,
  `.([scriptblock]::Create($kw.i))|Out-Default`,
  `$kw.c=if($LASTEXITCODE){$LASTEXITCODE}elseif($kw.z){0}else{1}}`,
  `}catch{$kw.c=if($LASTEXITCODE){$LASTEXITCODE}else{1};[Console]::Error.WriteLine(($_|Out-String -Width 4096).Trim())`,
  `}finally{&$kw.sign "end $($kw.c)"}`,
  `exit $kw.c`,
].join('\n');
