import type { AppStatus } from '@crm/contracts';
import { type NarrowTransaction, newId, secondsFromNow } from '@crm/database';
import type { Certification, Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { App, type Submission, SubmissionAudit, Version } from './catalogue.entity.js';
import { nextStatus, type VersionAction, type VersionStatus } from './version-state.js';

/**
 * Text from a package or a request as Postgres can store it: a JSON string may hold U+0000 and lone surrogates, a text
 * column cannot.
 * @param maxLength in UTF-16 units
 */
export function storedText(value: string, maxLength: number): string {
  const shown = value.replaceAll('\u0000', '').slice(0, maxLength);
  // Encoding writes U+FFFD for half of a surrogate pair, also for one that the truncation left.
  return Buffer.from(shown, 'utf8').toString('utf8');
}

/**
 * Returns whether a value from a package that nobody has checked could be the key of an app or a version. Only such a value is
 * sent to the database: anything else cannot be stored there and may hold characters that a text column rejects.
 */
export function isIdentifier(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9._+-]{1,128}$/.test(value);
}

/** Takes a key unless it is taken. $1: key, $2: publisher, $3: its name, $4: name of the app, $5: kind. */
const CLAIM_APP_KEY = `
  INSERT INTO app (key, tenant_id, publisher_name, name, kind) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (key) DO NOTHING`;

const PUBLIC_UNLESS_UNLISTED = "CASE WHEN unlisted_by_operator THEN 'unlisted' ELSE 'public' END";

/** Apps that were published once. $1: keys. */
const LIST_STANDINGS = `
  SELECT app_key AS "appKey", tenant_id AS "publisherId",
         CASE WHEN bool_or(status = 'revoked') THEN 'revoked' WHEN bool_or(status = 'published') THEN 'published'
              WHEN bool_or(status = 'suspended') THEN 'suspended' END AS status
    FROM app_version WHERE app_key = ANY ($1::text[]) GROUP BY app_key, tenant_id`;

/** The roles that versions bring. $1: ids of versions. */
const LIST_ROLES = `
  SELECT DISTINCT ON (name, app_key) v.app_key AS "appKey", role->>'name' AS name, coalesce(role->>'label', role->>'name') AS label
    FROM app_version v, json_array_elements(v.manifest->'roles') AS role
   WHERE v.id = ANY ($1::uuid[]) ORDER BY name, app_key, v.id DESC`;

/** A role that an app brings. */
export interface BroughtRole {
  readonly appKey: string;
  readonly name: string;
  readonly label: string;
}

/** What the marketplace shows of an app: copied from the package when a version is published. */
type PublishedListing = Pick<App, 'name' | 'kind' | 'summary' | 'visibility' | 'searchText'>;

/** Apps: a global table that the narrow role reaches. */
@Injectable()
export class AppRepository {
  /** A key that nobody can own is not looked up: it may hold what a text column rejects. */
  async find(
    tx: NarrowTransaction,
    key: string,
  ): Promise<Pick<App, 'tenantId' | 'publisherName' | 'visibility' | 'firstPublishedAt'> | null> {
    if (!isIdentifier(key)) return null;
    return tx.repository(App).findOne({
      select: { key: true, tenantId: true, publisherName: true, visibility: true, firstPublishedAt: true },
      where: { key },
    });
  }

  /** Returns whether a version of the app is published and the tenant may see it: private apps are for their publisher only. */
  async isVisible(tx: NarrowTransaction, tenantId: string, key: string): Promise<boolean> {
    const published = { key, publishedVersionId: Not(IsNull()) };
    return tx.repository(App).existsBy([
      { ...published, visibility: Not('private') },
      { ...published, tenantId },
    ]);
  }

  /**
   * Takes the key for a publisher unless it is taken, and locks it until the transaction ends, so that submissions of one
   * key follow each other.
   * @returns the publisher that the key belongs to
   */
  async claimKey(
    tx: NarrowTransaction,
    app: Pick<App, 'key' | 'tenantId' | 'publisherName' | 'name' | 'kind'>,
  ): Promise<string> {
    await tx.query(CLAIM_APP_KEY, [app.key, app.tenantId, app.publisherName, app.name, app.kind]);
    return (await this.lock(tx, app.key)) as string;
  }

  /** Holds the app until the transaction ends. @returns its publisher, or null when the app does not exist */
  async lock(tx: NarrowTransaction, key: string): Promise<string | null> {
    const app = await tx.repository(App).findOne({
      select: { key: true, tenantId: true },
      where: { key },
      lock: { mode: 'pessimistic_write' },
    });
    return app?.tenantId ?? null;
  }

  /** Makes a version the one that the marketplace shows. What an operator has unlisted is not listed again. */
  async publish(tx: NarrowTransaction, versionId: string, manifest: Manifest, publisherName: string): Promise<void> {
    const listing = publishedListing(manifest, publisherName);
    await tx.repository(App).update(
      { key: manifest.key },
      {
        ...listing,
        ...(listing.visibility === 'public' && { visibility: () => PUBLIC_UNLESS_UNLISTED }),
        publishedVersionId: versionId,
        firstPublishedAt: () => `coalesce(first_published_at, ${secondsFromNow(0)()})`,
      },
    );
  }
}

