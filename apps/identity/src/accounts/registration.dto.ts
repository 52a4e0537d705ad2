import { PLANS, type Plan } from '@crm/contracts';
import { EmailField, EnumField, ObjectField, TextField } from '@crm/http';
import { Workspace } from '@crm/identity-views';
import { UserSummaryView } from '../people/user.dto.js';
import { PASSWORD_LENGTH } from '../sign-in/password.service.js';

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
