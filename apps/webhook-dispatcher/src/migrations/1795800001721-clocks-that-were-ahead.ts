import { DATABASES } from '@crm/contracts';
import { ServiceMigration } from '@crm/database';
import type { QueryRunner } from 'typeorm';

// What began over a minute from now was written by a clock that was ahead. A transaction that begins later is less ahead than that.

/** Returns whether it was paused for less than that; only then the row is written. */
const PAUSE_SUBSCRIPTION = `
  CREATE OR REPLACE FUNCTION pause_subscription(tenant uuid, subscription uuid, ms float8) RETURNS boolean LANGUAGE plpgsql AS $body$
  DECLARE
    moment CONSTANT timestamptz := now();
    latest CONSTANT timestamptz := now() + interval '1 minute';
    until CONSTANT timestamptz := now() + ms * interval '1 millisecond';
  BEGIN
    UPDATE webhook_subscription AS s SET paused_until = until, paused_at = moment, version = s.version + 1
     WHERE s.tenant_id = tenant AND s.id = subscription
       AND (s.paused_until IS NULL OR s.paused_until < until OR s.paused_at > latest);
    RETURN FOUND;
  END $body$`;

/** Returns in how many milliseconds those reserved begin; null, with none, when others have reserved too far ahead, which is seconds. */
const RESERVE_PERMITS = `
  CREATE OR REPLACE FUNCTION reserve_permits(tenant uuid, subscription uuid, ms float8, ahead_ms float8) RETURNS float8
  LANGUAGE plpgsql AS $body$
  DECLARE
    moment CONSTANT timestamptz := now();
    begins timestamptz;
  BEGIN
    SELECT greatest(s.rate_reserved_until, moment) INTO begins FROM webhook_subscription AS s
     WHERE s.tenant_id = tenant AND s.id = subscription FOR NO KEY UPDATE;
    IF begins > moment + interval '1 minute' THEN begins := moment; END IF;
    IF begins IS NULL OR begins > moment + ahead_ms * interval '1 millisecond' THEN RETURN NULL; END IF;
    UPDATE webhook_subscription AS s SET rate_reserved_until = begins + ms * interval '1 millisecond'
     WHERE s.tenant_id = tenant AND s.id = subscription;
    RETURN extract(epoch FROM begins - moment) * 1000;
  END $body$`;

export class ClocksThatWereAhead1795800001721 extends ServiceMigration {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webhook_subscription ADD COLUMN paused_at timestamptz');
    await runner.query(
      `GRANT SELECT (paused_at) ON webhook_subscription TO ${DATABASES['webhook-dispatcher'].narrowRole}`,
    );
    for (const statement of [PAUSE_SUBSCRIPTION, RESERVE_PERMITS]) await runner.query(statement);
  }
}
