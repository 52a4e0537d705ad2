import type { Database, TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { Page } from '../pages.js';
import type { EmailHolder } from '../people/email-claim.repository.js';
import type { Session } from './sessions.entity.js';

/** By function, whose rows come in the order of tenants. $1: tenant, $2: user. */
export const READ_PERSON_WORKSPACES = `
  SELECT tenant_id AS "tenantId", user_id AS "userId", joined_at AS "joinedAt", name, roles
    FROM read_person_workspaces($1, $2) ORDER BY lower(name), tenant_id`;

/** Beside each how many there are; one row without a session where there are none. $1: tenants, $2: users, $3: id of the last, $4: limit, $5: offset. */
export const LIST_PERSON_SESSIONS = `
  WITH sessions AS MATERIALIZED (SELECT * FROM read_person_sessions($1::uuid[], $2::uuid[]))
  SELECT c.counted, s.*
    FROM (SELECT count(*)::integer AS counted FROM sessions) c LEFT JOIN LATERAL (
      SELECT tenant_id AS "tenantId", id, user_id AS "userId", address, last_address AS "lastAddress",
             user_agent AS "userAgent", created_at AS "createdAt", last_used_at AS "lastUsedAt",
             expires_at AS "expiresAt", ends_at AS "endsAt"
        FROM sessions WHERE $3::uuid IS NULL OR id < $3::uuid ORDER BY id DESC LIMIT $4 OFFSET $5) s ON true
   ORDER BY s.id DESC`;

/** A user with a second factor. $1: tenant, $2: user. */
export const READ_SECOND_FACTOR = `
  SELECT u.id AS "userId", a.person_proven AS authenticator
    FROM app_user u LEFT JOIN authenticator a
      ON a.tenant_id = u.tenant_id AND a.user_id = u.id AND a.confirmed_at IS NOT NULL
   WHERE u.tenant_id = $1 AND u.id = $2 AND u.mfa_enabled`;

export interface SecondFactor {
  readonly userId: string;
  /** True when their authenticator speaks for the person; null for codes by mail. */
  readonly authenticator: boolean | null;
}

export interface PersonWorkspace extends EmailHolder {
  readonly name: string;
  readonly roles: readonly string[];
  /** When the person became a member; null for a local account. */
  readonly joinedAt: Date | null;
}

export type PersonSession = Omit<Session, 'provenAt' | 'personProven'>;

/** What belongs to a person in all of their workspaces. */
@Injectable()
export class PersonSessionRepository {
  /** Those in which the user is active, by their names. */
  async workspaces(database: Database, { tenantId, userId }: EmailHolder): Promise<PersonWorkspace[]> {
    return database.crossTenantStatement<PersonWorkspace>(READ_PERSON_WORKSPACES, [tenantId, userId]);
  }

  /** Those of the users, each read in their workspace. */
  async secondFactors(database: Database, users: readonly EmailHolder[]): Promise<SecondFactor[]> {
    const found: SecondFactor[] = [];
    for (const { tenantId, userId } of users) {
      const read = (tx: TenantTransaction) => tx.query<SecondFactor>(READ_SECOND_FACTOR, [tenantId, userId]);
      found.push(...(await database.transaction(tenantId, read)));
    }
    return found;
  }

  /** The newest first. */
  async list(
    tx: TenantTransaction,
    users: readonly EmailHolder[],
    { after, limit, offset }: ListPage,
  ): Promise<Page<PersonSession>> {
    const columns = [users.map(({ tenantId }) => tenantId), users.map(({ userId }) => userId)];
    const parameters = [...columns, after?.id ?? null, limit, offset];
    const rows = await tx.query<PersonSession & { counted: number }>(LIST_PERSON_SESSIONS, parameters);
    return { rows: rows.filter(({ id }) => id !== null), counted: rows[0]?.counted ?? 0 };
  }
}
