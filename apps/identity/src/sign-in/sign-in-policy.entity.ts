import { Column, Entity, PrimaryColumn } from 'typeorm';

/** `required`: a user without a second factor sets one up at their next sign-in. */
export const SECOND_FACTOR_POLICIES = ['optional', 'required'] as const;
export type SecondFactorPolicy = (typeof SECOND_FACTOR_POLICIES)[number];

/** What a workspace demands of the sign-ins of its users; without a row nothing beyond the password. */
@Entity({ name: 'sign_in_policy' })
export class SignInPolicy {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @Column({ name: 'second_factor', type: 'text' })
  secondFactor: SecondFactorPolicy;

  /** `required`: passwords of nobody but owners are accepted. */
  @Column({ name: 'single_sign_on', type: 'text' })
  singleSignOn: 'optional' | 'required';
}
