import { PLANS, type Plan } from '@crm/contracts';
import { BooleanField, EnumField, IdField, TextField } from '@crm/http';

/** `TenantView` of the contracts on the wire. */
export class Workspace {
  @IdField() id: string;
  @TextField({ maxLength: 200 }) name: string;
  @EnumField(PLANS) plan: Plan;
  @TextField({ maxLength: 64 }) timeZone: string;
  @TextField({ maxLength: 2, nullable: true }) country: string | null;

  @BooleanField({
    optional: true,
    description:
      'False until the address that the workspace was registered with is verified; until then it can neither add users, mint for new host users nor submit apps',
    example: true,
  })
  verified?: boolean;
}
