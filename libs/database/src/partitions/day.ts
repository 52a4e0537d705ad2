const DAY_MS = 86_400_000;

/**
 * The UTC day of a time, as `2026-11-22`: what names a partition. Texts of this form sort by time.
 * @param ms milliseconds since 1970
 */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** @param days may be negative */
export const addDays = (day: string, days: number): string => dayOf(Date.parse(day) + days * DAY_MS);

/** How many days lie between two, negative when the second is the earlier one. */
export const daysBetween = (from: string, to: string): number => (Date.parse(to) - Date.parse(from)) / DAY_MS;

/** The smallest UUIDv7 of a day, where its partition begins. */
export const lowestIdOf = (day: string): string => {
  const time = Date.parse(day).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
};
