/**
 * What a copy does on a node: three scripts that read and write bytes as they are, with nothing of them in PowerShell's own streams. Written for
 * Windows PowerShell 5.1; they never follow a link below the folder that they are given.
 *
 * - `copy-list {path, into, walk, compare}` prints what is there: `r KIND PATH` of the root (`into`: a name to go on with where the path is a
 *   folder that exists), with `walk` a line for each thing below it, and with `compare` what it has of the files whose list stdin begins with.
 * - `copy-send {root}` reads a list `FROM SHA256 PATH` from stdin and writes these files, each from where the other side has it already: the
 *   first FROM bytes with that hash. Then stdin has receipts.
 * - `copy-receive {root}` reads a list `d PATH` or `f FROM MODIFIED PATH`, then the files, appends to what it has, verifies, and puts each in its
 *   place; prints `INDEX ok` or `INDEX failed WHY`, and receipts as `a BYTES`.
 *
 * Lists and streams: copy-stream.ts; what is printed: copy-listing.ts. A log that is being written to can be read (FileShare). Links are what
 * PowerShell gives a LinkType for, and folders that lead elsewhere in other ways; deduplicated files have a reparse point and are files
 * (https://learn.microsoft.com/windows/win32/fileio/reparse-points, read 2026-11-30).
 */
import { PART_SUFFIX } from './copy-path.ts';

export interface CopyScript {
  readonly name: string;
  readonly version: number;
  readonly text: string;
}

const COMMON = [
  `param($a)`,
  `$a=ConvertFrom-Json $a`,
  `$u=[Text.UTF8Encoding]::new()`,
  `$in=[Console]::OpenStandardInput()`,
  `$out=[Console]::OpenStandardOutput()`,
  `$read={param($n)$b=[byte[]]::new($n);$o=0;while($o-lt$n){$c=$in.Read($b,$o,$n-$o);if(!$c){throw 'stdin ended within the copy'};$o+=$c};,$b}`,
  `$lines={$u.GetString((&$read ([BitConverter]::ToInt32((&$read 4),0)))).Split([char]10)}`,
  `$say={param($t)$b=$u.GetBytes("$t\`n");$out.Write($b,0,$b.Length)}`,
  `$hex={param($b)[BitConverter]::ToString($b).Replace('-','').ToLowerInvariant()}`,
  `$why={param($e)$e.Exception.GetBaseException().Message-replace'\\s+',' '}`,
  `$info={param($p)if([IO.Directory]::Exists($p)){[IO.DirectoryInfo]::new($p)}else{[IO.FileInfo]::new($p)}}`,
  `$kind={param($i)if(!$i.Exists){'n'}elseif($i-is[IO.DirectoryInfo]){if($i.Attributes-band[IO.FileAttributes]::ReparsePoint){'l'}else{'d'}}elseif(($i.Attributes-band[IO.FileAttributes]::ReparsePoint)-and$i.LinkType){'l'}else{'f'}}`,
  `$at={param($r)if($r){[IO.Path]::Combine($root,$r)}else{$root}}`,
  // what leads out of the root does so by a link on the way
  `$seen=@{}`,
  `$plain={param($r)$p=$root;foreach($s in $r.Split([char]92)){if($s){$p=[IO.Path]::Combine($p,$s);if(!$seen[$p]){$k=&$kind (&$info $p);if($k-eq'l'){throw "$p is a link, which is not followed"};if($k-ne'n'){$seen[$p]=1}}}}}`,
  `$part={param($p)"$p${PART_SUFFIX}"}`,
];

