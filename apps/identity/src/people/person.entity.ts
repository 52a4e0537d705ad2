import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Someone who has proven an address (`sign_in_email`); they act in a workspace by a membership. */
@Entity({ name: 'person' })
export class Person {
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;

  /** Workspaces that the person has left: a provider there that names their former address means someone else. */
  @Column({ name: 'left_tenants', type: 'uuid', array: true }) leftTenants: string[];
}

/** The user that a person is in a workspace. */
@Entity({ name: 'membership' })
export class Membership {
  @PrimaryColumn({ name: 'person_id', type: 'uuid' }) personId: string;
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}

/**
 * A user who has not proven their address: added by an administrator, invited or registered. Any number of an
 * address stand beside each other and beside the person who has it, to whom each is an offer.
 */
@Entity({ name: 'local_account' })
export class LocalAccount {
  @PrimaryColumn({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @Column({ type: 'text' }) email: string;

  /** Finds, by one hash of the password and the address, the account that a password belongs to, among any number. */
  @Column({ name: 'password_key', type: 'bytea', nullable: true }) passwordKey: Buffer | null;

  /** When the person who has the address declined to become this user: it is not offered again. */
  @Column({ name: 'declined_at', type: 'timestamptz', nullable: true }) declinedAt: Date | null;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}
