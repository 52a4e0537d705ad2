/**
 * Leaves of the removed subscriptions of a tenant so many, those that were removed last. $1: the tenant, $2: how many.
 */
export const LIMIT_REMOVED = `
  DELETE FROM removed_subscription
   WHERE tenant_id = $1 AND id IN (SELECT id FROM removed_subscription WHERE tenant_id = $1
                                    ORDER BY removed_at DESC, id DESC OFFSET $2)`;

/**
 * Deletes removed subscriptions of all tenants that have got their event, or have waited too long for it. The bodies of the
 * events have the ids of the installations that they are about; they are looked up, never searched. $1: milliseconds.
 */
export const PURGE_REMOVED = `
  DELETE FROM removed_subscription AS removed
   WHERE removed_at < now() - $1 * interval '1 millisecond'
      OR EXISTS (SELECT 1 FROM delivery
                  WHERE delivery.event = 'app.uninstalled' AND delivery.tenant_id = removed.tenant_id
                    AND delivery.subscription_id = removed.id AND delivery.next_attempt_at IS NULL
                    AND strpos((SELECT body FROM event_body
                                 WHERE event_body.tenant_id = delivery.tenant_id AND event_body.id = delivery.event_id),
                               removed.installation_id::text) > 0)
  RETURNING 1`;
