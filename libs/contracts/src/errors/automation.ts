import { defineErrors } from './define.js';

/** Workflows, inbound hooks and outbound webhooks. */
export const AUTOMATION_ERRORS = defineErrors({
  WORKFLOW_INVALID: [422, 'The workflow is not valid'],
  WORKFLOW_LIMIT_EXCEEDED: [409, 'The limit of workflows would be exceeded'],
  SUBSCRIPTION_LIMIT_EXCEEDED: [409, 'The limit of webhook subscriptions would be exceeded'],
  WEBHOOK_TARGET_REFUSED: [422, 'The target must be an https address of a public host'],
});
