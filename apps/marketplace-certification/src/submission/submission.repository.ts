import type { VersionStatus } from '@crm/contracts';
import { type NarrowTransaction, newId } from '@crm/database';
import { Injectable } from '@nestjs/common';
import type { AuditEntry, JsonObject, ReviewedSubmission, Submission } from './submission.js';

export interface NewSubmission {
  readonly id: string;
  readonly appKey: string;
  readonly tenantId: string;
  readonly version: string;
  readonly name: string;
  readonly kind: string;
  readonly manifest: JsonObject;
  readonly manifestSha256: string;
  readonly reviewPacket: JsonObject;
  readonly certification: object;
  readonly submittedBy: string;
}

/** What the marketplace shows of an app: copied from the package when it is published. */
export interface Listing {
  readonly name: string;
  readonly kind: string;
  readonly summary: string | null;
  readonly visibility: string;
  readonly searchText: string;
}

const COLUMNS = `v.id, v.app_key as "appKey", v.tenant_id as "tenantId", v.version, v.name, v.kind, v.status,
  v.submitted_at as "submittedAt", v.claimed_by as "claimedBy", v.verdict`;
const REVIEW_COLUMNS = `${COLUMNS}, a.publisher_name as "publisherName", v.certification`;

/** Apps and their versions: global tables, reached by the narrow role. */
@Injectable()
export class SubmissionRepository {
  /** The publisher of a key, or nothing when the key is free. */
  async ownerOf(tx: NarrowTransaction, appKey: string): Promise<string | undefined> {
    const [row] = await tx.query<{ tenantId: string }>('select tenant_id as "tenantId" from app where key = $1', [
      appKey,
    ]);
    return row?.tenantId;
  }

  /**
   * Takes the key for a publisher unless it is taken, and locks it until the transaction ends: two submissions of a key
   * pass one after the other.
   * @returns the publisher that the key belongs to
   */
  async claimKey(
    tx: NarrowTransaction,
    app: { key: string; tenantId: string; publisherName: string; name: string; kind: string },
  ): Promise<string> {
    await tx.query(
      `insert into app (key, tenant_id, publisher_name, name, kind) values ($1, $2, $3, $4, $5)
       on conflict (key) do nothing`,
      [app.key, app.tenantId, app.publisherName, app.name, app.kind],
    );
    const [row] = await tx.query<{ tenantId: string }>(
      'select tenant_id as "tenantId" from app where key = $1 for update',
      [app.key],
    );
    return row?.tenantId as string;
  }

  async lockApp(tx: NarrowTransaction, appKey: string): Promise<void> {
    await tx.query('select 1 from app where key = $1 for update', [appKey]);
  }

  /** Every version ever submitted under the key, whatever became of it. */
  async versionsOf(tx: NarrowTransaction, appKey: string): Promise<string[]> {
    const rows = await tx.query<{ version: string }>('select version from app_version where app_key = $1', [appKey]);
    return rows.map((row) => row.version);
  }

  async insert(tx: NarrowTransaction, submission: NewSubmission): Promise<void> {
    await tx.query(
      `insert into app_version (id, app_key, tenant_id, version, name, kind, manifest, manifest_sha256, review_packet,
         certification, status, submitted_by)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'in_review', $11)`,
      [
        submission.id,
        submission.appKey,
        submission.tenantId,
        submission.version,
        submission.name,
        submission.kind,
        JSON.stringify(submission.manifest),
        submission.manifestSha256,
        JSON.stringify(submission.reviewPacket),
        JSON.stringify(submission.certification),
        submission.submittedBy,
      ],
    );
  }

  /** Versions of a publisher's apps, by app and the newest submission first. */
  async ofPublisher(tx: NarrowTransaction, tenantId: string): Promise<Submission[]> {
    return tx.query<Submission>(
      `select ${COLUMNS} from app_version v where v.tenant_id = $1 order by v.app_key, v.submitted_at desc, v.id desc`,
      [tenantId],
    );
  }

  async ofApp(tx: NarrowTransaction, appKey: string): Promise<Submission[]> {
    return tx.query<Submission>(
      `select ${COLUMNS} from app_version v where v.app_key = $1 order by v.submitted_at desc, v.id desc`,
      [appKey],
    );
  }

  /** What waits for an operator comes oldest first, everything else newest first. */
  async listForReview(
    tx: NarrowTransaction,
    status: VersionStatus | undefined,
    limit: number,
  ): Promise<ReviewedSubmission[]> {
    const order = status === 'in_review' || status === 'approved' ? 'asc' : 'desc';
    return tx.query<ReviewedSubmission>(
      `select ${REVIEW_COLUMNS} from app_version v join app a on a.key = v.app_key
       where $1::text is null or v.status = $1 order by v.submitted_at ${order}, v.id ${order} limit $2`,
      [status ?? null, limit],
    );
  }

  /** @param lock holds the version until the transaction ends */
  async find(tx: NarrowTransaction, id: string, lock = false): Promise<ReviewedSubmission | undefined> {
    const [row] = await tx.query<ReviewedSubmission>(
      `select ${REVIEW_COLUMNS} from app_version v join app a on a.key = v.app_key where v.id = $1
       ${lock ? 'for update of v' : ''}`,
      [id],
    );
    return row;
  }

  async changeStatus(
    tx: NarrowTransaction,
    id: string,
    to: VersionStatus,
    about: { verdict?: string; claimedBy?: string } = {},
  ): Promise<void> {
    await tx.query(
      `update app_version set status = $2, verdict = coalesce($3, verdict), claimed_by = coalesce($4, claimed_by),
         published_at = case when $2 = 'published' then coalesce(published_at, now()) else published_at end
       where id = $1`,
      [id, to, about.verdict ?? null, about.claimedBy ?? null],
    );
  }

  /** Makes a version the one that the marketplace shows. */
  async list(tx: NarrowTransaction, appKey: string, versionId: string, listing: Listing): Promise<void> {
    await tx.query(
      `update app set published_version_id = $2, name = $3, kind = $4, summary = $5, visibility = $6, search_text = $7,
         first_published_at = coalesce(first_published_at, now())
       where key = $1`,
      [appKey, versionId, listing.name, listing.kind, listing.summary, listing.visibility, listing.searchText],
    );
  }

  async audit(tx: NarrowTransaction, entry: AuditEntry): Promise<void> {
    await tx.query(
      `insert into submission_audit (id, submission_id, actor_kind, actor_id, action, from_status, to_status, reason)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [
        newId(),
        entry.submissionId,
        entry.actorKind,
        entry.actorId,
        entry.action,
        entry.from,
        entry.to,
        entry.reason ?? null,
      ],
    );
  }
}
