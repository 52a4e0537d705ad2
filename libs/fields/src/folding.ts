/**
 * How texts are normalised for comparison. Uniqueness ignores case and surrounding white space, but not accents:
 * "Müller" and "Muller" are two people. Search ignores accents too: a search for "muller" finds both.
 */

/** Accents and other marks of the Latin, Greek and Cyrillic scripts; in other scripts, marks are part of a letter. */
const COMBINING_DIACRITICS = /[\u0300-\u036f]/g;

/**
 * Case folding by the full Unicode mappings: ß, ẞ and SS become equal, and so do ς and Σ. Lower case comes first because
 * the mappings do not treat the capital ẞ as the upper case of ß.
 */
function foldCase(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

/** The form in which texts are compared for uniqueness. */
export function foldForUniqueness(text: string): string {
  return foldCase(text.normalize('NFC')).normalize('NFC').trim();
}

/** Text folded for search: lower case, without accents, runs of white space as one space, trimmed. */
export function foldForSearch(text: string): string {
  const bare = text.normalize('NFKD').replace(COMBINING_DIACRITICS, '');
  return foldCase(bare)
    .normalize('NFKD')
    .replace(COMBINING_DIACRITICS, '')
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Folding takes a character out of its context at the end of a part; so many more are folded than are used. */
const MARGIN = 100;

/**
 * The beginning of a text folded for search, for long texts: no more of the text is folded than is needed.
 * @param length longest result, in code units
 */
export function foldForSearchUpTo(text: string, length: number): string {
  for (let end = length + MARGIN; end < text.length; end *= 2) {
    const folded = foldForSearch(text.slice(0, end));
    // Shorter when much of the text is marks or white space, which folding removes.
    if (folded.length >= length + MARGIN) return folded.slice(0, length);
  }
  return foldForSearch(text).slice(0, length);
}
