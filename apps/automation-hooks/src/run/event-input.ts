import type { EventEnvelope } from '@crm/contracts';

/**
 * What conditions and templates of a workflow read of an event: the keys of its data and, directly, the fields of its
 * record. A key of the data takes precedence over a field of the same name.
 */
export function eventInput(event: EventEnvelope): Record<string, unknown> {
  const { record } = event.data;
  const fields = typeof record === 'object' && record !== null ? record : {};
  return { ...fields, ...event.data };
}
