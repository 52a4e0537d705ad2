/** $1: tenant, $2: consumer, $3: event. */
export const RECORD_HANDLED = `
  INSERT INTO inbox (tenant_id, consumer, event_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING RETURNING 1`;
