import type { TenantTransaction } from '@crm/database';
import type { ListPage } from '@crm/http';
import { Injectable } from '@nestjs/common';
import type { WorkflowDefinition } from './workflow.definition.js';
import type { Workflow } from './workflow.entity.js';

const COLUMNS = `id, version, name, definition, enabled, author_id AS "authorId", installation_id AS "installationId",
  app_key AS "appKey", automation_key AS "automationKey", granted_scopes AS "grantedScopes",
  object_names AS "objectNames", created_at AS "createdAt", updated_at AS "updatedAt"`;

type Row = Omit<Workflow, 'origin'> & {
  installationId: string | null;
  appKey: string;
  automationKey: string;
  grantedScopes: string[];
};

export interface StartedWorkflow {
  readonly id: string;
  /** Of the app it came with; null for a workflow that the tenant made itself. */
  readonly grantedScopes: readonly string[] | null;
}

export type NewWorkflow = Omit<Workflow, 'version' | 'enabled' | 'createdAt' | 'updatedAt'>;

@Injectable()
export class WorkflowRepository {
  async insert(tx: TenantTransaction, workflow: NewWorkflow): Promise<void> {
    await tx.query(
      `INSERT INTO workflow (tenant_id, id, name, definition, trigger_type, event_name, author_id, installation_id,
         automation_key, app_key, granted_scopes, object_names)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
      [
        tx.tenantId,
        workflow.id,
        workflow.name,
        JSON.stringify(workflow.definition),
        workflow.definition.trigger.type,
        eventOf(workflow.definition),
        workflow.authorId,
        workflow.origin?.installationId ?? null,
        workflow.origin?.automationKey ?? null,
        workflow.origin?.appKey ?? null,
        workflow.origin?.grantedScopes ?? null,
        JSON.stringify(workflow.objectNames),
      ],
    );
  }

  /** Gives an app's workflow the form of another version of the package; whether it is enabled stays as it is. */
  async replace(tx: TenantTransaction, workflow: NewWorkflow): Promise<void> {
    await tx.query(
      `UPDATE workflow SET name = $2, definition = $3, trigger_type = $4, event_name = $5, author_id = $6,
         granted_scopes = $7, object_names = $8, version = version + 1, updated_at = now()
        WHERE id = $1`,
      [
        workflow.id,
        workflow.name,
        JSON.stringify(workflow.definition),
        workflow.definition.trigger.type,
        eventOf(workflow.definition),
        workflow.authorId,
        workflow.origin?.grantedScopes ?? null,
        JSON.stringify(workflow.objectNames),
      ],
    );
  }

  async find(tx: TenantTransaction, id: string): Promise<Workflow | undefined> {
    const [row] = await tx.query<Row>(`SELECT ${COLUMNS} FROM workflow WHERE id = $1`, [id]);
    return row && toWorkflow(row);
  }

  async ofInstallation(tx: TenantTransaction, installationId: string): Promise<Workflow[]> {
    const rows = await tx.query<Row>(`SELECT ${COLUMNS} FROM workflow WHERE installation_id = $1 ORDER BY id`, [
      installationId,
    ]);
    return rows.map(toWorkflow);
  }

  /** The enabled workflows that the event starts, without what they do. */
  async startedBy(tx: TenantTransaction, eventName: string): Promise<StartedWorkflow[]> {
    return tx.query<StartedWorkflow>(
      `SELECT id, granted_scopes AS "grantedScopes" FROM workflow WHERE event_name = $1 AND enabled ORDER BY id`,
      [eventName],
    );
  }

  /** All of the tenant's, those of apps and disabled ones too. */
  async count(tx: TenantTransaction): Promise<number> {
    const [row] = await tx.query<{ total: string }>('SELECT count(*) AS total FROM workflow');
    return Number(row?.total ?? 0);
  }

  /** Newest first. */
  async list(tx: TenantTransaction, page: ListPage): Promise<{ workflows: Workflow[]; counted: number }> {
    const rows = await tx.query<Row>(
      `SELECT ${COLUMNS} FROM workflow WHERE ($1::uuid IS NULL OR id < $1) ORDER BY id DESC LIMIT $2 OFFSET $3`,
      [page.after?.id ?? null, page.limit, page.offset],
    );
    const [counted] = await tx.query<{ total: string }>(
      'SELECT count(*) AS total FROM (SELECT 1 FROM workflow LIMIT $1) AS counted',
      [page.countLimit],
    );
    return { workflows: rows.map(toWorkflow), counted: Number(counted?.total ?? 0) };
  }

  async setEnabled(tx: TenantTransaction, id: string, enabled: boolean): Promise<Workflow | undefined> {
    const [row] = await tx.query<Row>(
      `UPDATE workflow SET enabled = $2, version = version + 1, updated_at = now() WHERE id = $1 RETURNING ${COLUMNS}`,
      [id, enabled],
    );
    return row && toWorkflow(row);
  }

  async delete(tx: TenantTransaction, ids: readonly string[]): Promise<void> {
    await tx.query('DELETE FROM workflow WHERE id = ANY($1::uuid[])', [ids]);
  }

  /** Lets no other transaction add workflows to the tenant, or provision for an installation of it, meanwhile. */
  async lockTenant(tx: TenantTransaction): Promise<void> {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`workflows of ${tx.tenantId}`]);
  }
}

const eventOf = ({ trigger }: WorkflowDefinition): string | null => (trigger.type === 'event' ? trigger.event : null);

function toWorkflow({ installationId, appKey, automationKey, grantedScopes, ...row }: Row): Workflow {
  const origin = installationId === null ? null : { installationId, appKey, automationKey, grantedScopes };
  return { ...row, origin };
}
