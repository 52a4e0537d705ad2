import { type NarrowTransaction, secondsFromNow } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { App } from './app.entity.js';
import { CLAIM_APP_KEY } from './app.sql.js';

const PUBLIC_UNLESS_UNLISTED = "CASE WHEN unlisted_by_operator THEN 'unlisted' ELSE 'public' END";

/** What the marketplace shows of an app: copied from the package when a version is published. */
export type PublishedListing = Pick<App, 'name' | 'kind' | 'summary' | 'visibility' | 'searchText'>;

/** Apps: a global table that the narrow role reaches. */
@Injectable()
export class AppRepository {
  /** @returns the publisher that the key belongs to, or null when the key is free */
  async findOwner(tx: NarrowTransaction, key: string): Promise<string | null> {
    const app = await tx.repository(App).findOne({ select: { key: true, tenantId: true }, where: { key } });
    return app?.tenantId ?? null;
  }

  async findPublisherName(tx: NarrowTransaction, key: string): Promise<string | null> {
    const app = await tx.repository(App).findOne({ select: { key: true, publisherName: true }, where: { key } });
    return app?.publisherName ?? null;
  }

  /** Who may know the app: its publisher, its visibility and whether a version was ever published. */
  async findOffer(
    tx: NarrowTransaction,
    key: string,
  ): Promise<Pick<App, 'tenantId' | 'visibility' | 'firstPublishedAt'> | null> {
    return tx.repository(App).findOne({
      select: { key: true, tenantId: true, visibility: true, firstPublishedAt: true },
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

  /**
   * Holds the app until the transaction ends.
   * @returns its publisher, or null when there is no such app
   */
  async lock(tx: NarrowTransaction, key: string): Promise<string | null> {
    const app = await tx.repository(App).findOne({
      select: { key: true, tenantId: true },
      where: { key },
      lock: { mode: 'pessimistic_write' },
    });
    return app?.tenantId ?? null;
  }

  /** Makes a version the one that the marketplace shows. What an operator has unlisted is not listed again. */
  async publish(tx: NarrowTransaction, key: string, versionId: string, listing: PublishedListing): Promise<void> {
    await tx.repository(App).update(
      { key },
      {
        ...listing,
        ...(listing.visibility === 'public' && { visibility: () => PUBLIC_UNLESS_UNLISTED }),
        publishedVersionId: versionId,
        firstPublishedAt: () => `coalesce(first_published_at, ${secondsFromNow(0)()})`,
      },
    );
  }
}
