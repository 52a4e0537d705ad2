// npm run audit [-- --registry <address>]: what the registry knows about the versions that we ship. Exits 1 for an advisory that
// supply-chain/audit-exceptions.json does not explain, 2 when the registry cannot be asked. Needs the network, so it is not
// part of npm test.
import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { PlainError, runCommand } from './plain-error.mjs';
import { lastLines, run } from './processes/run.mjs';
import { inRoot, ROOT } from './root.mjs';
import { pnpmProgram, withoutNpmVariables } from './setup/pnpm.mjs';
import { judgeAudit } from './supply-chain/audit-rule.mjs';

const EXCEPTIONS = 'scripts/supply-chain/audit-exceptions.json';
const NOT_ASKED = 2;

await runCommand(async () => {
  const { values } = parseArgs({ options: { registry: { type: 'string' } } });
  const registry = values.registry ? ['--registry', values.registry] : [];
  const outcome = await run(await pnpmProgram(), ['audit', '--prod', '--json', ...registry], {
    cwd: ROOT,
    env: withoutNpmVariables(process.env),
  });
  const report = parse(outcome.stdout);
  if (!report) {
    process.stderr.write(
      `The registry cannot be asked for advisories, so nothing is known:\n${lastLines(outcome.stderr || outcome.stdout, 8)}\n` +
        'Mirrors often refuse these questions: name another registry with npm run audit -- --registry <address>\n',
    );
    return NOT_ASKED;
  }
  const exceptions = JSON.parse(await readFile(inRoot(EXCEPTIONS), 'utf8'));
  const today = new Date().toISOString().slice(0, 10);
  const { problems, explained } = judgeAudit(Object.values(report.advisories), exceptions, today);
  for (const text of explained) process.stdout.write(`explained  ${text}\n`);
  for (const text of problems) process.stdout.write(`open       ${text}\n`);
  process.stdout.write(
    `${report.metadata.totalDependencies} packages: ${problems.length} open, ${explained.length} explained in ${EXCEPTIONS}\n`,
  );
  return problems.length > 0 ? 1 : 0;
});

/**
 * @param {string} text
 * @returns {{ advisories: Record<string, import('./supply-chain/audit-rule.mjs').Advisory>, metadata: { totalDependencies: number } } | undefined}
 *   undefined when pnpm has printed an error instead
 * @throws {PlainError} when the report has another form than the one that is understood
 */
function parse(text) {
  if (!text.trim().startsWith('{')) return undefined;
  const report = JSON.parse(text);
  if (report.error) return undefined;
  if (!report.advisories || !report.metadata)
    throw new PlainError('pnpm audit has printed a report of an unknown form.');
  return report;
}
