# hotfixes: which updates are installed, which were tried, and what keeps Windows from taking more.
Add-Part 'operatingSystem' { Get-OperatingSystem }
Add-Part 'pendingReboot' { Get-PendingReboot }
Add-List 'hotfixes' { Get-InstalledHotfix }
# What Windows Update has on record here; no server is asked.
Add-List 'history' {
    $searcher = (New-Object -ComObject Microsoft.Update.Session).CreateUpdateSearcher()
    $count = [Math]::Min($searcher.GetTotalHistoryCount(), (Get-Option 'entries' 50))
    if ($count -gt 0) {
        $operations = @{ 1 = 'install'; 2 = 'uninstall' }
        $results = @{ 0 = 'notStarted'; 1 = 'inProgress'; 2 = 'succeeded'; 3 = 'succeededWithErrors'; 4 = 'failed'; 5 = 'aborted' }
        foreach ($entry in $searcher.QueryHistory(0, $count)) {
            [ordered]@{
                # It is UTC already, and does not say so.
                at = Format-Time ([datetime]::SpecifyKind($entry.Date, 'Utc'))
                title = Format-Text $entry.Title
                operation = $operations[[int]$entry.Operation]
                result = $results[[int]$entry.ResultCode]
                code = '0x{0:X8}' -f [int]$entry.HResult
            }
        }
    }
}
Add-Part 'policy' {
    $update = Get-ItemProperty -Path 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\WindowsUpdate' -ErrorAction SilentlyContinue
    $automatic = Get-ItemProperty -Path 'HKLM:\SOFTWARE\Policies\Microsoft\Windows\WindowsUpdate\AU' -ErrorAction SilentlyContinue
    [ordered]@{
        server = Format-Text $update.WUServer
        isAutomatic = if ($null -eq $automatic.NoAutoUpdate) { $null } else { [int]$automatic.NoAutoUpdate -eq 0 }
        automaticOption = if ($null -eq $automatic.AUOptions) { $null } else { [int]$automatic.AUOptions }
    }
}
Write-Document -Recipe 'hotfixes' -SchemaVersion 1
