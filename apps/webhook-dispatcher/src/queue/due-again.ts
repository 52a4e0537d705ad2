/**
 * What is attempted again (`again`) becomes due, behind first attempts of the same subscription; of a record it stands in
 * line again.
 */
export const DUE_AGAIN = `
  due AS (
    INSERT INTO due_delivery (tenant_id, delivery_id, subscription_id, event_id, attempts, is_retry, due_at)
    SELECT tenant_id, id, subscription_id, event_id, attempts, true, next_attempt_at FROM again WHERE record_id IS NULL),
  placed AS (
    INSERT INTO ordered_delivery
      (tenant_id, delivery_id, subscription_id, record_id, record_version, event_id, attempts, state)
    SELECT tenant_id, id, subscription_id, record_id, record_version, event_id, attempts, 'new'
      FROM again WHERE record_id IS NOT NULL
    -- It has just ended, and its row has not been removed yet.
    ON CONFLICT (tenant_id, delivery_id) DO UPDATE SET state = 'new', attempts = EXCLUDED.attempts)`;
