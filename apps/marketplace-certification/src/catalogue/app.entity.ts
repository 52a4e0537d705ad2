import { bigintAsNumber } from '@crm/database';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An app and what the marketplace shows of it, copied from the package when a version is published. */
@Entity({ name: 'app' })
export class App {
  @PrimaryColumn({ type: 'text' })
  key: string;

  /** The publisher. */
  @Column({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @Column({ name: 'publisher_name', type: 'text' })
  publisherName: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  kind: string;

  @Column({ type: 'text', nullable: true })
  summary: string | null;

  /** `public`, `unlisted` or `private`. */
  @Column({ type: 'text' })
  visibility: string;

  /** Whether it stays unlisted where a version says `public`. */
  @Column({ name: 'unlisted_by_operator', type: 'boolean' })
  unlistedByOperator: boolean;

  /** Lower-case text that the search of the marketplace looks in. */
  @Column({ name: 'search_text', type: 'text' })
  searchText: string;

  @Column({ name: 'published_version_id', type: 'uuid', nullable: true })
  publishedVersionId: string | null;

  /** Null until a version is published: before that, only the publisher knows the app. */
  @Column({ name: 'first_published_at', type: 'timestamptz', nullable: true })
  firstPublishedAt: Date | null;

  @Column({ name: 'rating_count', type: 'integer' })
  ratingCount: number;

  /** The sum of all stars. */
  @Column({ name: 'rating_total', type: 'bigint', transformer: bigintAsNumber })
  ratingTotal: number;
}
