/**
 * Headers that describe the connection or the framing and are therefore set by the client alone (RFC 9110 7.6.1,
 * RFC 9112). A caller's `host` would defeat the check of the URL, `accept-encoding` the rule against decompression.
 */
const CLIENT_HEADERS = new Set([
  ...['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive', 'upgrade', 'expect', 'te', 'trailer'],
  ...['proxy-connection', 'proxy-authorization', 'proxy-authenticate', 'accept-encoding'],
]);

/** Whether only the client sets a header, so that one of the caller is left out. @param name in lower case */
export const isClientHeader = (name: string): boolean => CLIENT_HEADERS.has(name);

/** Names and values from the caller: an object, or a list in which they alternate, for callers that send many requests. */
export type RequestHeaders = Readonly<Record<string, string>> | readonly string[];

/**
 * The headers to send, as a list in which names and values alternate: names in lower case, each once (the last value counts),
 * without those that only the client may set.
 *
 * @param userAgent used unless the caller sets one
 * @throws TypeError when a list has a name without a value
 */
export function outgoingHeaders(headers: RequestHeaders, userAgent: string): string[] {
  const list = ['accept-encoding', 'identity', 'user-agent', userAgent];
  if (isList(headers)) {
    if (headers.length % 2 !== 0) throw new TypeError('A list of headers has a name without a value');
    for (let at = 0; at < headers.length; at += 2) set(list, headers[at]!, headers[at + 1]!);
  } else {
    for (const name of Object.keys(headers)) set(list, name, headers[name]!);
  }
  return list;
}

function isList(headers: RequestHeaders): headers is readonly string[] {
  return Array.isArray(headers);
}

function set(list: string[], name: string, value: string): void {
  const lower = name.toLowerCase();
  if (CLIENT_HEADERS.has(lower)) return;
  for (let at = 0; at < list.length; at += 2) {
    if (list[at] === lower) {
      list[at + 1] = value;
      return;
    }
  }
  list.push(lower, value);
}
