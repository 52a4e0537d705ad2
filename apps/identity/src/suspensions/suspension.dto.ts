import { DateTimeField, EnumField, IdField, ListQuery, TextField } from '@crm/http';

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
