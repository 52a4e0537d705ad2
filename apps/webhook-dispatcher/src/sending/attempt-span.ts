import type { Span, SpanDescription } from '@crm/telemetry';
import type { AttemptOutcome } from '../delivery/attempt-outcome.js';

/** Where it goes is the tenant's affair, and the address may have a secret in it. */
export const describeAttempt = (eventId: string): SpanDescription => ({
  name: 'POST',
  kind: 'client',
  attributes: { 'http.request.method': 'POST', 'messaging.message.id': eventId },
});

/** Notes how it went; the caller ends the span. */
export function noteOutcome(span: Span, { httpStatus, error }: AttemptOutcome): void {
  if (httpStatus !== null) span.set('http.response.status_code', httpStatus);
  if (error) span.fail(error.code);
}
