import 'reflect-metadata';
import { Database } from '@crm/database';
import { loadConfig } from './config.js';
import { entities } from './entities.js';
import { SigningKeyRepository } from './keys/signing-key.repository.js';
import { SigningKeyService } from './keys/signing-key.service.js';

// Run as a program, by hand or on a schedule: `node dist/rotate-keys.js api` (or `admin`). The running replicas read the
// new key within seconds.
const group = process.argv[2];
if (group !== 'api' && group !== 'admin') {
  process.stderr.write('Name the keys to rotate: api (tenants) or admin (operators)\n');
  process.exit(2);
}
const config = loadConfig();
const database = new Database(config.database, entities);
try {
  const kid = await new SigningKeyService(database, new SigningKeyRepository(), config).rotate(group);
  process.stdout.write(`${kid} is published now and signs in ten minutes\n`);
} finally {
  await database.close();
}
