import { DATABASES } from '@crm/contracts';
import { Automations1795219200101 } from './1795219200101-automations.js';
import { HookAgain1795219200102 } from './1795219200102-hook-again.js';
import { DeadLetter1795219200103 } from './1795219200103-dead-letter.js';

export const databaseRoles = DATABASES['automation-hooks'];

export const migrations = [Automations1795219200101, HookAgain1795219200102, DeadLetter1795219200103];
