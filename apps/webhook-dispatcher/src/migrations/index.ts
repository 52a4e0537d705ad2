import { DATABASES } from '@crm/contracts';
import { RemovedSubscriptions1795800001501 } from './1795800001501-removed-subscriptions.js';

export const databaseRoles = DATABASES['webhook-dispatcher'];
export const migrations = [RemovedSubscriptions1795800001501];
