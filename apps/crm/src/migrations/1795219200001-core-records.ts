import { DATABASES } from '@crm/contracts';
import { createOutboxTable, createTenantTable, ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

/** Columns every record has. Milliseconds, as JSON shows them, so that a cursor's time finds its row again. */
const HEAD = `
  id uuid NOT NULL,
  version integer NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  search_text text COLLATE "C" NOT NULL`;

/** Orders in which every list can be read. */
const HEAD_INDEXES = ['created_at, id', 'updated_at, id'];

const TEXT = 'text COLLATE "C"';

/**
 * A table for each core object. Text is compared by code point and numbers are float8, because under row-level security
 * only leakproof comparisons may use an index.
 */
export class CoreRecords1795219200001 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    const roles = DATABASES.crm;

    await createTenantTable(runner, roles, {
      name: 'company',
      columns: `${HEAD},
        name ${TEXT} NOT NULL,
        website ${TEXT},
        phone ${TEXT}`,
      indexes: [...HEAD_INDEXES, 'name, id', 'phone, id'],
    });

    await createTenantTable(runner, roles, {
      name: 'contact',
      columns: `${HEAD},
        first_name ${TEXT},
        last_name ${TEXT} NOT NULL,
        email ${TEXT},
        phone ${TEXT},
        company_id uuid`,
      indexes: [...HEAD_INDEXES, 'last_name, id', 'email, id', 'phone, id', 'company_id, id'],
      references: [{ columns: ['company_id'], table: 'company' }],
    });

    await createTenantTable(runner, roles, {
      name: 'lead',
      columns: `${HEAD},
        first_name ${TEXT},
        last_name ${TEXT} NOT NULL,
        email ${TEXT},
        phone ${TEXT},
        company_name ${TEXT},
        status ${TEXT},
        source ${TEXT},
        owner_id uuid`,
      indexes: [
        ...HEAD_INDEXES,
        'last_name, id',
        'email, id',
        'phone, id',
        'company_name, id',
        'status, id',
        'source, id',
        'owner_id, id',
      ],
    });

    await createTenantTable(runner, roles, {
      name: 'opportunity',
      columns: `${HEAD},
        name ${TEXT} NOT NULL,
        amount float8,
        currency ${TEXT},
        stage ${TEXT},
        status ${TEXT} NOT NULL,
        close_date date,
        company_id uuid,
        contact_id uuid`,
      indexes: [
        ...HEAD_INDEXES,
        'name, id',
        'amount, id',
        'currency, id',
        'stage, id',
        'status, id',
        'close_date, id',
        'company_id, id',
        'contact_id, id',
      ],
      references: [
        { columns: ['company_id'], table: 'company' },
        { columns: ['contact_id'], table: 'contact' },
      ],
    });

    await createTenantTable(runner, roles, {
      name: 'task',
      columns: `${HEAD},
        title ${TEXT} NOT NULL,
        description ${TEXT},
        due_at timestamptz(3),
        status ${TEXT} NOT NULL,
        assignee_id uuid,
        related_to uuid`,
      indexes: [...HEAD_INDEXES, 'title, id', 'due_at, id', 'status, id', 'assignee_id, id', 'related_to, id'],
    });

    await createOutboxTable(runner, roles);
  }
}
