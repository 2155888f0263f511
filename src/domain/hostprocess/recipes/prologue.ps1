param([string]$ArgumentsJson = 'null')
# The beginning of every recipe of kubectl win. Reads only: nothing on the node is changed, nothing is fetched.
# For Windows PowerShell 5.1, which every node has, and for 7.
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
$WarningPreference = 'SilentlyContinue'
# In 5.1 ConvertTo-Json can print an array as {"value":[],"Count":0}: https://stackoverflow.com/a/57599481
if ($PSVersionTable.PSVersion.Major -lt 6) { Remove-TypeData -TypeName System.Array -ErrorAction SilentlyContinue }

$facts = [ordered]@{}
$problems = New-Object System.Collections.ArrayList
$options = ConvertFrom-Json -InputObject $ArgumentsJson

# What could not be read. The rest of the document stands all the same.
function Add-Problem {
    param([string]$Part, [string]$Message)
    [void]$problems.Add([ordered]@{ part = $Part; message = $Message.Trim() })
}

# One part of the document: null, and a problem, where it cannot be read.
function Add-Part {
    param([string]$Part, [scriptblock]$Read)
    $facts[$Part] = $null
    try { $facts[$Part] = & $Read } catch { Add-Problem $Part $_.Exception.Message }
}

# A part that is a list, however many items it has.
function Add-List {
    param([string]$Part, [scriptblock]$Read)
    $facts[$Part] = $null
    try { $facts[$Part] = @(& $Read) } catch { Add-Problem $Part $_.Exception.Message }
}

function Format-Time {
    param($Time)
    if ($null -eq $Time) { return $null }
    ([datetime]$Time).ToUniversalTime().ToString("yyyy-MM-dd'T'HH:mm:ss'Z'", [Globalization.CultureInfo]::InvariantCulture)
}

function Format-Text {
    param($Value)
    if ($null -eq $Value -or "$Value" -eq '') { return $null }
    "$Value"
}

function Get-Option {
    param([string]$Name, [int]$Default)
    if ($null -eq $options -or $null -eq $options.$Name) { return $Default }
    [int]$options.$Name
}

# A program of the node that is not on the PATH everywhere.
function Find-Tool {
    param([string]$Name)
    $command = Get-Command -Name "$Name.exe" -CommandType Application -ErrorAction SilentlyContinue | Select-Object -First 1
    if ($command) { return $command.Path }
    $folders = @("$env:ProgramFiles\containerd\bin", "$env:ProgramFiles\containerd", 'C:\k', 'C:\var\lib\rancher\rke2\bin', 'C:\etc\kubernetes\node\bin', "$env:ProgramFiles\Amazon\EKS\bin")
    foreach ($folder in $folders) {
        $path = [IO.Path]::Combine($folder, "$Name.exe")
        if ([IO.File]::Exists($path)) { return $path }
    }
    throw "no $Name.exe on the PATH, nor in $($folders -join ', ')"
}

# What a program prints. Its stdin is closed, so that it takes nothing of the stream that this script came by.
function Invoke-Tool {
    param([string]$Path, [string]$Arguments, [int]$Seconds = 45)
    $start = New-Object System.Diagnostics.ProcessStartInfo $Path, $Arguments
    $start.UseShellExecute = $false
    $start.RedirectStandardInput = $true
    $start.RedirectStandardOutput = $true
    $start.RedirectStandardError = $true
    $start.StandardOutputEncoding = [Text.Encoding]::UTF8
    $start.StandardErrorEncoding = [Text.Encoding]::UTF8
    $process = [Diagnostics.Process]::Start($start)
    $process.StandardInput.Close()
    $output = $process.StandardOutput.ReadToEndAsync()
    $errors = $process.StandardError.ReadToEndAsync()
    if (-not $process.WaitForExit($Seconds * 1000)) {
        try { $process.Kill() } catch { Add-Problem 'tools' $_.Exception.Message }
        throw "$Path has not ended within $Seconds seconds"
    }
    if ($process.ExitCode -ne 0) { throw "$Path ended with $($process.ExitCode): $($errors.Result)" }
    $output.Result
}

