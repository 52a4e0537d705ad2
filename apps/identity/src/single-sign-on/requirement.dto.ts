import { BooleanField } from '@crm/http';

/** Whether a workspace requires single sign-on, as body and as answer. */
export class RequirementInput {
  @BooleanField({ description: 'Whether passwords of users who are not owners are refused', example: true })
  required: boolean;
}

export class RequirementView extends RequirementInput {}
