import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/**
 * When a host user was linked, so that undoing a change of an address ends the links that whoever made it has made since.
 * And the narrow role, which takes domains away, sees whether the workspace needs them to sign in.
 */
export class LinkTimesAndWaysIn1795800000822 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    // Links from before stay without a time and are not ended: nobody can say whether they are older than a change.
    await runner.query('ALTER TABLE embed_user ADD COLUMN linked_at timestamptz');
    await runner.query('ALTER TABLE embed_user ALTER COLUMN linked_at SET DEFAULT now()');
    const columns = 'tenant_id, second_factor, single_sign_on';
    await runner.query(`GRANT SELECT (${columns}) ON sign_in_policy TO ${DATABASES.identity.narrowRole}`);
  }
}
