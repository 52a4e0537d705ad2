import { EnumField } from '@crm/http';
import { SECOND_FACTOR_POLICIES, type SecondFactorPolicy } from './sign-in-policy.entity.js';

/** What a workspace demands of the sign-ins of its users, as body and as answer. */
export class SignInPolicyInput {
  @EnumField(SECOND_FACTOR_POLICIES, {
    description: '`required`: a user without a second factor sets up an authenticator at their next sign-in',
    example: 'required',
  })
  secondFactor: SecondFactorPolicy;
}

export class SignInPolicyView extends SignInPolicyInput {}
