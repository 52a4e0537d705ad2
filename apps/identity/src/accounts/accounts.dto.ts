import { PLANS, type Plan } from '@crm/contracts';
import { BooleanField, EmailField, EnumField, ObjectField, TextField } from '@crm/http';
import { UserSummaryView } from '../people/user.service.js';
import { Workspace } from '../people/workspace.dto.js';
import { PASSWORD_LENGTH } from '../sign-in/password.service.js';
import { ReauthenticationInput } from '../sign-in/sign-in.dto.js';

export class EmailChangeInput extends ReauthenticationInput {
  @EmailField({ description: 'The new address', example: 'ada@acme.test' })
  email: string;

  @TextField({
    optional: true,
    maxLength: PASSWORD_LENGTH.max,
    description: 'The password of the current user. One who has none needs a recent proof instead (`STEP_UP_REQUIRED`)',
    example: 'correct-horse-battery-staple',
  })
  password?: string;
}

export class EmailChangeTokenInput {
  @TextField({
    maxLength: 200,
    description: 'The token from the link in the mail',
    example: 'b3BhcXVlLXRva2Vu',
  })
  token: string;
}

export class AcceptanceInput {
  @TextField({
    maxLength: 200,
    description: 'The token from the link in the invitation mail',
    example: 'b3BhcXVlLXRva2Vu',
  })
  token: string;

  @TextField({
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    example: 'correct-horse-battery-staple',
  })
  password: string;
}

export class VerificationInput {
  @TextField({
    maxLength: 200,
    description: 'The token from the link in the mail',
    example: 'b3BhcXVlLXRva2Vu',
  })
  token: string;
}

export class WorkspaceInput {
  @TextField({ maxLength: 200, pattern: /\S/, example: 'Acme' })
  name: string;

  @EnumField(PLANS, {
    optional: true,
    description: '`developer` by default; other plans are accepted in the development profile only',
  })
  plan?: Plan;

  @TextField({ optional: true, minLength: 1, maxLength: 64, description: 'IANA time zone', example: 'Europe/Berlin' })
  timeZone?: string;

  @TextField({
    optional: true,
    nullable: true,
    maxLength: 2,
    pattern: /^[A-Z]{2}$/,
    description: 'ISO 3166-1 alpha-2',
    example: 'DE',
  })
  country?: string | null;
}

export class RegistrationInput {
  @EmailField({ example: 'dev@acme.test' })
  email: string;

  @TextField({
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    example: 'correct-horse-battery-staple',
  })
  password: string;

  @TextField({ maxLength: 200, pattern: /\S/, example: 'Ada Lovelace' })
  name: string;

  @ObjectField(() => WorkspaceInput)
  workspace: WorkspaceInput;
}

export class RegistrationView {
  @ObjectField(() => UserSummaryView)
  user: UserSummaryView;

  @ObjectField(() => Workspace)
  tenant: Workspace;
}

export class PasswordChangeInput extends ReauthenticationInput {
  @TextField({
    maxLength: PASSWORD_LENGTH.max,
    description: 'The present password of the current user',
    example: 'correct-horse-battery-staple',
  })
  currentPassword: string;

  @TextField({
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    example: 'tidal-lantern-orbits-quietly',
  })
  newPassword: string;
}

export class PasswordResetInput {
  @EmailField({ example: 'dev@acme.test' })
  email: string;
}

/** The same for every address. */
export class PasswordResetView {
  @BooleanField({ description: 'Always true: it says nothing about the address' })
  accepted: boolean;
}

export class PasswordResetCompletionInput {
  @TextField({
    maxLength: 200,
    description: 'The token from the link in the mail',
    example: 'b3BhcXVlLXRva2Vu',
  })
  token: string;

  @TextField({
    minLength: PASSWORD_LENGTH.min,
    maxLength: PASSWORD_LENGTH.max,
    description: 'The new password',
    example: 'correct-horse-battery-staple',
  })
  password: string;
}
