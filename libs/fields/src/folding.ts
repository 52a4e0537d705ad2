/**
 * How texts are made alike, in one place. Uniqueness ignores case and the white space around, but not accents:
 * "Müller" and "Muller" are two people. Search ignores accents too: who looks for "muller" wants both.
 */

/** Accents and other marks of the Latin, Greek and Cyrillic scripts; marks of other scripts are letters' parts. */
const COMBINING_DIACRITICS = /[\u0300-\u036f]/g;

/**
 * Case folding by the full Unicode mappings: ß, ẞ and SS, ς and Σ become alike. Small letters come first, because the
 * capital ẞ is no capital of ß to the mappings.
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
