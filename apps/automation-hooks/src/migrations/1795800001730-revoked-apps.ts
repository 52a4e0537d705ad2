import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { acceptCalls } from './1795800001670-functions-of-a-tenant.js';
import { RULE } from './1795800001720-clocks-that-were-ahead.js';

/** The same beside it, which the version before calls, but that workflows of revoked apps accept nothing. */
const ACCEPT_CALLS_OF_OTHERS = acceptCalls(RULE)
  .replace('queue_is_full boolean)', 'queue_is_full boolean, revoked_apps text[])')
  .replace('AND w.enabled', 'AND w.enabled AND (w.app_key = ANY (revoked_apps)) IS NOT TRUE');

/** Hooks of revoked apps are unknown; what is shared with an app goes to its installation and not to its sandboxes. */
export class RevokedApps1795800001730 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(ACCEPT_CALLS_OF_OTHERS);
    const { narrowRole } = DATABASES['automation-hooks'];
    await runner.query(`GRANT SELECT (app_key) ON workflow TO ${narrowRole}`);
    await runner.query('ALTER TABLE workflow ADD COLUMN sandbox boolean NOT NULL DEFAULT false');
  }
}
