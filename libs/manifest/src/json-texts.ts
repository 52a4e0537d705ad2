import { pointer } from './json-pointer.js';

/** A text with its place. */
export type PlacedText = [text: string, pointer: string];

/** Every text of a JSON value, keys apart, with its place. */
export function* textsIn(value: unknown, place: string): Generator<PlacedText> {
  if (typeof value === 'string') yield [value, place];
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* textsIn(item, `${place}/${i}`);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) yield* textsIn(member, place + pointer(key));
  }
}
