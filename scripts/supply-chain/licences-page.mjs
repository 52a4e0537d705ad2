import { licenceOf } from './licence-rule.mjs';

/**
 * docs/reference/licences.md: what others have written and we ship, by licence. Without versions, so that an upgrade is not
 * a change of this page; those are in the bills of materials.
 * @param {Iterable<import('./installed-packages.mjs').InstalledPackage>} packages
 * @returns {string}
 */
export function licencesPage(packages) {
  /** @type {Map<string, Set<string>>} */
  const byLicence = new Map();
  for (const { name, isOwn, manifest } of packages) {
    // What is made for one kind of machine is installed on that kind alone; the package that asks for it is listed.
    if (isOwn || manifest.os || manifest.cpu) continue;
    const licence = licenceOf(manifest) ?? 'not said';
    const names = byLicence.get(licence) ?? new Set();
    byLicence.set(licence, names.add(name));
  }
  const sections = [...byLicence]
    .sort(([left, these], [right, those]) => those.size - these.size || (left < right ? -1 : 1))
    .map(
      ([licence, names]) =>
        `## ${licence}\n\n${[...names]
          .sort()
          .map((name) => `\`${name}\``)
          .join(', ')}\n`,
    );
  return `# Licences

The npm packages of others that the services, \`crm-dev\` and \`@crm/sdk\` need while they run, by licence. Packages of which
each machine installs its own variant are listed once, by the package that asks for them. \`npm run docs\` writes this page;
\`npm run licences\`, part of \`npm test\`, refuses a licence that is not on the list of
[licence-rule.mjs](../../scripts/supply-chain/licence-rule.mjs). Which versions an image contains, and the texts of their
licences, is what [\`npm run sbom\`](../supply-chain.md) writes.

${sections.join('\n')}`;
}
