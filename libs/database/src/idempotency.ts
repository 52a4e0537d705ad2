import { hash } from 'node:crypto';
import type { Principal } from '@crm/access';
import { canonicalJson, PlatformError, type ServiceDatabase } from '@crm/contracts';
import { createParamDecorator, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import type { QueryRunner } from 'typeorm';
import { Database } from './database.js';
import { createTenantTable } from './migrations/tables.js';
import type { Queryable } from './transaction.js';
import { deleteOldest } from './worker/delete-oldest.js';
import { Sweeper } from './worker/sweeper.js';

/** @throws MALFORMED_REQUEST, which calls the header by its name, when it is not 1 to 255 visible ASCII characters */
export function readIdempotencyKey(header: string | undefined, name = 'Idempotency-Key'): string | undefined {
  if (header === undefined) return undefined;
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) {
    throw new PlatformError('MALFORMED_REQUEST', `${name} must be 1 to 255 visible ASCII characters`);
  }
  return header;
}

const keyOf = createParamDecorator((name: string, context: ExecutionContext) => {
  const { headers } = context.switchToHttp().getRequest<{ headers: Readonly<Record<string, string | undefined>> }>();
  return readIdempotencyKey(headers[name]);
});

/** Injects the key of a creating call, if one was sent; the OpenAPI document knows the header by this name. */
export const IdempotencyKey = (): ParameterDecorator => keyOf('idempotency-key');

/** A creating call that must take effect once. Two calls are the same call when tenant, principal, route and key are equal. */
export interface IdempotentCall {
  readonly tenantId: string;
  readonly principalId: string;
  readonly route: string;
  readonly key: string;
  /** A JSON value without anything that could be guessed from its hash, which is all that is stored. */
  readonly body: unknown;
  readonly keptHours: number;
}

const HEADER_KEPT_HOURS = 24;
/** Longer than a run is retried. */
const STEP_KEPT_HOURS = 7 * 24;

type Caller = Pick<Principal, 'tenantId' | 'userId' | 'appKey'>;

/** @param route method and path with actual ids, such as `POST /api/crm/leads` */
export const headerCall = (
  principal: Caller,
  route: string,
  key: string | undefined,
  body: unknown,
): IdempotentCall | undefined =>
  key === undefined ? undefined : { ...callerOf(principal), route, key, body, keptHours: HEADER_KEPT_HOURS };

/** The call of a workflow step by another service; the key is the same for every attempt of the step. */
export const stepCall = (principal: Caller, route: string, key: string, body: unknown): IdempotentCall => ({
  ...callerOf(principal),
  route,
  key,
  body,
  keptHours: STEP_KEPT_HOURS,
});

/** An embedded user and the same user signed in are different principals. */
const callerOf = ({ tenantId, userId, appKey }: Caller): Pick<IdempotentCall, 'tenantId' | 'principalId'> => ({
  tenantId,
  principalId: appKey === undefined ? userId : `${userId} ${appKey}`,
});

/** Which record a call created, so that a repetition finds it. `narrowCreates`: as the narrow role (`inWorkspace`). */
export async function createIdempotencyTable(
  runner: QueryRunner,
  roles: ServiceDatabase,
  options: { narrowCreates?: boolean } = {},
): Promise<void> {
  await createTenantTable(runner, roles, {
    name: 'idempotency',
    columns: `
      principal_id text NOT NULL,
      route text NOT NULL,
      key text NOT NULL,
      body_hash bytea NOT NULL,
      record_id uuid NOT NULL,
      expires_at timestamptz NOT NULL`,
    primaryKey: ['principal_id', 'route', 'key'],
    indexes: [{ columns: 'expires_at', tenantFirst: false }],
    grants: ['select', 'insert', 'update'],
    // The sweeper removes expired rows of every tenant.
    narrow: ['select', 'delete'],
  });
  // No separate policy: like every role, the narrow role writes rows of the tenant in context only.
  if (options.narrowCreates) await runner.query(`GRANT INSERT, UPDATE ON idempotency TO ${roles.narrowRole}`);
}

/**
 * The lock ends with the transaction, so a crash leaves no call running. Looking at the row makes a cluster take it on the node
 * of the tenant. $1 to $4: tenant, principal, route and key; $5: these as JSON.
 */
const TRY_LOCK = `
  SELECT pg_try_advisory_xact_lock(hashtextextended($5, 0)) AS locked
    FROM (SELECT count(*) FROM idempotency WHERE tenant_id = $1 AND principal_id = $2 AND route = $3 AND key = $4) AS looked`;

const FIND_CALL = `
  SELECT body_hash AS "bodyHash", record_id AS "recordId" FROM idempotency
   WHERE tenant_id = $1 AND principal_id = $2 AND route = $3 AND key = $4 AND expires_at > now()`;

/** Replaces an expired row of the same call. */
const SAVE_CALL = `
  INSERT INTO idempotency (tenant_id, principal_id, route, key, body_hash, record_id, expires_at)
  VALUES ($1, $2, $3, $4, $5, $6, now() + make_interval(hours => $7))
  ON CONFLICT (tenant_id, principal_id, route, key)
  DO UPDATE SET body_hash = EXCLUDED.body_hash, record_id = EXCLUDED.record_id, expires_at = EXCLUDED.expires_at`;

/**
 * Claims calls of one tenant, each with the record that it is to create, and returns the records of those that were made before or
 * that another transaction makes. Anyone who claims a key has locked it, so nothing waits. No key may occur twice.
 */
