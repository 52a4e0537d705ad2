import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';
import { acceptCalls, later, type RateRule, startRuns } from './1795800001670-functions-of-a-tenant.js';

/** A transaction that begins later is less ahead than a minute: further, the rate was set by a clock that was ahead, and nothing is owed. */
export const RULE: RateRule = {
  create: 'CREATE OR REPLACE',
  from: `CASE WHEN rate.set_at < ${later('moment', "interval '1 minute'")} THEN greatest(rate.next_at, moment) ELSE moment END`,
  set: ', set_at = moment',
  known: ' AND r.set_at < latest',
};

export class ClocksThatWereAhead1795800001720 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE workflow_rate ADD COLUMN set_at timestamptz NOT NULL DEFAULT now()');
    for (const statement of [startRuns(RULE), acceptCalls(RULE)]) await runner.query(statement);
  }
}
