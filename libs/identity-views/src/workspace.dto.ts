import { PLANS, type Plan } from '@crm/contracts';
import { EnumField, IdField, TextField } from '@crm/http';

/** `TenantView` of the contracts on the wire. */
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