export const CREATE_CLAIM_CALLS = `
  CREATE FUNCTION claim_calls(tenant uuid, calls jsonb) RETURNS uuid[] LANGUAGE plpgsql AS $body$
  DECLARE
    moment CONSTANT timestamptz := now();
    claimed bigint;
  BEGIN
    -- A cluster knows the variable within WITH alone, and accepts no now() there.
    WITH written AS (
      INSERT INTO idempotency AS earlier (tenant_id, principal_id, route, key, body_hash, record_id, expires_at)
      SELECT tenant, c.principal, c.route, c.key, decode(c.hash, 'hex'), c.record, moment + make_interval(hours => c.hours)
        FROM jsonb_to_recordset(calls)
             AS c (lock text, principal text, route text, key text, hash text, record uuid, hours integer)
       WHERE pg_try_advisory_xact_lock(hashtextextended(c.lock, 0))
      ON CONFLICT (tenant_id, principal_id, route, key)
      DO UPDATE SET body_hash = excluded.body_hash, record_id = excluded.record_id, expires_at = excluded.expires_at
       WHERE earlier.expires_at <= moment RETURNING 1)
    SELECT count(*) INTO claimed FROM written;
    IF claimed = jsonb_array_length(calls) THEN RETURN '{}'; END IF;
    RETURN ARRAY(
      SELECT c.record FROM jsonb_to_recordset(calls) AS c (principal text, route text, key text, record uuid)
       WHERE NOT EXISTS (SELECT FROM idempotency i WHERE i.tenant_id = tenant AND i.principal_id = c.principal AND i.route = c.route
                            AND i.key = c.key AND i.record_id = c.record));
  END $body$`;

/** Names the call among all tenants'. */
const nameOfCall = (call: IdempotentCall): string => JSON.stringify(['idempotency', ...identityOf(call)]);

/** A member of the second argument of `claim_calls`. @param recordId what the call creates */
export const claimOfCall = (call: IdempotentCall, recordId: string) => ({
  lock: nameOfCall(call),
  principal: call.principalId,
  route: call.route,
  key: call.key,
  hash: hashOf(call.body),
  record: recordId,
  hours: call.keptHours,
});

export type CallClaim = ReturnType<typeof claimOfCall>;

const identityOf = ({ tenantId, principalId, route, key }: IdempotentCall) => [tenantId, principalId, route, key];

/** Makes creating calls repeatable. No answer is stored, only which record the first call created. */
@Injectable()
export class IdempotencyService {
  /** @throws IDEMPOTENCY_KEY_IN_USE while another transaction runs the same call, IDEMPOTENCY_KEY_REUSED for another body */
  async once(
    tx: Queryable,
    call: IdempotentCall,
    create: () => Promise<string>,
  ): Promise<{ recordId: string; repeated: boolean }> {
    const identity = identityOf(call);
    const [lock] = await tx.query<{ locked: boolean }>(TRY_LOCK, [...identity, nameOfCall(call)]);
    if (!lock?.locked) throw new PlatformError('IDEMPOTENCY_KEY_IN_USE');
    const earlier = await this.findRecordId(tx, call);
    if (earlier !== null) return { recordId: earlier, repeated: true };
    const recordId = await create();
    await this.save(tx, call, recordId);
    return { recordId, repeated: false };
  }

  /**
   * Makes a call once, or each time when it has no key.
   * @param find what an earlier call has written
   * @throws as {@link once}
   */
  async run<Written extends { readonly id: string }>(
    tx: Queryable,
    call: IdempotentCall | undefined,
    write: () => Promise<Written>,
    find: (id: string) => Promise<Written>,
  ): Promise<Written> {
    if (!call) return write();
    let written: Written | undefined;
    const { recordId } = await this.once(tx, call, async () => {
      written = await write();
      return written.id;
    });
    return written ?? find(recordId);
  }

  /** Remembers what a call has written, in the transaction of `once` of another call that it is a part of. */
  async save(tx: Queryable, call: IdempotentCall, recordId: string): Promise<void> {
    const hash = Buffer.from(hashOf(call.body), 'hex');
    await tx.query(SAVE_CALL, [...identityOf(call), hash, recordId, call.keptHours]);
  }

  /** For use before checks that could refuse a repetition because of a later change; `once` must still follow. */
  async findRecordId(tx: Queryable, call: IdempotentCall): Promise<string | null> {
    const [earlier] = await tx.query<{ bodyHash: Buffer; recordId: string }>(FIND_CALL, identityOf(call));
    if (earlier && earlier.bodyHash.toString('hex') !== hashOf(call.body))
      throw new PlatformError('IDEMPOTENCY_KEY_REUSED');
    return earlier?.recordId ?? null;
  }
}

/** SHA-256 in hexadecimal, by value: the order of members and undefined members make no difference, as in the JSON that was sent. */
function hashOf(body: unknown): string {
  const sent: unknown = JSON.parse(JSON.stringify(body ?? null));
  return hash('sha256', canonicalJson(sent));
}

const SWEEP_INTERVAL_MS = 3_600_000;
/** Rows that one transaction removes: those of a busy hour would take longer than a statement may, and lock keys that are used again. */
const BATCH = 5_000;

/** Removes expired idempotency rows once an hour. Several replicas doing it at once only find less to remove. */
@Injectable()
export class IdempotencySweeper extends Sweeper {
  constructor(private readonly database: Database) {
    super({ everyMs: SWEEP_INTERVAL_MS });
  }

  async sweep(stopping?: AbortSignal): Promise<void> {
    const expired = { table: 'idempotency', column: 'expires_at', upTo: 'now()' };
    const removeSome = () => this.database.crossTenant((tx) => deleteOldest(tx, expired, BATCH));
    while (!stopping?.aborted && (await removeSome()));
  }
}

/** For services whose migrations call `createIdempotencyTable`; needs the service's `DatabaseModule`. */
@Module({
  providers: [IdempotencyService, IdempotencySweeper],
  exports: [IdempotencyService],
})
export class IdempotencyModule {}
