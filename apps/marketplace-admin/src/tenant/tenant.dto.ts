import { PLANS, type Plan } from '@crm/contracts';
import { EnumField } from '@crm/http';

export class PlanInput {
  @EnumField(PLANS)
  plan: Plan;
}
