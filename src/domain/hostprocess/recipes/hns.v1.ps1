# hns: networks, endpoints and load balancers of the Host Network Service.
function Get-PolicyType {
    param($Policies)
    @($Policies | ForEach-Object { Format-Text $_.Type } | Where-Object { $_ } | Select-Object -Unique)
}

Add-Part 'service' {
    $service = Get-CimInstance -ClassName Win32_Service -Filter "Name = 'hns'"
    if (-not $service) { throw 'there is no service named hns: the Containers feature is not installed' }
    [ordered]@{ state = Format-Text $service.State; startMode = Format-Text $service.StartMode }
}
# Part of the Containers feature (HostNetworkingService), or of what a distribution has brought.
if (-not (Get-Command -Name Get-HnsNetwork -ErrorAction SilentlyContinue)) {
    foreach ($module in 'C:\k\hns.psm1', 'C:\k\debug\hns.psm1', 'C:\var\lib\rancher\rke2\bin\hns.psm1') {
        if ([IO.File]::Exists($module)) {
            try { Import-Module -Name $module -DisableNameChecking; break } catch { Add-Problem 'module' $_.Exception.Message }
        }
    }
}
Add-List 'networks' {
    foreach ($network in Get-HnsNetwork) {
        [ordered]@{
            id = Format-Text $network.ID
            name = Format-Text $network.Name
            type = Format-Text $network.Type
            state = Format-Text $network.State
            managementAddress = Format-Text $network.ManagementIP
            adapter = Format-Text $network.NetworkAdapterName
            subnets = @(foreach ($subnet in $network.Subnets) { if ($subnet) { [ordered]@{ prefix = Format-Text $subnet.AddressPrefix; gateway = Format-Text $subnet.GatewayAddress } } })
            policies = @(Get-PolicyType $network.Policies)
        }
    }
}
Add-List 'endpoints' {
    foreach ($endpoint in Get-HnsEndpoint) {
        [ordered]@{
            id = Format-Text $endpoint.ID
            name = Format-Text $endpoint.Name
            network = Format-Text $endpoint.VirtualNetworkName
            address = Format-Text $endpoint.IPAddress
            macAddress = Format-Text $endpoint.MacAddress
            gateway = Format-Text $endpoint.GatewayAddress
            state = Format-Text $endpoint.State
            isRemote = [bool]$endpoint.IsRemoteEndpoint
            containers = @($endpoint.SharedContainers | Where-Object { $_ }).Count
            policies = @(Get-PolicyType $endpoint.Policies)
        }
    }
}
Add-List 'loadBalancers' {
    foreach ($list in Get-HnsPolicyList) {
        foreach ($policy in $list.Policies) {
            if ("$($policy.Type)" -eq 'ELB') {
                [ordered]@{
                    id = Format-Text $list.ID
                    addresses = @($policy.VIPs | Where-Object { $_ } | ForEach-Object { "$_" })
                    externalPort = if ($null -eq $policy.ExternalPort) { $null } else { [int]$policy.ExternalPort }
                    internalPort = if ($null -eq $policy.InternalPort) { $null } else { [int]$policy.InternalPort }
                    protocol = if ($null -eq $policy.Protocol) { $null } else { [int]$policy.Protocol }
                    sourceAddress = Format-Text $policy.SourceVIP
                    endpoints = @($list.References | Where-Object { "$_" -match '/endpoints/' }).Count
                }
            }
        }
    }
}
Write-Document -Recipe 'hns' -SchemaVersion 1
