# images: all that the container runtime holds; a node object lists the 50 largest.
Add-List 'images' {
    try {
        foreach ($image in (Invoke-Crictl 'images -o json').images) {
            [ordered]@{
                id = Format-Text $image.id
                tags = @($image.repoTags | Where-Object { $_ })
                digests = @($image.repoDigests | Where-Object { $_ })
                sizeBytes = if ($null -eq $image.size) { $null } else { [long]$image.size }
                isPinned = if ($null -eq $image.pinned) { $null } else { [bool]$image.pinned }
            }
        }
    }
    catch {
        $reason = $_.Exception.Message
        $lines = (Invoke-Tool (Find-Tool 'ctr') '--address \\.\pipe\containerd-containerd --namespace k8s.io images ls') -split "`r?`n"
        Add-Problem 'images' "names and digests alone, by ctr: $reason"
        foreach ($line in $lines | Select-Object -Skip 1) {
            $cells = $line -split '\s+'
            if ($cells.Count -lt 3 -or $cells[0] -match '^sha256:') { continue }
            if ($cells[0] -match '@') { [ordered]@{ id = $null; tags = @(); digests = @($cells[0]); sizeBytes = $null; isPinned = $null } }
            else { [ordered]@{ id = $null; tags = @($cells[0]); digests = @("$($cells[0] -replace ':[^:/]*$', '')@$($cells[2])"); sizeBytes = $null; isPinned = $null } }
        }
    }
}
Add-List 'fileSystems' { Get-ImageFileSystem }
Write-Document -Recipe 'images' -SchemaVersion 1
