import { CORE_OBJECTS } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import { UNSET_SLOTS } from '@crm/fields';
import type { QueryRunner } from 'typeorm';

/** Companies are found by industry and city: those of before have none, which their slots say. */
export class SlotsOfCompanies1795500001731 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    const { id, fields } = CORE_OBJECTS.company;
    const slots = [fields.industry.slot, fields.city.slot];
    // The policies of the owner admit no rows of any tenant.
    await runner.query('ALTER TABLE custom_record NO FORCE ROW LEVEL SECURITY');
    await runner.query(
      `UPDATE custom_record SET ${slots.map((slot) => `${slot} = coalesce(${slot}, '${UNSET_SLOTS.text}')`).join(', ')}
        WHERE object_id = $1 AND deleted_at IS NULL`,
      [id],
    );
    await runner.query('ALTER TABLE custom_record FORCE ROW LEVEL SECURITY');
  }
}