const LIST = [
  ...COMMON,
  `$sum={param($p)$f=[IO.File]::Open($p,'Open','Read','ReadWrite,Delete');try{$h=&$hex ([Security.Cryptography.SHA256]::Create().ComputeHash($f));"$($f.Position)\`t$h"}finally{$f.Dispose()}}`,
  `$root=$a.path`,
  `if($a.into-and(&$kind (&$info $root))-eq'd'){$root=[IO.Path]::Combine($root,$a.into)}`,
  `$top=&$info $root`,
  `&$say "r\`t$(&$kind $top)\`t$root"`,
  `$one={param($i,$r)$k=&$kind $i`,
  `$m=if($k-eq'l'){"\`t$($i.Target)"-replace'[\\x00-\\x08\\x0a-\\x1f]','?'}else{''}`,
  `&$say "$k\`t$(if($k-eq'f'){$i.Length}else{0})\`t$([DateTimeOffset]::new($i.LastWriteTimeUtc).ToUnixTimeMilliseconds())\`t$r$m";$k}`,
  `if($a.walk){`,
  `$k=&$one $top ''`,
  `$todo=[Collections.Stack]::new()`,
  `if($k-eq'd'){$todo.Push(@($root,''))}`,
  `while($todo.Count){$d,$r=$todo.Pop()`,
  `try{$is=[IO.DirectoryInfo]::new($d).GetFileSystemInfos()}catch{&$say "x\`t0\`t0\`t$r\`t$(&$why $_)";continue}`,
  `foreach($i in $is){`,
  `$p=if($r){"$r\\$($i.Name)"}else{$i.Name}`,
  `if($p-match'[\\x00-\\x1f]'){&$say "x\`t0\`t0\`t$($p-replace'[\\x00-\\x1f]','?')\`tits name has a control character";continue}`,
  `try{if((&$one $i $p)-eq'd'){$todo.Push(@($i.FullName,$p))}}catch{&$say "x\`t0\`t0\`t$p\`t$(&$why $_)"}`,
  `}}}`,
  `if($a.compare){foreach($l in (&$lines)){if($l){`,
  `$n,$r=$l.Split([char]9,2)`,
  `$p=&$at $r;$i=&$info $p;$k=&$kind $i;$h='-';$q="-\`t-"`,
  `try{if($k-eq'f'){$k=$i.Length;if($k-eq[long]$n){$h=((&$sum $p)-split"\`t")[1]}}}catch{}`,
  `try{$j=&$info (&$part $p);if((&$kind $j)-eq'f'-and$j.Length-le[long]$n){$q=&$sum $j.FullName}}catch{}`,
  `&$say "c\`t$k\`t$h\`t$q\`t$r"`,
  `}}}`,
].join('\n');

const SEND = [
  ...COMMON,
  `$root=$a.root`,
  `$b=[byte[]]::new(262144)`,
  `$z=[long]0;$y=[long]0`,
  `$put={param($t,$x)$out.WriteByte($t);$out.Write($x,0,$x.Length)}`,
  `foreach($l in (&$lines)){if($l){`,
  `$o,$x,$r=$l.Split([char]9,3);$o=[long]$o`,
  `try{`,
  `&$plain $r`,
  `$f=[IO.File]::Open((&$at $r),'Open','Read','ReadWrite,Delete')`,
  `try{`,
  `$n=$f.Length`,
  `if($o-gt$n){$o=0}`,
  `$h=[Security.Cryptography.SHA256]::Create();$g=[Security.Cryptography.SHA256]::Create()`,
  `for($w=$o;$w-gt 0;$w-=$c){$c=$f.Read($b,0,[Math]::Min([long]$b.Length,$w));if(!$c){throw 'it became shorter while it was read'};[void]$h.TransformBlock($b,0,$c,$null,0);[void]$g.TransformBlock($b,0,$c,$null,0)}`,
  `[void]$g.TransformFinalBlock($b,0,0)`,
  `if($o-and(&$hex $g.Hash)-ne$x){$o=0;$f.Position=0;$h=[Security.Cryptography.SHA256]::Create()}`,
  `&$put 66 ([BitConverter]::GetBytes([long]$o)+[BitConverter]::GetBytes([long]$n))`,
  `for($w=$n-$o;$w-gt 0;$w-=$c){`,
  `$c=[Math]::Min([long]$b.Length,$w)`,
  `while($z+$c-$y-gt[Math]::Min(8388608,[Math]::Max(1048576,($z+$c)/32))){$y+=[BitConverter]::ToUInt32((&$read 4),0)}`,
  `$c=$f.Read($b,0,$c);if(!$c){throw 'it became shorter while it was read'};[void]$h.TransformBlock($b,0,$c,$null,0);&$put 68 ([BitConverter]::GetBytes([int]$c));$out.Write($b,0,$c);$z+=$c}`,
  `[void]$h.TransformFinalBlock($b,0,0)`,
  `&$put 69 $h.Hash`,
  `}finally{$f.Dispose()}`,
  `}catch{$m=$u.GetBytes((&$why $_));&$put 70 ([BitConverter]::GetBytes($m.Length)+$m)}`,
  `}}`,
].join('\n');

