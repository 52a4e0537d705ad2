import { PLANS, type Plan } from '@crm/contracts';
import { EmailField, EnumField, field, IdField, ListField, ObjectField, TextField } from '@crm/service-kit';
import { PASSWORD_LENGTH } from '../password/passwords.js';

export class WorkspaceInput {
  @TextField({ maxLength: 200, pattern: /\S/, example: 'Acme' })
  name: string;

  @EnumField(PLANS, { optional: true, description: 'Anything but developer only outside production' })
  plan?: Plan;

  @TextField({ optional: true, minLength: 1, maxLength: 64, description: 'IANA time zone', example: 'Europe/Berlin' })
  timeZone?: string;

  @TextField({ optional: true, nullable: true, maxLength: 2, pattern: /^[A-Z]{2}$/, description: 'ISO 3166-1 alpha-2' })
  country?: string | null;
}

export class RegistrationInput {
  @EmailField({ example: 'dev@acme.test' })
  email: string;

  @TextField({ minLength: PASSWORD_LENGTH.min, maxLength: PASSWORD_LENGTH.max })
  password: string;

  @TextField({ maxLength: 200, pattern: /\S/ })
  name: string;

  @ObjectField(() => WorkspaceInput)
  workspace: WorkspaceInput;
}

export class RegisteredUser {
  @IdField()
  id: string;

  @EmailField()
  email: string;

  @TextField({ maxLength: 200 })
  name: string;

  @ListField(field.text({ maxLength: 40 }))
  roles: string[];
}

export class Workspace {
  @IdField()
  id: string;

  @TextField({ maxLength: 200 })
  name: string;

  @EnumField(PLANS)
  plan: Plan;

  @TextField({ maxLength: 64 })
  timeZone: string;

  @TextField({ maxLength: 2, nullable: true })
  country: string | null;
}

export class RegistrationView {
  @ObjectField(() => RegisteredUser)
  user: RegisteredUser;

  @ObjectField(() => Workspace)
  tenant: Workspace;
}
