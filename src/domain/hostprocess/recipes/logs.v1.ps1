# logs: what Windows has on record of the services of a node, which log files there are, and the last lines of those that
# matter. Lines come as they are: what a component has written into its log is in them.
$since = [datetime]::UtcNow.AddMinutes(-(Get-Option 'minutes' 60))
$most = Get-Option 'events' 200
$lines = Get-Option 'lines' 100
$levels = @{ 1 = 'critical'; 2 = 'error'; 3 = 'warning'; 5 = 'verbose' }

# Providers are matched by XPath, which takes names that nobody has registered.
function Get-Record {
    param([string]$Log, [string]$Condition)
    $time = "TimeCreated[@SystemTime >= '$(Format-Time $since)']"
    $parts = @($Condition, $time) | Where-Object { $_ }
    try { $records = @(Get-WinEvent -LogName $Log -FilterXPath "*[System[$($parts -join ' and ')]]" -MaxEvents $most) }
    catch {
        if ($_.FullyQualifiedErrorId -like 'NoMatchingEventsFound*') { return }
        throw
    }
    if ($records.Count -eq $most) { Add-Problem 'events' "$($Log): only the newest $most" }
    foreach ($record in $records) {
        $level = $levels[[int]$record.Level]
        [ordered]@{
            at = Format-Time $record.TimeCreated
            log = $Log
            provider = Format-Text $record.ProviderName
            id = [long]$record.Id
            level = if ($level) { $level } else { 'information' }
            message = Format-Text $record.Message
        }
    }
}

# The end of a file that another process is writing.
function Get-LastLine {
    param([string]$Path, [int]$Count)
    $stream = [IO.File]::Open($Path, 'Open', 'Read', 'ReadWrite, Delete')
    try {
        $mark = New-Object byte[] 2
        $encoding = if ($stream.Read($mark, 0, 2) -eq 2 -and $mark[0] -eq 0xFF -and $mark[1] -eq 0xFE) { [Text.Encoding]::Unicode } else { [Text.Encoding]::UTF8 }
        $from = [Math]::Max([long]0, $stream.Length - 262144)
        # Of UTF-16 an even place, so that no character is cut in two.
        [void]$stream.Seek($from - $from % 2, 'Begin')
        $text = (New-Object System.IO.StreamReader $stream, $encoding).ReadToEnd()
    }
    finally { $stream.Dispose() }
    $all = $text.TrimEnd() -split "`r?`n"
    if ($from -gt 0) { $all = $all | Select-Object -Skip 1 }
    $all | Select-Object -Last $Count | ForEach-Object { $_.ToString() }
}

Add-List 'events' {
    $providers = 'kubelet', 'kube-proxy', 'containerd', 'docker', 'csi-proxy', 'Microsoft-Windows-Resource-Exhaustion-Detector', 'Application Error', 'Windows Error Reporting'
    Get-Record 'Application' "Provider[$(($providers | ForEach-Object { "@Name='$_'" }) -join ' or ')]"
    # 1074, 1076, 6005, 6006, 6008: restarts, and who asked for them
    Get-Record 'System' "(Provider[@Name='Service Control Manager' or @Name='Microsoft-Windows-Resource-Exhaustion-Detector' or @Name='Microsoft-Windows-Kernel-Power'] or Level=1 or Level=2 or EventID=1074 or EventID=1076 or EventID=6005 or EventID=6006 or EventID=6008)"
    foreach ($log in Get-WinEvent -ListLog 'Microsoft-Windows-Host-Network-Service*', 'Microsoft-Windows-Hyper-V-Compute*', 'Microsoft-Windows-Containers*' -ErrorAction SilentlyContinue) {
        if (-not $log.RecordCount) { continue }
        try { Get-Record $log.LogName '' } catch { Add-Problem 'events' "$($log.LogName): $($_.Exception.Message)" }
    }
}
Add-List 'files' {
    # Of AKS, kubeadm, GKE, EKS, RKE2, and containerd's own.
    $folders = 'C:\k', 'C:\AzureData', 'C:\var\log', 'C:\var\log\kubelet', 'C:\var\log\kube-proxy', 'C:\etc\kubernetes\logs', "$env:ProgramData\Amazon\EKS\logs", 'C:\var\lib\rancher\rke2\agent\logs', "$env:ProgramData\containerd\root", "$env:SystemRoot\System32"
    foreach ($folder in $folders) {
        if (-not [IO.Directory]::Exists($folder)) { continue }
        # what containerd starts has no other folder
        $names = if ($folder -like '*\System32') { 'azure-*.log' } else { '*' }
        foreach ($file in ([IO.DirectoryInfo]$folder).EnumerateFiles($names)) {
            if ($file.Name -notmatch '\.(log|err|out)(\.|$)|\.(INFO|WARNING|ERROR|FATAL)(\.|$)') { continue }
            $last = $null
            if ($lines -gt 0 -and $file.LastWriteTimeUtc -ge $since -and $file.Name -match 'kubelet|kube-?proxy|containerd|hns|csi|cni|vnet|flannel|calico|antrea') {
                try { $last = @(Get-LastLine $file.FullName $lines) } catch { Add-Problem 'files' "$($file.FullName): $($_.Exception.Message)" }
            }
            [ordered]@{ path = $file.FullName; sizeBytes = [long]$file.Length; changedAt = Format-Time $file.LastWriteTimeUtc; lastLines = $last }
        }
    }
}
Write-Document -Recipe 'logs' -SchemaVersion 1
