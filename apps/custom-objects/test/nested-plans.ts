import type { TestDatabase } from '@crm/testing';
import pg from 'pg';

export async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The plans of the statements inside a function, by the role and the settings of the service. */
export const nestedPlans = ({ adminUrl, config }: TestDatabase, tenant: string, sql: string, parameters: unknown[]) =>
  withClient(adminUrl, async (client) => {
    const plans: string[] = [];
    client.on('notice', ({ message }) => plans.push(message ?? ''));
    await client.query("LOAD 'auto_explain'");
    await client.query("SELECT set_config('app.tenant_id', $1, false)", [tenant]);
    await client.query('SET auto_explain.log_min_duration = 0; SET auto_explain.log_nested_statements = on');
    await client.query('SET client_min_messages = log; SET plan_cache_mode = force_generic_plan');
    await client.query(`SET ROLE ${new URL(config.url).username}`);
    plans.length = 0;
    await client.query(sql, parameters);
    return plans.map((plan) => plan.replace(/ \(cost=.*\)/g, ''));
  });
