/** In which language, and by which clock. */
export interface TimePlace {
  readonly tag: string;
  readonly timeZone: string;
}

/** A moment as a person reads it. @param iso RFC 3339 */
export const timeText = (iso: string, { tag, timeZone }: TimePlace): string =>
  new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(new Date(iso));
