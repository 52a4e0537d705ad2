import { createHash } from 'node:crypto';
import { licenceOf } from './licence-rule.mjs';

/** @typedef {import('./installed-packages.mjs').InstalledPackage} InstalledPackage */

/**
 * @typedef {object} Order
 * @property {string} image such as `crm/identity`
 * @property {string} version
 * @property {readonly { package: InstalledPackage, isBundled: boolean }[]} contents
 * @property {ReadonlyMap<string, string>} integrity of the packages of others by `name@version`, as in the lockfile
 * @property {string | undefined} timestamp RFC 3339
 */

/** The scheme of CycloneDX that is written; 1.7 is not read by every tool yet. */
export const SPEC_VERSION = '1.6';

/**
 * The bill of materials of an image, in the JSON of CycloneDX. The same contents give the same bytes.
 * @param {Order} order
 * @returns {Record<string, unknown>}
 */
export function billOfMaterials({ image, version, contents, integrity, timestamp }) {
  const imageRef = `${image}:${version}`;
  const sorted = contents.toSorted((left, right) => (refOf(left.package) < refOf(right.package) ? -1 : 1));
  const refs = new Map(sorted.map(({ package: one }) => [`${one.name}@${one.version}`, refOf(one)]));
  const dependencies = sorted.map(({ package: one }) => ({
    ref: refOf(one),
    dependsOn: [...one.dependencies].flatMap((key) => refs.get(key) ?? []).sort(),
  }));
  const needed = new Set(dependencies.flatMap(({ dependsOn }) => dependsOn));
  const roots = dependencies.flatMap(({ ref }) => (needed.has(ref) ? [] : [ref]));
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: SPEC_VERSION,
    version: 1,
    metadata: {
      ...(timestamp === undefined ? {} : { timestamp }),
      tools: { components: [{ type: 'application', name: 'crm-developer-platform/sbom', version }] },
      component: { type: 'container', 'bom-ref': imageRef, name: image, version },
    },
    components: sorted.map(({ package: one, isBundled }) => componentOf(one, isBundled, integrity)),
    dependencies: [{ ref: imageRef, dependsOn: roots }, ...dependencies],
    // What the base image brings (Node, the system's libraries) is in the base's own bill of materials.
    compositions: [{ aggregate: 'incomplete', assemblies: [imageRef] }],
  };
  const { bomFormat, specVersion, ...rest } = bom;
  return { bomFormat, specVersion, serialNumber: `urn:uuid:${uuidOf(JSON.stringify(bom))}`, ...rest };
}

/**
 * @param {InstalledPackage} one
 * @returns {string} its purl; ours are not on a registry and have none
 */
const refOf = ({ name, version, isOwn }) =>
  isOwn ? `${name}@${version}` : `pkg:npm/${name.replace('@', '%40')}@${encodeURIComponent(version)}`;

/**
 * @param {InstalledPackage} one
 * @param {boolean} isBundled
 * @param {Order['integrity']} integrity
 */
function componentOf(one, isBundled, integrity) {
  const { name, version, isOwn, manifest } = one;
  const [, group, short = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? [];
  const licence = licenceOf(manifest);
  const hash = isOwn ? undefined : integrity.get(`${name}@${version}`);
  return {
    type: 'library',
    'bom-ref': refOf(one),
    ...(group ? { group } : {}),
    name: short,
    version,
    ...(manifest.description ? { description: manifest.description } : {}),
    scope: 'required',
    ...(hash ? { hashes: hashesOf(hash) } : {}),
    ...(licence ? { licenses: licencesOf(licence) } : {}),
    ...(isOwn ? {} : { purl: refOf(one) }),
    properties: [{ name: 'crm:placement', value: isBundled ? 'bundled' : 'node_modules' }],
  };
}

/** @param {string} licence an SPDX expression */
const licencesOf = (licence) => (/[\s()]/.test(licence) ? [{ expression: licence }] : [{ license: { id: licence } }]);

/**
 * @param {string} integrity such as `sha512-<base64>`
 */
function hashesOf(integrity) {
  const [, bits, content = ''] = /^sha(512|384|256|1)-(.+)$/.exec(integrity) ?? [];
  return bits ? [{ alg: `SHA-${bits}`, content: Buffer.from(content, 'base64').toString('hex') }] : [];
}

/**
 * @param {string} text
 * @returns {string} a UUID (version 8, RFC 9562) that the text determines
 */
function uuidOf(text) {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
