// npm run compose:secrets: makes the passwords and keys of docker-compose.yml, once. Needs Node alone.
import { writeComposeSecrets } from './deployment/compose-secrets.mjs';
import { runCommand } from './plain-error.mjs';
import { inRoot } from './root.mjs';

await runCommand(async () => {
  const made = await writeComposeSecrets(inRoot('deploy', 'compose', 'secrets'));
  process.stdout.write(
    made.length === 0
      ? 'deploy/compose/secrets has every secret already\n'
      : `${made.length} secrets made in deploy/compose/secrets. Keep a copy elsewhere: without them the data is lost\n`,
  );
});
