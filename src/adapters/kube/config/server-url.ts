import { ClusterError } from '../../../errors.ts';

/**
 * The server as a URL without a trailing slash, query or fragment. A bare `host:port` means http, as client-go's
 * DefaultServerURL has it when nothing says TLS; a bare host with a path is an error there and here
 * (https://github.com/kubernetes/client-go/blob/v0.37.2/rest/url_utils.go, read 2026-11-30).
 */
export function serverUrl(server: string): string {
  const hasScheme = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/]/.test(server);
  const candidate = hasScheme ? server : `http://${server}`;
  if (!URL.canParse(candidate)) throw unusable(server);
  const url = new URL(candidate);
  if (!hasScheme && url.pathname !== '/') throw unusable(server);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ClusterError(`the server URL has the scheme ${JSON.stringify(url.protocol.slice(0, -1))}, it must be https or http`, { reason: 'BadConfiguration', suggestions: [EXAMPLE] });
  }
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

const EXAMPLE = 'write the server like https://host:6443';

function unusable(server: string): ClusterError {
  // A user and password in the URL stay out of the text.
  const shown = server.replace(/[^/@]*@/, '');
  return new ClusterError(`host must be a URL or a host:port pair: ${JSON.stringify(shown)}`, {
    reason: 'BadConfiguration',
    suggestions: [EXAMPLE],
  });
}
