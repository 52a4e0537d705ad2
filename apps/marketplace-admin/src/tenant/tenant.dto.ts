import { PLANS, type Plan } from '@crm/contracts';
import { EnumField } from '@crm/service-kit';

export class PlanInput {
  @EnumField(PLANS)
  plan: Plan;
}
