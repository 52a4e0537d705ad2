// npm run licences: the licences of what others have written and we ship. Exits 1 if one is not on the list of
// scripts/supply-chain/licence-rule.mjs.
import { runCommand } from './plain-error.mjs';
import { installedPackages, shippedFolders } from './supply-chain/installed-packages.mjs';
import { licenceProblems } from './supply-chain/licence-rule.mjs';

await runCommand(async () => {
  const packages = installedPackages(shippedFolders());
  const problems = licenceProblems(packages.values());
  if (problems.length > 0) {
    process.stdout.write(
      `${problems.join('\n')}\nThe list, and what to do: scripts/supply-chain/licence-rule.mjs, docs/supply-chain.md\n`,
    );
    return 1;
  }
  const others = [...packages.values()].filter(({ isOwn }) => !isOwn);
  process.stdout.write(`${others.length} packages of others are under licences of the list\n`);
  return 0;
});
