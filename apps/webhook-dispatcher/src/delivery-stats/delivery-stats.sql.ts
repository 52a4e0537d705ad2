const countedByHour = (matches: string, hours: string, limit: string): string => `
  SELECT hour, count(*)::int AS deliveries,
         (count(*) FILTER (WHERE status = 'delivered'))::int AS delivered,
         (count(*) FILTER (WHERE status IN ('failed', 'blocked')))::int AS failed,
         sum(attempts)::int AS attempts,
         percentile_disc(ARRAY[0.5, 0.95, 0.99]) WITHIN GROUP (ORDER BY latency_ms) AS percentiles
    FROM (SELECT width_bucket(id, ${hours}::uuid[]) AS hour, status, attempts, latency_ms FROM delivery
           WHERE ${matches}
           ORDER BY id LIMIT ${limit}) AS counted
   GROUP BY hour`;

/**
 * What became of the deliveries of each hour, by the time of their events, which their ids have; hours without any are left
 * out. Reads so many rows at most, in the order of an index, so that those of others are not read on the way: when it has
 * counted all of them, the result is not complete.
 * $1: tenant, $2: subscription; null for any, $3: lowest id, $4: id that is too high, $5: lowest ids of the hours, ascending,
 * $6: rows. `hour` is the place of the hour in $5, from 1; `percentiles` is null when nothing was attempted.
 */
export const COUNT_BY_HOUR = countedByHour(
  'tenant_id = $1 AND ($2::uuid IS NULL OR subscription_id = $2) AND id >= $3 AND id < $4',
  '$5',
  '$6',
);

/** The same of an app in every tenant. $1: key of the app, $2 to $5: as $3 to $6 above. */
export const COUNT_OF_APP_BY_HOUR = countedByHour('app_key = $1 AND id >= $2 AND id < $3', '$4', '$5');
