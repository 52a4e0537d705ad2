import { Column, Entity } from 'typeorm';
import { TenantRow } from '../tenant-row.js';

/** `required`: a user without a second factor sets one up at their next sign-in. */
export const SECOND_FACTOR_POLICIES = ['optional', 'required'] as const;

export type SecondFactorPolicy = (typeof SECOND_FACTOR_POLICIES)[number];

export const LOCAL_PASSWORD_POLICIES = ['allowed', 'refused'] as const;

export type LocalPasswordPolicy = (typeof LOCAL_PASSWORD_POLICIES)[number];

/** What a workspace demands of the sign-ins of its users; without a row nothing beyond the password. */
@Entity({ name: 'sign_in_policy' })
export class SignInPolicy extends TenantRow {
  @Column({ name: 'second_factor', type: 'text' }) secondFactor: SecondFactorPolicy;

  /** `required`: passwords of nobody but owners and guests are accepted. */
  @Column({ name: 'single_sign_on', type: 'text' }) singleSignOn: 'optional' | 'required';

  /** True when administrators may choose passwords; null until an owner has decided. */
  @Column({ name: 'local_passwords', type: 'text', nullable: true }) localPasswords: LocalPasswordPolicy | null;
}
