import { DATABASES } from '@crm/contracts';
import { Automations1795219200101 } from './1795219200101-automations.js';
import { RunTraces1795600000001 } from './1795600000001-run-traces.js';
import { EncryptionKeys1795800000501 } from './1795800000501-encryption-keys.js';
import { HookSecrets1795800001201 } from './1795800001201-hook-secrets.js';

export const databaseRoles = DATABASES['automation-hooks'];

export const migrations = [
  Automations1795219200101,
  RunTraces1795600000001,
  EncryptionKeys1795800000501,
  HookSecrets1795800001201,
];
