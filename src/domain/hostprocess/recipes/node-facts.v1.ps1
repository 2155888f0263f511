# node-facts: what a node object does not say.
Add-Part 'operatingSystem' { Get-OperatingSystem }
Add-Part 'lastBootAt' { Format-Time (Get-CimInstance -ClassName Win32_OperatingSystem).LastBootUpTime }
Add-Part 'pendingReboot' { Get-PendingReboot }
Add-List 'hotfixes' { Get-InstalledHotfix }
Add-List 'disks' {
    foreach ($disk in Get-CimInstance -ClassName Win32_LogicalDisk -Filter 'DriveType = 3') {
        [ordered]@{ drive = Format-Text $disk.DeviceID; fileSystem = Format-Text $disk.FileSystem; sizeBytes = [long]$disk.Size; freeBytes = [long]$disk.FreeSpace }
    }
}
Add-Part 'imageCache' {
    try {
        $images = @((Invoke-Crictl 'images -o json').images | Where-Object { $_ })
        $used = $null
        foreach ($fileSystem in Get-ImageFileSystem) { if ($null -ne $fileSystem.usedBytes) { $used = [long]$used + $fileSystem.usedBytes } }
        [ordered]@{ source = 'crictl'; images = $images.Count; usedBytes = $used; compressedBytes = $null }
    }
    catch {
        # Unpacked layers have too many files to count; what was downloaded lies in one folder.
        $reason = $_.Exception.Message
        $root = @("$env:ProgramData\containerd\root", 'C:\var\lib\rancher\rke2\agent\containerd') | Where-Object { [IO.Directory]::Exists("$_\io.containerd.content.v1.content\blobs\sha256") } | Select-Object -First 1
        if (-not $root) { throw $reason }
        Add-Problem 'imageCache' "only what was downloaded is counted: $reason"
        $bytes = [long]0
        foreach ($file in ([IO.DirectoryInfo]"$root\io.containerd.content.v1.content\blobs\sha256").EnumerateFiles()) { $bytes += $file.Length }
        [ordered]@{ source = 'content-store'; images = $null; usedBytes = $null; compressedBytes = $bytes }
    }
}
Add-List 'services' {
    $names = 'kubelet', 'kube-proxy', 'kubeproxy', 'containerd', 'docker', 'hns', 'vmcompute', 'csi-proxy', 'csiproxy', 'rke2', 'rancher-wins', 'flanneld', 'CalicoNode', 'CalicoFelix', 'antrea-agent', 'WinDefend', 'wuauserv'
    foreach ($service in Get-CimInstance -ClassName Win32_Service | Where-Object { $names -contains $_.Name }) {
        [ordered]@{
            name = "$($service.Name)"
            state = Format-Text $service.State
            startMode = Format-Text $service.StartMode
            account = Format-Text $service.StartName
            processId = if ($service.ProcessId) { [long]$service.ProcessId } else { $null }
            exitCode = [long]$service.ExitCode
        }
    }
}
Write-Document -Recipe 'node-facts' -SchemaVersion 1
