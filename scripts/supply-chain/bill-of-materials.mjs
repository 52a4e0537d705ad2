import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import satisfies from 'spdx-satisfies';
import { PlainError } from '../plain-error.mjs';
import { runOrFail } from '../processes/run.mjs';
import { inRoot, ROOT } from '../root.mjs';
import { pnpmProgram, withoutNpmVariables } from '../setup/pnpm.mjs';

/** group: the scope, with its `@`.
 * @typedef {{ 'bom-ref': string, group?: string, name: string, version: string, licenses?: { license?: { id?: string, name?: string }, expression?: string }[] }} Component */
/** @typedef {{ components: Component[], dependencies: { ref: string, dependsOn?: string[] }[] }} Bill CycloneDX */

/** Licences we ship under: each asks that its notice be kept, and nothing of our own code. */
const ALLOWED = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause'],
  ...['ISC', 'MIT', 'MIT-0', 'Python-2.0', 'Unlicense'],
];

/** Packages whose package.json names no licence as SPDX does, with the one that their files state. */
const READ_BY_HAND = /** @type {Readonly<Record<string, string>>} */ ({
  'busboy@1.6.0': 'MIT',
  'passport-strategy@1.0.0': 'MIT',
  'pause@0.0.1': 'MIT',
  'streamsearch@1.1.0': 'MIT',
});

const NOTICE_FILE = /^(licen[cs]e|copying|notice)([-._].*)?$/i;
const README = /^readme(\.|$)/i;
/** From the heading to the next one of the same or a higher level. */
const LICENCE_SECTION = /^(#+)[ \t]*licen[cs]e\b[^\n]*\n(.*?)(?=^(?!\1#)#+ |$(?![\s\S]))/ims;

/** Writes `sbom.cdx.json`, the bill of materials, and `NOTICES.txt`, the licence texts. Without a folder it only judges.
 * @param {string} [folder] @returns {Promise<number>} how many packages others have written
 * @throws {PlainError} when one of them may not be shipped */
export async function writeDocuments(folder) {
  const bill = await billOfMaterials();
  const packages = thirdParty(bill);
  const problems = licenceProblems(packages);
  if (problems.length > 0) throw new PlainError(`${problems.join('\n')}\nWhat to do: docs/supply-chain.md#licences`);
  if (folder !== undefined) {
    await mkdir(folder, { recursive: true });
    await writeFile(path.join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 2)}\n`);
    await writeFile(path.join(folder, 'NOTICES.txt'), await noticesOf(packages));
  }
  return packages.length;
}

/** The bill of materials of everything we ship, by `pnpm sbom`. The same lockfile gives the same bytes.
 * @returns {Promise<Bill>} @throws {PlainError} when pnpm cannot make it */
export async function billOfMaterials() {
  const format = ['--sbom-format=cyclonedx', '--sbom-spec-version=1.6', '--sbom-type=application'];
  const stdout = await runOrFail(await pnpmProgram(), ['sbom', '--prod', ...format, '--filter=./apps/*'], {
    cwd: ROOT,
    env: withoutNpmVariables(process.env),
    failure: 'pnpm sbom failed',
  });
  const { serialNumber: _, ...bill } = JSON.parse(stdout);
  delete bill.metadata.timestamp;
  bill.components.sort(by('bom-ref'));
  bill.dependencies.sort(by('ref'));
  for (const { dependsOn } of bill.dependencies) dependsOn?.sort();
  return bill;
}

/** @type {(key: string) => (left: Record<string, string>, right: Record<string, string>) => number} */
const by = (key) => (left, right) => ((left[key] ?? '') < (right[key] ?? '') ? -1 : 1);

/** @param {Component} component */
const nameOf = ({ group, name }) => (group ? `${group}/${name}` : name);

/** @param {Component} component */
const licenceOf = (component) =>
  READ_BY_HAND[`${nameOf(component)}@${component.version}`] ??
  component.licenses?.map(({ license, expression }) => expression ?? license?.id ?? license?.name).join(' AND ');

/** @param {Bill} bill @returns {Component[]} the packages that others have written */
export const thirdParty = ({ components }) => components.filter(({ group }) => group !== '@crm');

/** @param {readonly Component[]} components @returns {string[]} a sentence for each whose licence is not on the list */
export function licenceProblems(components) {
  return components.flatMap((component) => {
    const licence = licenceOf(component);
    const what = `${nameOf(component)} ${component.version}`;
    if (licence && isAllowed(licence)) return [];
    return [`${what} is under ${licence || 'no stated licence'}, which is not on the list.`];
  });
}

/** @param {string} licence */
function isAllowed(licence) {
  try {
    return satisfies(licence, ALLOWED);
  } catch {
    // Not an SPDX expression, such as `SEE LICENSE IN file`: nobody has read it.
    return false;
  }
}

/** The licence texts that go with an image, because a bundle has no comments. Each part begins `<name> <version> (<licence>)`.
 * @param {readonly Component[]} components installed ones @param {string} [store] folder in which pnpm keeps them
 * @throws {PlainError} when one is not installed */
export async function noticesOf(components, store = inRoot('node_modules', '.pnpm')) {
  const entries = await readdir(store);
  const parts = components.map(async (component) => {
    const name = nameOf(component);
    const key = `${name.replace('/', '+')}@${component.version}`;
    const entry = entries.find((one) => one === key || one.startsWith(`${key}_`));
    if (!entry) throw new PlainError(`${name} ${component.version} is not installed: npm run build`);
    const body = await licenceText(path.join(store, entry, 'node_modules', name));
    return `${'-'.repeat(80)}\n\n${name} ${component.version} (${licenceOf(component)})\n\n${body}\n`;
  });
  const head = `The image contains the work of others, under these licences.
Node's own are in /usr/local/LICENSE, those of Debian's packages in /usr/share/doc/<package>/copyright.\n`;
  return [head, ...(await Promise.all(parts))].join('\n');
}

/** @param {string} folder of a package
 * @returns {Promise<string>} its notices; without a file of them, the section of its README; else its author */
async function licenceText(folder) {
  const read = async (/** @type {string} */ file) =>
    (await readFile(path.join(folder, file), 'utf8')).replaceAll('\r\n', '\n').trim();
  const files = (await readdir(folder)).sort();
  const texts = await Promise.all(files.filter((file) => NOTICE_FILE.test(file)).map(read));
  if (texts.length > 0) return texts.join('\n\n');
  const readme = files.find((file) => README.test(file));
  const section = readme && LICENCE_SECTION.exec(await read(readme))?.[2]?.trim();
  if (section) return section;
  const { author } = JSON.parse(await read('package.json'));
  const name = typeof author === 'string' ? author : author?.name;
  return `The package contains no text of its licence.${name ? ` Its author is ${name}.` : ''}`;
}
