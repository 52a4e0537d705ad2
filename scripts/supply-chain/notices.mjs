import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { licenceOf } from './licence-rule.mjs';

/** Files in which packages keep their licence, and what Apache-2.0 asks to be passed on. */
const NOTICE_FILE = /^(licen[cs]e|copying|notice)([-._].*)?$/i;
const README = /^readme(\.|$)/i;
/** From the heading on, up to the next of the same or a higher level. */
const LICENCE_SECTION = /^(#+)[ \t]*licen[cs]e\b[^\n]*\n(.*?)(?=^(?!\1#)#+ |$(?![\s\S]))/ims;

/** @typedef {import('./installed-packages.mjs').InstalledPackage} InstalledPackage */

/**
 * What must go with an image: a bundle has no comments, so the notices that the licences ask to be kept are kept here. Each
 * begins with a line `<name> <version> (<licence>)`.
 * @param {string} image
 * @param {readonly Pick<InstalledPackage, 'name' | 'version' | 'folder' | 'manifest'>[]} packages of others, sorted
 * @returns {Promise<string>}
 */
export async function noticesOf(image, packages) {
  const parts = await Promise.all(
    packages.map(async ({ name, version, folder, manifest }) => {
      const texts = await licenceTexts(folder);
      const body = texts.join('\n\n') || `The package contains no text of its licence.${authorOf(manifest)}`;
      return `${name} ${version} (${licenceOf(manifest)})\n\n${body}\n`;
    }),
  );
  const line = `\n${'-'.repeat(80)}\n\n`;
  return `${introduction(image)}${parts.map((part) => line + part).join('')}`;
}

/** @param {string} image */
const introduction = (image) => `The image ${image} contains the work of others, under these licences.
Node's own are in /usr/local/LICENSE, those of Debian's packages in /usr/share/doc/<package>/copyright.
`;

/**
 * @param {string} folder of a package
 * @returns {Promise<string[]>} its notices; where it has no file of them, what its README says
 */
async function licenceTexts(folder) {
  const files = (await readdir(folder)).sort();
  const read = async (/** @type {string} */ file) =>
    (await readFile(path.join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim();
  const texts = await Promise.all(files.filter((file) => NOTICE_FILE.test(file)).map(read));
  const readme = files.find((file) => README.test(file));
  if (texts.length > 0 || readme === undefined) return texts;
  const section = LICENCE_SECTION.exec(await read(readme))?.[2]?.trim();
  return section ? [section] : [];
}

/** @param {import('./installed-packages.mjs').Manifest} manifest */
function authorOf({ author }) {
  const name = typeof author === 'string' ? author : author?.name;
  return name ? ` Its author is ${name}.` : '';
}
