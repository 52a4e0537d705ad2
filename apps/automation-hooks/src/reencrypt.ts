import { sealedColumns } from './hook/hook.service.js';
import 'reflect-metadata';
import { reencryptProgram } from '@crm/encryption';
import { loadConfig } from './config.js';

// Run as a program, by hand: `node dist/reencrypt.js`. Seals again what other encryption keys than the current one sealed.
const { database, encryptionKey: keys } = loadConfig();
await reencryptProgram({ database, keys, columns: sealedColumns });
