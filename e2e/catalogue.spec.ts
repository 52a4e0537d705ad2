import { DATABASES, GLOBAL_TABLES, type StatefulService } from '@crm/contracts';
import { catalogueProblems } from '@crm/database';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { addresses } from './platform/addresses.js';

/** The tables of each database that isolate their rows, in alphabetical order. */
const TABLES: Readonly<Record<StatefulService, string>> = {
  identity:
    'app_user embed_client embed_user idempotency invitation mail mfa_challenge operator operator_session outbox pending_cutoff refresh_token revocation_cutoff session sign_in_email signing_key tenant',
  crm: 'company contact idempotency lead opportunity outbox task',
  'custom-objects': 'custom_field custom_object custom_record custom_unique idempotency outbox',
  'automation-hooks': 'dead_letter hook hook_secret inbox run run_queue run_step workflow',
  'webhook-dispatcher':
    'app_secret dead_letter delivery delivery_attempt inbox outbox subscription_queue webhook_subscription',
  'marketplace-certification':
    'app app_version app_webhook_secret certification idempotency install_audit install_count installation installation_step installation_work outbox rating submission_audit',
};

describe('the catalogue', () => {
  it.each(Object.keys(DATABASES) as StatefulService[])(
    'the database of %s isolates tenants in every table',
    async (service) => {
      const url = new URL(addresses.databaseUrl);
      url.pathname = `/${DATABASES[service].database}`;
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      try {
        const queryable = {
          query: async <Row>(sql: string, parameters: readonly unknown[] = []) =>
            (await client.query(sql, [...parameters])).rows as Row[],
        };
        expect(await catalogueProblems(queryable, GLOBAL_TABLES[service])).toEqual([]);
        const isolated = await queryable.query<{ name: string }>(
          'SELECT relname AS name FROM pg_class WHERE relrowsecurity AND relforcerowsecurity AND NOT relispartition',
        );
        expect(isolated.map(({ name }) => name).sort()).toEqual(TABLES[service].split(' '));
      } finally {
        await client.end();
      }
    },
  );
});
