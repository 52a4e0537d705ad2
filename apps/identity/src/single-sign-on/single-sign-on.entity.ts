import { Column, Entity, PrimaryColumn } from 'typeorm';
import { IdentifiedRow, TenantRow } from '../tenant-row.js';
import type { FailureReason } from './oidc-metadata.js';

/** What a provider failed at last. */
export interface LastFailure extends FailureReason {
  /** ISO 8601. */
  at: string;
  /** A sentence for the owners. */
  message: string;
}

/** A domain of e-mail addresses that a workspace wants to prove or has proven. Any number of workspaces can want the same. */
@Entity({ name: 'mail_domain' })
export class MailDomain extends TenantRow {
  /** ASCII, lower case. */
  @PrimaryColumn({ type: 'text' }) domain: string;

  /** What its TXT record says. */
  @Column({ type: 'text' }) token: string;

  /** Null until it is proven, and again after it was lost. */
  @Column({ name: 'verified_at', type: 'timestamptz', nullable: true }) verifiedAt: Date | null;

  /** Since when a daily check has not found the record; null while it is there. */
  @Column({ name: 'missing_since', type: 'timestamptz', nullable: true }) missingSince: Date | null;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}

/** Which workspace has proven a domain: one on the whole platform. */
@Entity({ name: 'verified_domain' })
export class VerifiedDomain {
  @PrimaryColumn({ type: 'text' }) domain: string;
  @Column({ name: 'tenant_id', type: 'uuid' }) tenantId: string;

  /** When the record is looked up again. */
  @Column({ name: 'next_check_at', type: 'timestamptz' }) nextCheckAt: Date;
}

/** Which user of a workspace someone is whom a provider has authenticated. */
@Entity({ name: 'provider_link' })
export class ProviderLink extends TenantRow {
  @PrimaryColumn({ type: 'text' }) issuer: string;

  /** The provider's own id of the person. */
  @PrimaryColumn({ type: 'text' }) sub: string;
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
}

/** Someone whom a provider has authenticated with the address of a user whom it knows as someone else: an owner decides. */
@Entity({ name: 'provider_link_request' })
export class ProviderLinkRequest extends IdentifiedRow {
  @Column({ name: 'provider_id', type: 'uuid' }) providerId: string;
  @Column({ type: 'text' }) issuer: string;
  @Column({ type: 'text' }) sub: string;
  @Column({ type: 'text' }) email: string;

  /** The provider's own spelling. */
  @Column({ type: 'text', nullable: true }) name: string | null;

  /** Who has the address. */
  @Column({ name: 'user_id', type: 'uuid' }) userId: string;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column({ name: 'told_at', type: 'timestamptz', nullable: true }) toldAt: Date | null;
  @Column({ name: 'denied_at', type: 'timestamptz', nullable: true }) deniedAt: Date | null;
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
}

/** A sign-in at a provider that is under way: first the browser is at the provider, then a page has a code to exchange. */
@Entity({ name: 'provider_sign_in' })
export class ProviderSignIn extends IdentifiedRow {
  @Column({ name: 'provider_id', type: 'uuid' }) providerId: string;

  /** SHA-256 of the secret in `state`. */
  @Column({ name: 'state_hash', type: 'bytea' }) stateHash: Buffer;

  /** SHA-256 of the cookie of the browser that began it. */
  @Column({ name: 'browser_hash', type: 'bytea' }) browserHash: Buffer;
  @Column({ type: 'text' }) nonce: string;

  @Column({ name: 'sealed_verifier', type: 'bytea' }) sealedVerifier: Buffer;

  /** When the provider sent the browser back; that counts once. */
  @Column({ name: 'returned_at', type: 'timestamptz', nullable: true }) returnedAt: Date | null;

  /** SHA-256 of the secret in the code that the page exchanges; null until the user is known. */
  @Column({ name: 'code_hash', type: 'bytea', nullable: true }) codeHash: Buffer | null;
  @Column({ name: 'user_id', type: 'uuid', nullable: true }) userId: string | null;

  /** True when what the provider has asked for counts as a second factor. */
  @Column({ name: 'has_second_factor', type: 'boolean' }) hasSecondFactor: boolean;

  /** True when the person has to be authenticated again at the provider. */
  @Column({ type: 'boolean' }) fresh: boolean;

  /** The session in which it is a proof; null for a sign-in that opens one. */
  @Column({ name: 'session_id', type: 'uuid', nullable: true }) sessionId: string | null;

  /** The user's epoch when the provider's answer was looked at. */
  @Column({ name: 'sign_in_epoch', type: 'integer' }) signInEpoch: number;

  /** When the provider has authenticated them; null until it says so, and when it does not. */
  @Column({ name: 'authenticated_at', type: 'timestamptz', nullable: true }) authenticatedAt: Date | null;
  @Column({ name: 'expires_at', type: 'timestamptz' }) expiresAt: Date;
}

/** An OpenID Connect provider at which the users of a workspace sign in. */
@Entity({ name: 'identity_provider' })
export class IdentityProvider extends IdentifiedRow {
  /** Users of the workspace know the provider by it. */
  @Column({ type: 'text' }) name: string;

  /** The provider's own spelling. */
  @Column({ type: 'text' }) issuer: string;

  /** Null until the client is registered with the provider. */
  @Column({ name: 'client_id', type: 'text', nullable: true }) clientId: string | null;
  @Column({ name: 'sealed_secret', type: 'bytea', nullable: true }) sealedSecret: Buffer | null;
  @Column({ type: 'text', array: true }) scopes: string[];
  @Column({ type: 'boolean' }) enabled: boolean;

  /** The roles of users who are made at their first sign-in. */
  @Column({ name: 'default_roles', type: 'text', array: true }) defaultRoles: string[];

  /** True when the provider has to say that it has verified an address. */
  @Column({ name: 'requires_verified_email', type: 'boolean' }) requiresVerifiedEmail: boolean;

  /** Values of `amr` or `acr` that count as a second factor; without any the second factor of the platform follows. */
  @Column({ name: 'second_factor_values', type: 'text', array: true }) secondFactorValues: string[];

  /** Null while it has not failed since it was changed. */
  @Column({ name: 'last_failure', type: 'jsonb', nullable: true }) lastFailure: LastFailure | null;
  @Column({ name: 'created_at', type: 'timestamptz' }) createdAt: Date;
  @Column({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}
