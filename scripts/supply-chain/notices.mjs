import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { licenceOf } from './licence-rule.mjs';

/** Files in which packages keep their licence, and what Apache-2.0 asks to be passed on. */
const NOTICE_FILE = /^(licen[cs]e|copying|notice)([-._].*)?$/i;

/**
 * What must go with an image: a bundle has no comments, so the notices that the licences ask to be kept are kept here.
 * @param {string} image
 * @param {readonly import('./installed-packages.mjs').InstalledPackage[]} packages of others, sorted
 * @returns {Promise<string>}
 */
export async function noticesOf(image, packages) {
  const parts = await Promise.all(
    packages.map(async ({ name, version, folder, manifest }) => {
      const files = (await readdir(folder)).filter((file) => NOTICE_FILE.test(file)).sort();
      const texts = await Promise.all(files.map((file) => readFile(path.join(folder, file), 'utf8')));
      const body = texts.map((text) => text.replaceAll('\r\n', '\n').trim()).join('\n\n');
      return `${name} ${version} (${licenceOf(manifest)})\n\n${body || 'The package contains no text of its licence.'}\n`;
    }),
  );
  const line = `\n${'-'.repeat(80)}\n\n`;
  return `The image ${image} contains the work of others, under these licences.\n${[...parts].map((part) => line + part).join('')}`;
}
