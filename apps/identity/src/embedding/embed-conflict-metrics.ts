import { counter } from '@crm/telemetry';

export const embedConflicts = counter(
  'embed_conflicts_total',
  'Mints with an address that belongs to another workspace, and mints that were refused because an app had too many of them',
  ['outcome'],
);
