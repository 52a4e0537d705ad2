import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import type { Manifest } from '@crm/manifest';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { App } from './catalogue.entity.js';
import { isIdentifier, storedText } from './stored-text.js';

/** Takes a key unless it is taken. $1: key, $2: publisher, $3: its name, $4: name of the app, $5: kind. */
const CLAIM_APP_KEY = `
  INSERT INTO app (key, tenant_id, publisher_name, name, kind) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (key) DO NOTHING`;

const PUBLIC_UNLESS_UNLISTED = "CASE WHEN unlisted_by_operator THEN 'unlisted' ELSE 'public' END";

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

  /** Whether a version of the app is published and the tenant may see it: private apps are for their publisher only. */
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

  /** Holds the app until the transaction ends. @returns its publisher, or null when there is no such app */
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
