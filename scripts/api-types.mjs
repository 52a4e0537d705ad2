// Writes the types of libs/api-client from the OpenAPI of a running gateway: node scripts/api-types.mjs [address]
import { writeFile } from 'node:fs/promises';
import { API_TYPES, apiTypes } from './openapi/api-types.mjs';
import { PlainError, runCommand } from './plain-error.mjs';
import { ROOT } from './root.mjs';

await runCommand(async () => {
  const [address = 'http://127.0.0.1:8080'] = process.argv.slice(2);
  const answer = await fetch(`${address}/api/openapi.json`).catch(() => undefined);
  if (!answer?.ok)
    throw new PlainError(`${address}/api/openapi.json cannot be read. Is the platform running (npm start)?`);
  await writeFile(API_TYPES, await apiTypes(await answer.text()));
  process.stdout.write(`${API_TYPES.slice(ROOT.length + 1)} is written\n`);
});
