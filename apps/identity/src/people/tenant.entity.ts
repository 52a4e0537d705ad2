import type { Plan } from '@crm/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A workspace; its id is the tenant every other row belongs to. */
@Entity({ name: 'tenant' })
export class Tenant {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  plan: Plan;

  /** IANA name, e.g. `Europe/Berlin`. */
  @Column({ name: 'time_zone', type: 'text' })
  timeZone: string;

  /** ISO 3166-1 alpha-2. */
  @Column({ type: 'text', nullable: true })
  country: string | null;

  /** When the address that the workspace was registered with was verified; null until then. */
  @Column({ name: 'verified_at', type: 'timestamptz', nullable: true })
  verifiedAt: Date | null;

  /** When the platform closed it, because nobody verified the address. */
  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true })
  closedAt: Date | null;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
