import { PLANS, type Plan } from '@crm/contracts';
import { EmailField, EnumField, ObjectField, TextField } from '@crm/http';
import { MAILED_TOKEN } from '../mailed-token.js';
import { NEW_PASSWORD } from '../passwords/password-policy.js';
import { UserSummaryView } from '../people/user-summary.dto.js';
import { COUNTRY, Workspace } from '../people/workspace.dto.js';

export class VerificationInput {
  @TextField(MAILED_TOKEN) token: string;
}

export class WorkspaceInput {
  @TextField({ maxLength: 200, pattern: /\S/, example: 'Acme' }) name: string;

  @EnumField(PLANS, {
    optional: true,
    description: '`developer` by default; other plans are accepted in the development profile only',
  })
  plan?: Plan;

  @TextField({ optional: true, minLength: 1, maxLength: 64, description: 'IANA time zone', example: 'Europe/Berlin' })
  timeZone?: string;

  @TextField({ ...COUNTRY, optional: true, nullable: true }) country?: string | null;
}

export class RegistrationInput {
  @EmailField({ example: 'dev@acme.test' }) email: string;
  @TextField(NEW_PASSWORD) password: string;
  @TextField({ maxLength: 200, pattern: /\S/, example: 'Ada Lovelace' }) name: string;
  @ObjectField(() => WorkspaceInput) workspace: WorkspaceInput;
}

export class RegistrationView {
  @ObjectField(() => UserSummaryView) user: UserSummaryView;
  @ObjectField(() => Workspace) tenant: Workspace;
}
