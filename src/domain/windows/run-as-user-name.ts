/**
 * The API server's own test of windowsOptions.runAsUserName.
 * https://github.com/kubernetes/kubernetes/blob/v1.37.2/pkg/apis/core/validation/validation.go (validateWindowsSecurityContextOptions), read 2026-11-30
 */

const MAX_DOMAIN_BYTES = 256;
const MAX_USER_BYTES = 104;
// Go's \[[:cntrl:]] is ASCII only.
// eslint-disable-next-line no-control-regex
const CONTROL_CHARACTER = /[\u0000-\u001f\u007f]/;
const NETBIOS_DOMAIN = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/u;
const DNS_DOMAIN = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$/;
const FORBIDDEN_IN_USER = /["/\\:;|=,+*?<>@[\]]/;

const encoder = new TextEncoder();
/** Lengths are those of Go's strings: bytes of UTF-8. */
const byteLength = (text: string): number => encoder.encode(text).length;

/** What is wrong with a user name, in the server's words; empty for one that it takes. */
export function problemsOfRunAsUserName(name: string): readonly string[] {
  if (name === '') return ['runAsUserName cannot be an empty string'];
  if (CONTROL_CHARACTER.test(name)) return ['runAsUserName cannot contain control characters'];
  const parts = name.split('\\');
  if (parts.length > 2) return ['runAsUserName cannot contain more than one backslash'];
  const user = parts.at(-1) ?? '';
  const domain = parts.length === 2 ? parts[0] ?? '' : null;
  const problems: string[] = [];
  if (domain !== null && byteLength(domain) >= MAX_DOMAIN_BYTES) problems.push(`runAsUserName's Domain length must be under ${MAX_DOMAIN_BYTES} characters`);
  if (domain !== null && !NETBIOS_DOMAIN.test(domain) && !DNS_DOMAIN.test(domain)) problems.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  if (user === '') problems.push("runAsUserName's User cannot be empty");
  else if (byteLength(user) > MAX_USER_BYTES) problems.push(`runAsUserName's User length must not be longer than ${MAX_USER_BYTES} characters`);
  if (/^[. ]+$/.test(user)) problems.push("runAsUserName's User cannot contain only periods or spaces");
  if (FORBIDDEN_IN_USER.test(user)) problems.push('runAsUserName\'s User cannot contain the following characters: "/\\:;|=,+*?<>@[]');
  return problems;
}
