/** Any surrogate; a quick test that suffices for most texts. */
const SURROGATE = /[\ud800-\udfff]/;

/** A surrogate that is not part of a pair. */
const LONE_SURROGATE = /\p{Cs}/u;

function isIllFormed(text: string): boolean {
  return SURROGATE.test(text) && LONE_SURROGATE.test(text);
}

/**
 * The canonical form of a JSON value (RFC 8785): no white space, keys sorted by UTF-16 code units, numbers and
 * texts as ECMAScript writes them. Equal values have equal forms, so a hash of the form identifies a value.
 *
 * @param value a JSON value; its depth must be bounded by the caller
 * @throws TypeError for values that JSON cannot represent and for a lone surrogate, which has no UTF-8 form
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      if (isIllFormed(value)) throw new TypeError('a text contains a lone surrogate');
      return JSON.stringify(value);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError('a number is not finite');
      return JSON.stringify(value);
    case 'boolean':
      return String(value);
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? canonicalList(value) : canonicalObject(value as Record<string, unknown>);
    default:
      throw new TypeError(`JSON has no ${typeof value}`);
  }
}

function canonicalList(value: readonly unknown[]): string {
  let text = '[';
  for (let i = 0; i < value.length; i++) text += (i > 0 ? ',' : '') + canonicalJson(value[i]);
  return `${text}]`;
}

/** Keys that need neither escaping nor a check for surrogates: nearly all. */
const PLAIN_KEY = /^[\w$.-]*$/;

function canonicalObject(value: Record<string, unknown>): string {
  let text = '{';
  // The default order of sort() is by UTF-16 code units, as the RFC requires.
  for (const key of Object.keys(value).sort()) {
    const name = PLAIN_KEY.test(key) ? `"${key}"` : canonicalJson(key);
    text += `${text.length > 1 ? ',' : ''}${name}:${canonicalJson(value[key])}`;
  }
  return `${text}}`;
}
