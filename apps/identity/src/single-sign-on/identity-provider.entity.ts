import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An OpenID Connect provider at which the users of a workspace sign in. */
@Entity({ name: 'identity_provider' })
export class IdentityProvider {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** As users of the workspace know it. */
  @Column({ type: 'text' })
  name: string;

  /** As the provider spells it. */
  @Column({ type: 'text' })
  issuer: string;

  /** Null until the client is registered with the provider. */
  @Column({ name: 'client_id', type: 'text', nullable: true })
  clientId: string | null;

  @Column({ name: 'sealed_secret', type: 'bytea', nullable: true })
  sealedSecret: Buffer | null;

  @Column({ type: 'text', array: true })
  scopes: string[];

  @Column({ type: 'boolean' })
  enabled: boolean;

  /** Of users who are made at their first sign-in. */
  @Column({ name: 'default_roles', type: 'text', array: true })
  defaultRoles: string[];

  /** Whether the provider has to say that it has verified an address. */
  @Column({ name: 'requires_verified_email', type: 'boolean' })
  requiresVerifiedEmail: boolean;

  /** Values of `amr` or `acr` that count as a second factor; without any the second factor of the platform follows. */
  @Column({ name: 'second_factor_values', type: 'text', array: true })
  secondFactorValues: string[];

  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;

  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
