import { CORE_OBJECTS } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import { UNSET_SLOTS } from '@crm/fields';
import type { QueryRunner } from 'typeorm';

/**
 * Contacts, companies and opportunities have owners: records of before have none, which their slots say. Texts get the digits of
 * phone numbers, by which these are found however they are written.
 */
export class OwnersAndPhones1795500001710 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    const tables = ['custom_record', 'record_search'];
    // The policies of the owner admit no rows of any tenant.
    for (const table of tables) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    for (const name of ['contact', 'company', 'opportunity'] as const) {
      const { id, fields } = CORE_OBJECTS[name];
      const { slot } = fields.ownerId;
      await runner.query(
        `UPDATE custom_record SET ${slot} = '${UNSET_SLOTS.text}' WHERE object_id = $1 AND deleted_at IS NULL AND ${slot} IS NULL`,
        [id],
      );
    }
    for (const name of ['lead', 'contact', 'company'] as const) {
      const { id, fields } = CORE_OBJECTS[name];
      const phone = `record.data->>'${fields.phone.key}'`;
      await runner.query(
        `UPDATE record_search AS search SET text = left(search.text || ' ' || regexp_replace(${phone}, '[^0-9]', '', 'g'), 8000)
           FROM custom_record AS record
          WHERE record.tenant_id = search.tenant_id AND record.object_id = search.object_id AND record.id = search.id
            AND search.object_id = $1 AND record.object_id = $1 AND search.audience = '' AND ${phone} IS NOT NULL`,
        [id],
      );
    }
    for (const table of tables) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  }
}
