import type { EventEnvelope } from '@crm/contracts';

/**
 * What conditions and templates of a workflow read from an event: the keys of its data and, without the detour, those of
 * its record. A key of the data goes before a field of the same name.
 */
export function inputOf(event: EventEnvelope): Record<string, unknown> {
  const { record } = event.data;
  const fields = typeof record === 'object' && record !== null ? record : {};
  return { ...fields, ...event.data };
}
