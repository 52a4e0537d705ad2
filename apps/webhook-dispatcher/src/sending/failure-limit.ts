import type { Failures } from '../receiver/receiver.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A subscription is disabled when every attempt has failed for this long (Standard Webhooks: "after a few days"), … */
const FAILING_LIMIT_MS = 5 * DAY_MS;
/** … in so many of its hours, … */
const FAILING_HOURS = 5;
/**
 * … and never so many milliseconds apart: longer than the longest delay between two attempts, so that an endpoint that gets an event
 * a week, and fails it until its last attempt, begins again with each.
 */
export const FAILURE_GAP_MS = 2 * DAY_MS;

/** @param at when the last failed attempt was made */
export function hasFailedTooLong({ failingSince, failingHours }: Failures, at: Date): boolean {
  if (failingSince === null) return false;
  return at.getTime() - failingSince.getTime() > FAILING_LIMIT_MS && failingHours >= FAILING_HOURS;
}

/** Whether no failure is known of the hour: hours are those of the clock, in UTC. */
export function isInNewHour({ failedAt }: Failures, at: Date): boolean {
  return failedAt === null || hourOf(at) > hourOf(failedAt);
}

const hourOf = (time: Date): number => Math.floor(time.getTime() / HOUR_MS);
