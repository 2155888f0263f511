/** What the name of an image tells of what is in it: enough for advice on memory and CPU, never for a verdict. */

/** Whether the image holds IIS or .NET, by its repository. A name of one's own tells nothing. */
export function isDotnetOrIis(image: string | null): boolean {
  if (image === null) return false;
  const { repository, tag } = splitImage(image);
  return /(?:^|[/-])(?:iis|aspnet|aspnetcore|aspnetapp|wcf|dotnet|dotnet-framework|dotnetapp)(?:[/-]|$)/.test(repository) || /(?:^|-)aspnet(?:-|$)/.test(tag);
}

/** Whether the image is made of Windows Server Core or more, by its repository or tag. */
export function isServerCore(image: string | null): boolean {
  if (image === null) return false;
  const { repository, tag } = splitImage(image);
  if (/nanoserver/.test(repository) || /nanoserver/.test(tag)) return false;
  return /(?:^|\/)windows\/(?:servercore|server)(?:\/|$)|(?:^|\/)mcr\.microsoft\.com\/windows$|(?:^|\/)dotnet\/framework(?:\/|$)/.test(repository) || /windowsservercore/.test(tag);
}

/** Whether the image is made of Nano Server, by its repository or tag. */
export function isNanoServer(image: string | null): boolean {
  return image !== null && /nanoserver/.test(image.toLowerCase());
}

function splitImage(image: string): { readonly repository: string; readonly tag: string } {
  const [named = ''] = image.toLowerCase().split('@');
  const colon = named.lastIndexOf(':');
  return colon > named.lastIndexOf('/') ? { repository: named.slice(0, colon), tag: named.slice(colon + 1) } : { repository: named, tag: '' };
}
