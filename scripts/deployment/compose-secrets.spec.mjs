import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { DATABASES } from '../../libs/contracts/src/databases.js';
import { SERVICES } from '../../libs/contracts/src/services.js';
import { composeSecrets, writeComposeSecrets } from '../compose-secrets.mjs';
import { run } from '../processes/run.mjs';
import { inRoot } from '../root.mjs';
import { knowsSyncInterval, natsProgram } from '../servers/programs.mjs';
import { temporaryFolder } from '../testing/temporary-folder.mjs';
import { serviceVariables } from './service-variables.mjs';

const snake = (/** @type {string} */ name) => name.replaceAll('-', '_');

describe('the secrets of docker-compose.yml', () => {
  const inParent = temporaryFolder();
  const inFolder = (/** @type {string[]} */ ...name) => inParent('secrets', ...name);

  const read = async () => {
    const names = await readdir(inFolder());
    return Object.fromEntries(
      await Promise.all(names.map(async (name) => [name, await readFile(inFolder(name), 'utf8')])),
    );
  };

  it('are made once, for their owner and the containers alone', async () => {
    const made = await writeComposeSecrets(inFolder());
    const first = await read();
    expect(made.sort()).toEqual(Object.keys(composeSecrets()).sort());
    expect(Object.keys(first).sort()).toEqual(made.sort());
    expect(await writeComposeSecrets(inFolder())).toEqual([]);
    expect(await read()).toEqual(first);
    // The folder keeps everybody else on the machine out; in the containers the files are readable.
    expect((await stat(inFolder())).mode & 0o777).toBe(0o700);
    for (const name of made) expect((await stat(inFolder(name))).mode & 0o777).toBe(0o444);
    const random = Object.entries(first).filter(([name]) => !/_url$/.test(name));
    expect(new Set(random.map(([, value]) => value)).size).toBe(random.length);
  });

  it('that are missing are added to those that are there, which stay', async () => {
    await writeComposeSecrets(inFolder());
    const first = await read();
    await rm(inFolder('identity_database_url'));
    await rm(inFolder('smtp_url'));
    await writeFile(inFolder('smtp_url'), 'smtps://user:password@mail.example.com:465\n');
    expect(await writeComposeSecrets(inFolder())).toEqual(['identity_database_url']);
    expect(await read()).toEqual({ ...first, smtp_url: 'smtps://user:password@mail.example.com:465\n' });
  });

  it('are those of the databases, users and keys that the platform has', async () => {
    const names = Object.keys(composeSecrets());
    const natsUsers = [...SERVICES, 'provisioner'].map((user) => `nats_password_${snake(user)}`);
    expect(names.filter((name) => name.startsWith('nats_password_')).sort()).toEqual(natsUsers.sort());
    const owners = Object.keys(DATABASES).map((service) => `${snake(service)}_owner_password`);
    expect(names.filter((name) => name.endsWith('_owner_password')).sort()).toEqual(owners.sort());
    /** @type {string[]} */
    const keys = [];
    for (const service of SERVICES) {
      if ((await serviceVariables(service)).known.includes('KEY_ENCRYPTION_KEY'))
        keys.push(`${snake(service)}_key_encryption_key`);
    }
    expect(names.filter((name) => name.endsWith('_key_encryption_key')).sort()).toEqual(keys.sort());
  });

  it('start NATS with the password of every user, whatever characters it has', async () => {
    await writeComposeSecrets(inFolder());
    // Without quotes the server would take this for a number with a unit.
    await rm(inFolder('nats_password_gateway'));
    await writeFile(inFolder('nats_password_gateway'), '12k');
    const program = await natsProgram();
    const configuration = await readFile(inRoot('deploy', 'nats', 'nats-server.conf'), 'utf8');
    const file = inParent('nats-server.conf');
    // The Debian package may be older than that setting.
    const knows = await knowsSyncInterval(program);
    await writeFile(file, knows ? configuration : configuration.replace(/^ *sync_interval:.*\n/m, ''));
    const start = (/** @type {string} */ secrets) =>
      run('sh', [inRoot('deploy', 'nats', 'start-with-secrets.sh'), program, '-t', '-c', file], {
        env: { PATH: process.env.PATH, NATS_SECRETS: secrets },
      });
    const accepted = await start(inFolder());
    expect([accepted.code, accepted.stdout + accepted.stderr]).toEqual([0, expect.stringContaining('is valid')]);

    await rm(inFolder('nats_password_identity'));
    const refused = await start(inFolder());
    expect([refused.code, refused.stdout + refused.stderr]).toEqual([
      1,
      expect.stringContaining('NATS_PASSWORD_IDENTITY'),
    ]);
  });
});
