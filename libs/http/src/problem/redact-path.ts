const HOOK = /(\/api\/crm\/automations\/hooks\/[^/?#]*\/)[^?#]+/gi;

/** What stands in a path instead of its secret. */
export const REDACTED = '[redacted]';

/**
 * A request path as it may be shown, logged or traced: the query is cut off and the secret of a hook URL is replaced. The
 * prefix is recognised in percent-encoded and mixed-case spellings too.
 */
export function redactPath(url: string): string {
  const end = url.search(QUERY);
  const path = end < 0 ? url : url.slice(0, end);
  if (!SUSPICIOUS.test(path)) return path;
  const redacted = path.replace(HOOK, `$1${REDACTED}`);
  if (redacted !== path) return redacted;
  // A spelling with escapes, doubled slashes or dot segments does not match literally: compare its plain form.
  const plain = plainPath(path);
  return HOOK_PLAIN.test(plain) ? plain.replace(HOOK, `$1${REDACTED}`) : path;
}

/** Without any of these a path is in its plain form and names no hook. */
const SUSPICIOUS = /[%\\]|\/\/|\/\.|\/hooks\//i;
const QUERY = /[?#]/;
const HOOK_PLAIN = /\/api\/crm\/automations\/hooks\/[^/]*\/[^/]/i;

function plainPath(path: string): string {
  let plain = path;
  // Twice encoded is decoded twice; more often is no spelling of a hook URL that any hop would accept.
  for (let round = 0; round < 3; round += 1) {
    plain = plain.replace(/%([0-9a-f]{2})/gi, (_escape, hex: string) => {
      const code = Number.parseInt(hex, 16);
      return code > 0x20 && code < 0x7f ? String.fromCharCode(code) : `%${hex.toUpperCase()}`;
    });
  }
  return plain
    .replace(/\\/g, '/')
    .replace(/\/(\.?\/)+/g, '/')
    .replace(/\/[^/]+\/\.\.(?=\/)/g, '');
}
