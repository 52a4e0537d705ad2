import { OPERATOR_ROLES, type OperatorRole } from '@crm/contracts';
import { BooleanField, DateTimeField, EmailField, EnumField, IdField, ListField, TextField } from '@crm/http';

const STATUSES = ['active', 'disabled'] as const;

/** `OperatorView` of the contracts on the wire. */
export class OperatorView {
  @IdField()
  id: string;

  @EmailField({ example: 'ada@platform.test' })
  email: string;

  @TextField({ maxLength: 200, example: 'Ada Lovelace' })
  name: string;

  @EnumField(OPERATOR_ROLES)
  role: OperatorRole;

  @EnumField(STATUSES)
  status: (typeof STATUSES)[number];

  @IdField({ nullable: true, description: 'The workspace whose submissions the operator never decides on' })
  linkedTenantId: string | null;

  @BooleanField({ description: 'Whether an authenticator is in use' })
  authenticator: boolean;

  @DateTimeField()
  createdAt: string;
}

export class OperatorListView {
  @ListField(() => OperatorView, { maxItems: 1000 })
  data: OperatorView[];
}

export class OperatorChangeInput {
  @TextField({ optional: true, minLength: 1, maxLength: 200, pattern: /\S/, example: 'Ada Lovelace' })
  name?: string;

  @EnumField(OPERATOR_ROLES, { optional: true })
  role?: OperatorRole;

  @EnumField(STATUSES, { optional: true })
  status?: (typeof STATUSES)[number];

  @IdField({
    optional: true,
    nullable: true,
    description: 'The workspace whose submissions the operator never decides on; null for none',
  })
  linkedTenantId?: string | null;
}