function Invoke-Crictl {
    param([string]$Arguments)
    $pipe = 'npipe:////./pipe/containerd-containerd'
    ConvertFrom-Json -InputObject (Invoke-Tool (Find-Tool 'crictl') "--runtime-endpoint $pipe --image-endpoint $pipe $Arguments")
}

# The file systems that images are unpacked on. Older versions of crictl print one status, newer ones a list.
function Get-ImageFileSystem {
    $status = (Invoke-Crictl 'imagefsinfo').status
    $all = if ($status.imageFilesystems) { @($status.imageFilesystems) } else { @($status) }
    foreach ($one in $all) {
        [ordered]@{ path = Format-Text $one.fsId.mountpoint; usedBytes = if ($null -eq $one.usedBytes.value) { $null } else { [long]$one.usedBytes.value } }
    }
}

function Get-OperatingSystem {
    $key = Get-ItemProperty -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows NT\CurrentVersion'
    [ordered]@{
        productName = Format-Text $key.ProductName
        edition = Format-Text $key.EditionID
        installationType = Format-Text $key.InstallationType
        displayVersion = Format-Text $key.DisplayVersion
        build = [int]$key.CurrentBuild
        revision = [int]$key.UBR
    }
}

# InstalledOn is a text: M/d/yyyy, or the 16 hexadecimal digits of a file time.
# https://learn.microsoft.com/windows/win32/cimwin32prov/win32-quickfixengineering
function Get-InstalledHotfix {
    foreach ($fix in Get-CimInstance -ClassName Win32_QuickFixEngineering) {
        $text = "$($fix.CimInstanceProperties['InstalledOn'].Value)"
        $day = [datetime]::MinValue
        $installedOn = $null
        if ($text -match '^[0-9a-fA-F]{16}$') { $installedOn = [datetime]::FromFileTimeUtc([Convert]::ToInt64($text, 16)).ToString('yyyy-MM-dd', [Globalization.CultureInfo]::InvariantCulture) }
        elseif ([datetime]::TryParseExact($text, 'M/d/yyyy', [Globalization.CultureInfo]::InvariantCulture, [Globalization.DateTimeStyles]::None, [ref]$day)) { $installedOn = $day.ToString('yyyy-MM-dd', [Globalization.CultureInfo]::InvariantCulture) }
        [ordered]@{ id = Format-Text $fix.HotFixID; description = Format-Text $fix.Description; installedOn = $installedOn }
    }
}

# The four places that say whether Windows waits for a restart.
# https://devblogs.microsoft.com/scripting/determine-pending-reboot-statuspowershell-style-part-1/
function Get-PendingReboot {
    $reasons = @()
    if (Test-Path -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\Component Based Servicing\RebootPending') { $reasons += 'ComponentServicing' }
    if (Test-Path -LiteralPath 'HKLM:\SOFTWARE\Microsoft\Windows\CurrentVersion\WindowsUpdate\Auto Update\RebootRequired') { $reasons += 'WindowsUpdate' }
    $renames = (Get-ItemProperty -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control\Session Manager').PendingFileRenameOperations
    if ($renames) { $reasons += 'FileRename' }
    $active = (Get-ItemProperty -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control\ComputerName\ActiveComputerName').ComputerName
    $wanted = (Get-ItemProperty -LiteralPath 'HKLM:\SYSTEM\CurrentControlSet\Control\ComputerName\ComputerName').ComputerName
    if ($active -ne $wanted) { $reasons += 'ComputerName' }
    [ordered]@{ isPending = $reasons.Count -gt 0; reasons = $reasons }
}

# The end of every recipe. To the stream itself: the formatter of PowerShell may break long lines.
function Write-Document {
    param([string]$Recipe, [int]$SchemaVersion)
    $document = [ordered]@{ recipe = $Recipe; schemaVersion = $SchemaVersion; takenAt = Format-Time ([datetime]::UtcNow); computerName = Format-Text ([Environment]::MachineName) }
    foreach ($part in @($facts.Keys)) { $document[$part] = $facts[$part] }
    $document['problems'] = @($problems)
    $bytes = [Text.Encoding]::UTF8.GetBytes((ConvertTo-Json -InputObject $document -Depth 20 -Compress) + "`n")
    $stream = [Console]::OpenStandardOutput()
    $stream.Write($bytes, 0, $bytes.Length)
    $stream.Flush()
}
