import { HOOK_PATH } from '@crm/contracts';

const HOOK = new RegExp(`(${HOOK_PATH}/[^/?#]*/)[^?#]+`, 'gi');

/** Replaces the secret in a path. */
export const REDACTED = '[redacted]';

/**
 * A request path in a form that can be shown, logged or traced: without its query and the secret of a hook URL. The
 * prefix is recognised in percent-encoded and mixed-case spellings too.
 */
export function redactPath(url: string): string {
  const end = url.search(QUERY);
  const path = end < 0 ? url : url.slice(0, end);
  if (!SUSPICIOUS.test(path)) return path;
  const redacted = path.replace(HOOK, `$1${REDACTED}`);
  if (redacted !== path) return redacted;
  // A path with escapes, doubled slashes or dot segments does not match literally: compare its normalised form.
  const plain = plainPath(path);
  return HOOK_PLAIN.test(plain) ? plain.replace(HOOK, `$1${REDACTED}`) : path;
}

/** A path without any of these is already normalised and is not a hook URL. */
const SUSPICIOUS = new RegExp(`[%\\\\]|//|/\\.|${HOOK_PATH}/`, 'i');
const QUERY = /[?#]/;
const HOOK_PLAIN = new RegExp(`${HOOK_PATH}/[^/]*/[^/]`, 'i');

function plainPath(path: string): string {
  let plain = path;
  // A doubly encoded path is decoded twice; no hop would accept a hook URL that is encoded more often.
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
