import { CORE_OBJECTS, DEFAULT_PIPELINE } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import { UNSET_SLOTS } from '@crm/fields';
import type { QueryRunner } from 'typeorm';

interface DefaultOption {
  readonly value: string;
}

const OPTIONS = (texts: Readonly<Record<string, { readonly en: string }>>): DefaultOption[] =>
  Object.entries(texts).map(([value, { en: label }]) => ({ value, label, active: true, isNamedByCatalogue: true }));

const STAGES: DefaultOption[] = Object.entries(DEFAULT_PIPELINE.stages).map(([value, { label, ...stage }]) => ({
  ...{ value, label: label.en, active: true, isNamedByCatalogue: true },
  ...stage,
}));

/**
 * Options of standard picklists belong to the workspace: what records of before have becomes an option of theirs, after those that
 * every workspace begins with. A stage all of whose deals are won means won, and likewise lost.
 */
export class Picklists1795500001720 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE custom_object ALTER COLUMN installation_id DROP NOT NULL, ALTER COLUMN app_key DROP NOT NULL,
                                ADD COLUMN settings jsonb`);
    const tables = ['custom_record', 'custom_object'];
    // The policies of the owner admit no rows of any tenant.
    for (const table of tables) await runner.query(`ALTER TABLE ${table} NO FORCE ROW LEVEL SECURITY`);
    const { lead, opportunity, task } = CORE_OBJECTS;
    await clearEmpty(runner, lead.id, lead.fields.status);
    await clearEmpty(runner, lead.id, lead.fields.source);
    await clearEmpty(runner, opportunity.id, opportunity.fields.stage);
    for (const name of ['status', 'source'] as const) {
      const { key, options } = lead.fields[name];
      await keep(
        runner,
        lead,
        OPTIONS(options),
        `SELECT tenant_id, data->>'${key}' AS value, '{}'::jsonb AS more FROM custom_record
          WHERE object_id = '${lead.id}' GROUP BY 1, 2`,
        `jsonb_build_object('picklists', jsonb_build_object('${name}', options))`,
      );
    }
    const { stage, status } = opportunity.fields;
    const all = (meaning: string) => `bool_and(data->>'${status.key}' = '${meaning}')`;
    await keep(
      runner,
      opportunity,
      STAGES,
      `SELECT tenant_id, data->>'${stage.key}' AS value,
              CASE WHEN ${all('won')} THEN '{"meaning": "won", "probability": 100}'
                   WHEN ${all('lost')} THEN '{"meaning": "lost", "probability": 0}'
                   ELSE '{"meaning": "open", "probability": 50}' END::jsonb AS more
         FROM custom_record WHERE object_id = '${opportunity.id}' GROUP BY 1, 2`,
      `jsonb_build_object('pipelines', jsonb_build_array(jsonb_build_object('id', '${DEFAULT_PIPELINE.id}',
         'name', '${DEFAULT_PIPELINE.name.en}', 'isNamedByCatalogue', true, 'stages', options)))`,
    );
    const { slot } = task.fields.priority;
    await runner.query(
      `UPDATE custom_record SET ${slot} = '${UNSET_SLOTS.text}' WHERE object_id = $1 AND deleted_at IS NULL AND ${slot} IS NULL`,
      [task.id],
    );
    for (const table of tables) await runner.query(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`);
  }
}

/** An empty text is no option. */
async function clearEmpty(
  runner: QueryRunner,
  objectId: string,
  { key, slot }: { readonly key: number; readonly slot: string },
): Promise<void> {
  await runner.query(
    `UPDATE custom_record SET data = data - '${key}', ${slot} = CASE WHEN deleted_at IS NULL THEN '${UNSET_SLOTS.text}' END
      WHERE object_id = $1 AND data->>'${key}' = ''`,
    [objectId],
  );
}

/**
 * Options of the tenants whose records have others than the defaults.
 * @param values a query that gives tenant, value and what else an option has
 * @param settings an expression on the column `options`
 */
async function keep(
  runner: QueryRunner,
  object: (typeof CORE_OBJECTS)['lead' | 'opportunity'],
  defaults: readonly DefaultOption[],
  values: string,
  settings: string,
): Promise<void> {
  const name = object === CORE_OBJECTS.lead ? 'lead' : 'opportunity';
  await runner.query(
    `INSERT INTO custom_object (tenant_id, id, sandbox, declared_api_name, api_name, label, plural_label, settings)
     SELECT tenant_id, '${object.id}'::uuid, false, '${name}', 'standard:${name}', '${object.label.en}', '${object.pluralLabel.en}', ${settings}
       FROM (SELECT tenant_id, $1::jsonb || jsonb_agg(
                      jsonb_build_object('value', value, 'label', value, 'active', true) || more ORDER BY value) AS options
               FROM (${values}) AS used
              WHERE value IS NOT NULL AND NOT value = ANY ($2::text[]) GROUP BY tenant_id) AS kept
     ON CONFLICT (tenant_id, id) DO UPDATE SET settings = jsonb_set(custom_object.settings, '{picklists}',
       custom_object.settings->'picklists' || (excluded.settings->'picklists'))`,
    [JSON.stringify(defaults), defaults.map(({ value }) => value)],
  );
}
