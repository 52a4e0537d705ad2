/**
 * Headers that describe the connection or the framing and therefore belong to the client alone (RFC 9110 7.6.1,
 * RFC 9112). `host` would defeat the check of the URL, `accept-encoding` the rule that nothing is decompressed.
 */
const OWN_HEADERS = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer'],
  ...['proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'accept-encoding'],
]);

/**
 * The headers as they go out: names in lower case, the client's own ones left out of what the caller gave.
 *
 * @param headers names and values of the caller
 * @param userAgent sent unless the caller gives one
 */
export function outgoingHeaders(headers: Record<string, string>, userAgent: string): Record<string, string> {
  const given = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !OWN_HEADERS.has(name));
  return { 'user-agent': userAgent, ...Object.fromEntries(given), 'accept-encoding': 'identity' };
}