const RECEIVE = [
  ...COMMON,
  `$root=$a.root`,
  // an earlier copy whose program was killed holds its part until it has noticed
  `$open={param($p)for($w=0;;$w++){try{return [IO.File]::Open($p,'OpenOrCreate','ReadWrite','None')}catch{if($w-ge 40-or$_.Exception.GetBaseException().HResult-ne -2147024864){throw};Start-Sleep -Milliseconds 250}}}`,
  `$all=@(&$lines);$y=0`,
  `for($x=0;$x-lt$all.Count;$x++){$l=$all[$x]`,
  `if(!$l){continue}`,
  `$e='';$f=$null`,
  `if($l[0]-eq'd'){try{$r=$l.Substring(2);&$plain $r;[void][IO.Directory]::CreateDirectory((&$at $r))}catch{$e=&$why $_}}else{`,
  `$k,$o,$t,$r=$l.Split([char]9,4);$o=[long]$o`,
  `$h=[Security.Cryptography.SHA256]::Create()`,
  `try{`,
  `&$plain $r;if($r){&$plain (&$part $r)}`,
  `$p=&$at $r;$q=&$part $p`,
  `switch(&$kind (&$info $p)){'d'{throw "$p is a folder"}'l'{throw "$p is a link, which is not followed"}}`,
  `[void][IO.Directory]::CreateDirectory([IO.Path]::GetDirectoryName($p))`,
  `$f=&$open $q`,
  `$f.SetLength($o)`,
  `$b=[byte[]]::new(262144)`,
  `for($w=$o;$w-gt 0;$w-=$c){$c=$f.Read($b,0,[Math]::Min([long]$b.Length,$w));if(!$c){throw 'its beginning is gone'};[void]$h.TransformBlock($b,0,$c,$null,0)}`,
  `}catch{$e=&$why $_}`,
  `for(;;){`,
  `$c=(&$read 1)[0]`,
  `if($c-eq 68){$n=[BitConverter]::ToInt32((&$read 4),0);$b=&$read $n;if(!$e){try{$f.Write($b,0,$n);[void]$h.TransformBlock($b,0,$n,$null,0)}catch{$e=&$why $_}};$y+=$n;if($y-ge 131072){&$say "a\`t$y";$y=0}}`,
  `elseif($c-eq 69){$s=&$hex (&$read 32);break}`,
  `elseif($c-eq 70){$s='';$m=$u.GetString((&$read ([BitConverter]::ToInt32((&$read 4),0))));if(!$e){$e=$m};break}`,
  `else{throw 'what comes is no copy'}}`,
  `if($f){$f.Dispose()}`,
  `if(!$e){try{`,
  `[void]$h.TransformFinalBlock($b,0,0)`,
  `if((&$hex $h.Hash)-ne$s){[IO.File]::Delete($q);throw 'what has arrived has another SHA-256 than what was sent'}`,
  `[IO.File]::SetLastWriteTimeUtc($q,[DateTimeOffset]::FromUnixTimeMilliseconds([long]$t).UtcDateTime)`,
  `if([IO.File]::Exists($p)){[IO.File]::Replace($q,$p,[NullString]::Value)}else{[IO.File]::Move($q,$p)}`,
  `}catch{$e=&$why $_}}`,
  `}`,
  `&$say $(if($e){"$x\`tfailed\`t$e"}else{"$x\`tok"})`,
  `}`,
].join('\n');

export const COPY_LIST: CopyScript = { name: 'copy-list', version: 1, text: LIST };
export const COPY_SEND: CopyScript = { name: 'copy-send', version: 1, text: SEND };
export const COPY_RECEIVE: CopyScript = { name: 'copy-receive', version: 1, text: RECEIVE };
export const COPY_SCRIPTS: readonly CopyScript[] = [COPY_LIST, COPY_SEND, COPY_RECEIVE];