/** Length of the searched text in UTF-16 units; more of a description adds noise, not matches. */
const SEARCH_TEXT_LENGTH = 8000;

function publishedListing(manifest: Manifest, publisherName: string): PublishedListing {
  const { summary, description, categories, visibility = 'public' } = manifest.listing ?? {};
  return {
    name: storedText(manifest.name, 200),
    kind: manifest.kind,
    summary: summary === undefined ? null : storedText(summary, 1000),
    visibility,
    searchText: storedText(
      [manifest.key, manifest.name, publisherName, summary, ...(categories ?? []), description]
        .filter((text) => text !== undefined)
        .join(' ')
        .toLowerCase(),
      SEARCH_TEXT_LENGTH,
    ),
  };
}

export interface StoredStanding {
  readonly appKey: string;
  readonly publisherId: string;
  readonly status: AppStatus | null;
}

export type NewVersion = Omit<
  Version,
  'status' | 'submittedAt' | 'claimedBy' | 'claimedUntil' | 'verdict' | 'publishedAt'
>;

/** Submitted versions of apps: a global table that the narrow role reaches. */
@Injectable()
export class VersionRepository {
  /** Every version that was ever submitted under the key, whatever its status, newest first. */
  async listOfApp(tx: NarrowTransaction, appKey: string): Promise<Submission[]> {
    return tx.repository(Version).find({ where: { appKey }, order: { submittedAt: 'DESC', id: 'DESC' } });
  }

  /** The submissions of a publisher, by app and newest first. */
  async listOfPublisher(tx: NarrowTransaction, tenantId: string): Promise<Submission[]> {
    return tx
      .repository(Version)
      .find({ where: { tenantId }, order: { appKey: 'ASC', submittedAt: 'DESC', id: 'DESC' } });
  }

  async find(tx: NarrowTransaction, id: string): Promise<Submission | null> {
    return tx.repository(Version).findOneBy({ id });
  }

  /** What the suite said when the version was submitted. */
  async getCertification(tx: NarrowTransaction, id: string): Promise<Certification> {
    const select = { id: true, certification: true };
    return (await tx.repository(Version).findOneOrFail({ select, where: { id } })).certification;
  }

  /** Where apps and their publishers stand; null for one that was never published. */
  async listStandings(tx: NarrowTransaction, appKeys: readonly string[]): Promise<StoredStanding[]> {
    return tx.query<StoredStanding>(LIST_STANDINGS, [[...new Set(appKeys)]]);
  }

  /** The roles of versions, by name and app; of several versions of an app the label of the last. */
  async listRoles(tx: NarrowTransaction, ids: readonly string[]): Promise<BroughtRole[]> {
    return tx.query<BroughtRole>(LIST_ROLES, [ids]);
  }

  /** The package of a version. Only what passed certification is stored, so its shape can be relied on. */
  async getManifest(tx: NarrowTransaction, id: string): Promise<Manifest> {
    const select = { id: true, manifest: true };
    return (await tx.repository(Version).findOneOrFail({ select, where: { id } })).manifest as Manifest;
  }

  async insert(tx: NarrowTransaction, version: NewVersion): Promise<void> {
    await tx.repository(Version).insert({ ...version, status: 'in_review' });
  }

  /** Moves a version to another status; the time of its first publication stays. */
  async changeStatus(
    tx: NarrowTransaction,
    id: string,
    status: VersionStatus,
    about: { verdict?: string; claimedUntil?: null } = {},
  ): Promise<void> {
    const publishedAt = () => `coalesce(published_at, ${secondsFromNow(0)()})`;
    await tx.repository(Version).update({ id }, { status, ...about, ...(status === 'published' && { publishedAt }) });
  }

  async recordStep(
    tx: NarrowTransaction,
    step: Omit<SubmissionAudit, 'id' | 'reason'> & { reason?: string },
  ): Promise<void> {
    await tx.repository(SubmissionAudit).insert({ id: newId(), ...step });
  }

  /**
   * Moves a version by the table of states and records the step.
   * @returns the status that it has now
   * @throws PlatformError SUBMISSION_STATE, VALIDATION_FAILED
   */
  async move(
    tx: NarrowTransaction,
    { id, status: from }: Pick<Version, 'id' | 'status'>,
    step: Pick<SubmissionAudit, 'actorKind' | 'actorId'> & { action: VersionAction; reason?: string },
    about: { verdict?: string } = {},
  ): Promise<VersionStatus> {
    const to = nextStatus(from, step.action, step.actorKind, step.reason);
    await this.changeStatus(tx, id, to, about);
    await this.recordStep(tx, { submissionId: id, ...step, from, to });
    return to;
  }
}
