import { BooleanField, IntegerField, TextField } from '@crm/http';

/** Who changes an account proves again who they are. */
export class ReauthenticationInput {
  @TextField({
    optional: true,
    maxLength: 100,
    description: 'With the second factor on: `challengeId` of the answer to the first call',
  })
  challengeId?: string;

  @TextField({
    optional: true,
    maxLength: 6,
    pattern: /^\d{6}$/,
    description: 'With the second factor on: the code that answers the challenge',
    example: '123456',
  })
  code?: string;
}

/** What is missing before a change of the account is made; empty when nothing is. */
export class ReauthenticationView {
  @BooleanField({
    optional: true,
    description: 'Whether the call must be repeated with `challengeId` and `code`; nothing was changed then',
    example: false,
  })
  mfaRequired?: boolean;

  @TextField({ maxLength: 100, optional: true })
  challengeId?: string;

  @IntegerField({ optional: true, description: 'Lifetime of the challenge in seconds', example: 600 })
  expiresIn?: number;
}
