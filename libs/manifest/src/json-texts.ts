import { pointer } from './json-pointer.js';

/** A text with its pointer. */
export type PlacedText = [text: string, pointer: string];

/** Every text of a JSON value, except keys, with its pointer. */
export function* textsIn(value: unknown, place: string): Generator<PlacedText> {
  if (typeof value === 'string') yield [value, place];
  else if (Array.isArray(value)) for (const [i, item] of value.entries()) yield* textsIn(item, `${place}/${i}`);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) yield* textsIn(member, place + pointer(key));
  }
}
