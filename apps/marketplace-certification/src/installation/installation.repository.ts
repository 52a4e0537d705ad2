import type { Queryable, TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type {
  Failure,
  Installation,
  InstallationState,
  InstallationStep,
  StepName,
  StepState,
  StoredError,
} from './installation.js';

export interface NewInstallation {
  readonly id: string;
  readonly appKey: string;
  readonly versionId: string;
  readonly version: string;
  readonly sandbox: boolean;
  readonly grantedScopes: readonly string[];
  readonly createdBy: string;
  readonly steps: readonly StepName[];
}

/** What a finished step brought, by the column it is kept in. */
export type StepResult = Partial<Pick<Installation, 'objects' | 'hooks' | 'subscriptions'>>;

const COLUMNS = `id, app_key as "appKey", version_id as "versionId", version, sandbox, state,
  granted_scopes as "grantedScopes", objects, hooks, subscriptions, failure, created_by as "createdBy",
  acting_user_id as "actingUserId", created_at as "createdAt"`;
const STEP_COLUMNS = 'position, name, state, unsettled, error';

/** Installations of a tenant and their steps. */
@Injectable()
export class InstallationRepository {
  /** @returns whether it was stored; not when the app has a live installation already */
  async insert(tx: TenantTransaction, installation: NewInstallation): Promise<boolean> {
    const { id, appKey, versionId, version, sandbox, grantedScopes, createdBy, steps } = installation;
    const inserted = await tx.query(
      `insert into installation
         (tenant_id, id, app_key, version_id, version, sandbox, state, granted_scopes, created_by, acting_user_id)
       values ($1, $2, $3, $4, $5, $6, 'installing', $7, $8, $8)
       on conflict (tenant_id, app_key)
         where not sandbox and state in ('installing', 'active', 'compensating', 'uninstalling') do nothing
       returning id`,
      [tx.tenantId, id, appKey, versionId, version, sandbox, grantedScopes, createdBy],
    );
    if (inserted.length === 0) return false;
    await tx.query(
      `insert into installation_step (tenant_id, installation_id, position, name)
       select $1, $2, step.position, step.name from unnest($3::text[]) with ordinality as step (name, position)`,
      [tx.tenantId, id, steps],
    );
    return true;
  }

  async find(tx: TenantTransaction, id: string): Promise<Installation | undefined> {
    const [row] = await tx.query<Installation>(`select ${COLUMNS} from installation where tenant_id = $1 and id = $2`, [
      tx.tenantId,
      id,
    ]);
    return row;
  }

  /** The live installation of an app, if there is one; sandboxes do not count. */
  async findLive(tx: TenantTransaction, appKey: string): Promise<Installation | undefined> {
    const [row] = await tx.query<Installation>(
      `select ${COLUMNS} from installation where tenant_id = $1 and app_key = $2 and not sandbox
         and state in ('installing', 'active', 'compensating', 'uninstalling')`,
      [tx.tenantId, appKey],
    );
    return row;
  }

  /** Newest first: ids are UUIDv7, so their order is the order of creation. */
  async list(
    tx: TenantTransaction,
    states: readonly InstallationState[],
    page: ListPage,
  ): Promise<{ rows: Installation[]; counted: number }> {
    const rows = await tx.query<Installation>(
      `select ${COLUMNS} from installation
       where tenant_id = $1 and state = any($2) and ($3::uuid is null or id < $3)
       order by id desc limit $4 offset $5`,
      [tx.tenantId, states, page.after?.id ?? null, page.limit, page.offset],
    );
    const [count] = await tx.query<{ counted: number }>(
      `select count(*)::int as counted
       from (select 1 from installation where tenant_id = $1 and state = any($2) limit $3) as matching`,
      [tx.tenantId, states, page.countLimit],
    );
    return { rows, counted: count?.counted ?? 0 };
  }

  async steps(tx: TenantTransaction, installationId: string): Promise<InstallationStep[]> {
    return tx.query<InstallationStep>(
      `select ${STEP_COLUMNS} from installation_step where tenant_id = $1 and installation_id = $2 order by position`,
      [tx.tenantId, installationId],
    );
  }

  /** Steps of several installations, by the id of the installation. */
  async stepsOf(tx: TenantTransaction, ids: readonly string[]): Promise<Map<string, InstallationStep[]>> {
    const rows = await tx.query<InstallationStep & { installationId: string }>(
      `select installation_id as "installationId", ${STEP_COLUMNS} from installation_step
       where tenant_id = $1 and installation_id = any($2) order by installation_id, position`,
      [tx.tenantId, ids],
    );
    const byInstallation = new Map<string, InstallationStep[]>(ids.map((id) => [id, []]));
    for (const { installationId, ...step } of rows) byInstallation.get(installationId)?.push(step);
    return byInstallation;
  }

  /** @returns whether the installation was in the expected state and is now in the other */
  async changeState(
    tx: TenantTransaction,
    id: string,
    from: InstallationState,
    to: InstallationState,
    failure?: Failure,
  ): Promise<boolean> {
    const rows = await tx.query(
      `update installation set state = $4, failure = coalesce($5::jsonb, failure), updated_at = now()
       where tenant_id = $1 and id = $2 and state = $3 returning id`,
      [tx.tenantId, id, from, to, failure ? JSON.stringify(failure) : null],
    );
    return rows.length === 1;
  }

  /** @returns whether it was active and its removal can begin */
  async startRemoval(tx: TenantTransaction, id: string, userId: string): Promise<boolean> {
    const rows = await tx.query(
      `update installation set state = 'uninstalling', acting_user_id = $3, updated_at = now()
       where tenant_id = $1 and id = $2 and state = 'active' returning id`,
      [tx.tenantId, id, userId],
    );
    return rows.length === 1;
  }

  async saveResult(tx: TenantTransaction, id: string, result: StepResult): Promise<void> {
    const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
    await tx.query(
      `update installation set objects = coalesce($3::jsonb, objects), hooks = coalesce($4::jsonb, hooks),
         subscriptions = coalesce($5::jsonb, subscriptions), updated_at = now()
       where tenant_id = $1 and id = $2`,
      [tx.tenantId, id, json(result.objects), json(result.hooks), json(result.subscriptions)],
    );
  }

  /** `error` and `unsettled` keep what they are when left out. */
  async saveStep(
    tx: TenantTransaction,
    installationId: string,
    position: number,
    step: { state?: StepState; unsettled?: boolean; error?: StoredError | null },
  ): Promise<void> {
    await tx.query(
      `update installation_step set state = coalesce($4, state), unsettled = coalesce($5, unsettled),
         error = case when $6 then $7::jsonb else error end, updated_at = now()
       where tenant_id = $1 and installation_id = $2 and position = $3`,
      [
        tx.tenantId,
        installationId,
        position,
        step.state ?? null,
        step.unsettled ?? null,
        step.error !== undefined,
        step.error ? JSON.stringify(step.error) : null,
      ],
    );
  }

  /** Who asked for what, and who was shown a hook's address. */
  async audit(
    tx: TenantTransaction,
    entries: readonly { id: string; installationId: string; userId: string; action: string }[],
  ): Promise<void> {
    if (entries.length === 0) return;
    await tx.query(
      `insert into install_audit (tenant_id, id, installation_id, user_id, action)
       select $1, entry.id, entry.installation_id, entry.user_id, entry.action
       from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::text[]) as entry (id, installation_id, user_id, action)`,
      [
        tx.tenantId,
        entries.map((entry) => entry.id),
        entries.map((entry) => entry.installationId),
        entries.map((entry) => entry.userId),
        entries.map((entry) => entry.action),
      ],
    );
  }

  /** @param by 1 or -1, together with the change of state that it counts */
  async count(tx: TenantTransaction, appKey: string, by: 1 | -1): Promise<void> {
    await tx.query(
      `insert into install_count as counted (app_key, installs) values ($1, greatest($2, 0))
       on conflict (app_key) do update set installs = counted.installs + $2`,
      [appKey, by],
    );
  }

  /** Installs of each app over all tenants; an app that was never installed has no entry. */
  async counts(tx: Queryable, appKeys: readonly string[]): Promise<Map<string, number>> {
    const rows = await tx.query<{ appKey: string; installs: string }>(
      'select app_key as "appKey", installs from install_count where app_key = any($1)',
      [appKeys],
    );
    return new Map(rows.map((row) => [row.appKey, Number(row.installs)]));
  }
}
