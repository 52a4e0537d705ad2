import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { PlainError } from '../plain-error.mjs';
import { expectedLabels } from './build.mjs';
import { readDockerfile, settingsOf } from './dockerfile.mjs';
import { BILL_FILE, NOTICES_FILE } from './document-files.mjs';

/** @typedef {import('./container.mjs').MountedImage} MountedImage */

/**
 * Looks at what was built, and not at what should have been: caches and builders can be wrong.
 * @param {Readonly<Record<string, Pick<MountedImage, 'root' | 'settings'>>>} images by target
 * @returns {Promise<string>} what was compared, for people
 * @throws {PlainError} with everything that is wrong
 */
export async function checkImages(images) {
  const counts = { labels: 0, texts: 0 };
  /** @type {string[]} */
  const problems = [];
  for (const [target, { root, settings }] of Object.entries(images)) {
    const labels = await expectedLabels(target);
    const { ports } = settingsOf(await readDockerfile(), target);
    const licences = await licenceTexts(root);
    const found = [
      ...labelProblems(settings.labels, labels),
      ...(String(settings.ports) === String(ports) ? [] : [`has the ports ${settings.ports}, and not ${ports}`]),
      ...licences.problems,
    ];
    problems.push(...found.map((problem) => `crm/${target} ${problem}`));
    counts.labels += Object.keys(labels).length;
    counts.texts += licences.count;
  }
  if (problems.length > 0) throw new PlainError(problems.join('\n'));
  return `${counts.labels} labels, licences of ${counts.texts} packages`;
}

/**
 * @param {Readonly<Record<string, string>>} labels
 * @param {Readonly<Record<string, string>>} expected
 * @returns {string[]}
 */
export const labelProblems = (labels, expected) =>
  Object.entries(expected).flatMap(([label, value]) =>
    labels[label] === value ? [] : [`has the label ${label} ${labels[label]}, and not ${value}`],
  );

/**
 * Whether the licence of everything by others goes with an image: of the npm packages in its bill of materials, of Debian's
 * packages, and of Node.
 * @param {string} root its file system
 * @returns {Promise<{ problems: string[], count: number }>} count: packages that have theirs
 */
export async function licenceTexts(root) {
  const inImage = (/** @type {string[]} */ ...parts) => path.join(root, ...parts);
  const notices = (await readOrNothing(inImage('app', NOTICES_FILE))).split('\n');
  const bill = await readOrNothing(inImage('app', BILL_FILE));
  /** @type {{ group?: string, name: string, version: string }[]} */
  const components = bill === '' ? [] : JSON.parse(bill).components;
  const npm = components
    .filter(({ group }) => group !== '@crm')
    .map(({ group, name, version }) => `${group ? `${group}/` : ''}${name} ${version}`);
  const debian = await debianPackages(root);
  const missing = [
    ...npm.filter((one) => !notices.some((line) => line.startsWith(`${one} (`))),
    ...(await without(debian, (name) => readOrNothing(inImage('usr', 'share', 'doc', name, 'copyright')))),
    ...(await without(['Node'], () => readOrNothing(inImage('usr', 'local', 'LICENSE')))),
  ];
  const empty = [npm, debian].some(({ length }) => length === 0);
  const problems = missing.map((one) => `has no licence of ${one}`);
  return {
    problems: [...(empty ? ['has no bill of materials, or no list of Debian packages'] : []), ...problems],
    count: npm.length + debian.length + 1 - missing.length,
  };
}

/**
 * @param {string} root
 * @returns {Promise<string[]>} the packages of Debian that are installed
 */
async function debianPackages(root) {
  const status = await readOrNothing(path.join(root, 'var', 'lib', 'dpkg', 'status'));
  return [...status.matchAll(/^Package: (\S+)/gm)].map(([, name = '']) => name);
}

/**
 * @param {readonly string[]} names
 * @param {(name: string) => Promise<string>} textOf
 * @returns {Promise<string[]>} those without a text
 */
async function without(names, textOf) {
  const texts = await Promise.all(names.map(textOf));
  return names.filter((_, index) => texts[index]?.trim() === '');
}

/** @param {string} file */
const readOrNothing = (file) =>
  readFile(file, 'utf8').catch((error) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
