// npm run sbom: the bill of materials (CycloneDX) and the licence texts of what we ship, in dist/sbom.
// With --licences it writes nothing, and refuses what is under a licence that is not on the list (npm run licences).
import { runCommand } from './plain-error.mjs';
import { inRoot } from './root.mjs';
import { writeDocuments } from './supply-chain/bill-of-materials.mjs';

await runCommand(async () => {
  const count = await writeDocuments(process.argv.includes('--licences') ? undefined : inRoot('dist', 'sbom'));
  process.stdout.write(`${count} packages of others are under licences of the list\n`);
});
