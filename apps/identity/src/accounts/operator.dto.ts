import { OPERATOR_ROLES, type OperatorRole, PLANS, type Plan } from '@crm/contracts';
import {
  BooleanField,
  DateTimeField,
  EmailField,
  EnumField,
  IdField,
  IntegerField,
  ListField,
  ListQuery,
  ObjectField,
  TextField,
} from '@crm/http';
import { SessionView } from '../sessions/session.dto.js';
import { NEW_PASSWORD, PASSWORD_LENGTH } from '../sign-in/password.service.js';
import { SignInInput } from '../sign-in/sign-in.dto.js';

/** Chosen by the person who runs the command. */
export class InitialPasswordInput {
  @TextField(NEW_PASSWORD) password: string;
}

export class OperatorInput extends InitialPasswordInput {
  @EmailField({ example: 'operator@platform.test' }) email: string;
  @TextField({ maxLength: 200, pattern: /\S/, example: 'Ada Lovelace' }) name: string;
  @EnumField(OPERATOR_ROLES) role: OperatorRole;

  @IdField({ optional: true, description: "The workspace whose submissions the operator can't decide on" })
  workspace?: string;
}

const OWN_PASSWORD = { ...NEW_PASSWORD, example: 'tidal-lantern-orbits-quietly' };

export class OperatorSignInInput extends SignInInput {}

export class OperatorPasswordInput {
  @TextField({ maxLength: PASSWORD_LENGTH.max, example: NEW_PASSWORD.example }) currentPassword: string;
  @TextField(OWN_PASSWORD) newPassword: string;
}

const STATUSES = ['active', 'disabled'] as const;

export class OperatorView {
  @IdField() id: string;
  @EmailField({ example: 'ada@platform.test' }) email: string;
  @TextField({ maxLength: 200, example: 'Ada Lovelace' }) name: string;
  @EnumField(OPERATOR_ROLES) role: OperatorRole;
  @EnumField(STATUSES) status: (typeof STATUSES)[number];

  @IdField({ nullable: true, description: "The workspace whose submissions the operator can't decide on" })
  linkedTenantId: string | null;

  @BooleanField({ description: 'Whether an authenticator is in use' }) authenticator: boolean;
  @DateTimeField() createdAt: string;
}

export class OperatorListView {
  @ListField(() => OperatorView, { maxItems: 1000 }) data: OperatorView[];
}

export class OperatorChangeInput {
  @TextField({ optional: true, minLength: 1, maxLength: 200, pattern: /\S/, example: 'Ada Lovelace' }) name?: string;
  @EnumField(OPERATOR_ROLES, { optional: true }) role?: OperatorRole;
  @EnumField(STATUSES, { optional: true }) status?: (typeof STATUSES)[number];

  @IdField({
    optional: true,
    nullable: true,
    description: "The workspace whose submissions the operator can't decide on; null for none",
  })
  linkedTenantId?: string | null;
}

export class SessionListView {
  @ListField(() => SessionView, { maxItems: 200 }) data: SessionView[];
}

const LIMIT = { optional: true, nullable: true, minimum: 0, maximum: 1e15, description: "Null for the plan's limit" };

/** One workspace's limits, instead of its plan's; what is left out stays. */
export class LimitsInput {
  @IntegerField({ ...LIMIT, example: 100_000 }) records?: number | null;
  @IntegerField({ ...LIMIT, example: 5_000_000_000 }) bytes?: number | null;
  @IntegerField({ ...LIMIT, example: 100 }) users?: number | null;
}

export class PlanInput {
  @EnumField(PLANS, { optional: true }) plan?: Plan;
  @ObjectField(() => LimitsInput, { optional: true }) limits?: LimitsInput;
}

/** An app whose hosts have presented addresses of users of other workspaces. */
export class EmbedConflictView {
  @TextField({ maxLength: 100 }) appKey: string;
  @IdField({ description: 'The publisher' }) tenantId: string;
  @IntegerField({ description: 'In the hour that ends at `resetsAt`', example: 3 }) conflicts: number;

  @BooleanField({ description: 'Whether further mints that could reveal accounts are rejected now' })
  throttled: boolean;

  @DateTimeField() resetsAt: string;
}

export class EmbedConflictListView {
  @ListField(() => EmbedConflictView, { maxItems: 200 }) data: EmbedConflictView[];
}

export type TenantDecision = 'suspend' | 'reinstate';

export class TenantDecisionInput {
  @TextField({
    maxLength: 2000,
    pattern: /\S/,
    description: "Shown in the workspace's audit trail",
    example: 'It sends spam.',
  })
  reason: string;
}

export class ListTenantsQuery extends ListQuery {
  @EnumField(['suspended'], { description: 'Which workspaces' }) state: 'suspended';
}

export class TenantStandingView {
  @IdField() id: string;

  @TextField({ maxLength: 200, example: 'Globex', description: 'The name at the time of the suspension' })
  name: string;

  @EnumField(['active', 'suspended']) state: 'active' | 'suspended';
  @DateTimeField({ nullable: true, description: 'Null while the workspace is active' }) suspendedAt: string | null;

  @TextField({
    maxLength: 2000,
    nullable: true,
    example: 'It sends spam.',
    description: 'Null while the workspace is active',
  })
  reason: string | null;
}
