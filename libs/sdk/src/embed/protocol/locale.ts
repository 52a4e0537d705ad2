/** Longest tag with a language, script, region and variant. */
const MAX_LENGTH = 35;

/** @returns the canonical spelling of a BCP 47 tag; undefined for anything else */
export function parseLocale(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return undefined;
  try {
    return Intl.getCanonicalLocales(value)[0];
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
