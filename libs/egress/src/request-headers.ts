/**
 * Headers that describe the connection or the framing and are therefore set by the client alone (RFC 9110 7.6.1,
 * RFC 9112). A caller's `host` would defeat the check of the URL, `accept-encoding` the rule against decompression.
 */
const CLIENT_HEADERS = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer'],
  ...['proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'accept-encoding'],
]);

/**
 * The headers to send: names in lower case, without those that only the client may set.
 *
 * @param headers names and values from the caller
 * @param userAgent used unless the caller sets one
 */
export function outgoingHeaders(headers: Record<string, string>, userAgent: string): Record<string, string> {
  const given = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !CLIENT_HEADERS.has(name));
  return { 'user-agent': userAgent, ...Object.fromEntries(given), 'accept-encoding': 'identity' };
}
