import { BooleanField, IdField, TextField } from '@crm/http';
import { AttemptView, attemptView } from '../ledger/delivery.dto.js';
import type { TestOutcome } from './test-event.service.js';

export class TestOutcomeView extends AttemptView {
  @IdField({ description: 'The `webhook-id` of the test event' })
  eventId: string;

  @BooleanField({ description: 'Whether the receiver accepted it: it answered 2xx' })
  accepted: boolean;

  @TextField({ maxLength: 500, optional: true, description: 'Why it failed', example: 'The receiver answered 500' })
  errorMessage?: string;
}

export const testOutcomeView = ({ eventId, error, ...outcome }: TestOutcome): TestOutcomeView => ({
  eventId,
  accepted: error === null,
  ...attemptView({ ...outcome, errorCode: error?.code ?? null, phase: error?.phase ?? null }),
  ...(error === null ? {} : { errorMessage: error.message }),
});
