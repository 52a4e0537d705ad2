import satisfies from 'spdx-satisfies';

/**
 * Licences under which we ship what others have written, by their SPDX ids: each asks for its notice to be kept, which
 * `npm run sbom` does, and nothing of our own code. Another one is a decision for whoever owns the product.
 */
export const ALLOWED = /** @type {const} */ ([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/**
 * Versions of packages whose package.json does not say the licence as an SPDX expression, with what their files say.
 * @type {Readonly<Record<string, string>>}
 */
export const READ_BY_HAND = {
  // Readme.md
  'pause@0.0.1': 'MIT',
};

/**
 * @param {import('./installed-packages.mjs').Manifest} manifest
 * @returns {string | undefined} an SPDX expression; undefined when the package does not say
 */
export function licenceOf({ name, version, license, licenses }) {
  const byHand = READ_BY_HAND[`${name}@${version}`];
  if (byHand !== undefined) return byHand;
  if (typeof license === 'string') return license;
  // Forms of old package.json files: one object, and a list to choose from.
  const choices = [license, licenses].flat().flatMap((one) => (isTyped(one) ? [one.type] : []));
  return choices.length > 1 ? `(${choices.join(' OR ')})` : choices[0];
}

/**
 * @param {unknown} value
 * @returns {value is { type: string }}
 */
const isTyped = (value) =>
  typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';

/**
 * @param {Iterable<import('./installed-packages.mjs').InstalledPackage>} packages
 * @returns {string[]} a sentence for each that is not ours and is not under an allowed licence
 */
export function licenceProblems(packages) {
  return [...packages].flatMap(({ name, version, isOwn, manifest }) => {
    if (isOwn) return [];
    const licence = licenceOf(manifest);
    if (licence === undefined) return [`${name} ${version} does not say its licence.`];
    return isAllowed(licence) ? [] : [`${name} ${version} is under ${licence}, which is not on the list.`];
  });
}

/** @param {string} licence */
function isAllowed(licence) {
  try {
    return satisfies(licence, [...ALLOWED]);
  } catch {
    // Not an SPDX expression, such as `SEE LICENSE IN file`: nobody has read it.
    return false;
  }
}
