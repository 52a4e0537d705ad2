import { DATABASES } from '@crm/contracts';
import { HookSecrets1795800001201 } from './1795800001201-hook-secrets.js';

export const databaseRoles = DATABASES['automation-hooks'];
export const migrations = [HookSecrets1795800001201];
