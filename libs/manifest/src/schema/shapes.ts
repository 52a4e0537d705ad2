import Type, { type Static, type TObject, type TProperties, type TSchema } from 'typebox';

/** An object that allows only the listed keys. */
export function closed<T extends TProperties>(properties: T, description?: string): TObject<T> {
  return Type.Object(properties, { additionalProperties: false, ...(description && { description }) });
}

/**
 * A text or an object. One schema instead of a union, so that a wrong key inside the object is reported at its place.
 */
export function textOr<T extends TObject>(object: T, description: string) {
  const { type: _type, ...rest } = object as TObject & { type: string };
  return Type.Unsafe<string | Static<T>>({ ...rest, type: ['string', 'object'], description });
}

/** A text or a list of texts. */
export function textOrList(description: string, example: string) {
  return Type.Unsafe<string | string[]>({
    type: ['string', 'array'],
    items: { type: 'string' },
    description,
    examples: [example],
  });
}

/** One of several objects, distinguished by `type`: only the intended branch reports problems. */
export function byType<T extends TSchema[]>(branches: [...T], description: string) {
  return Type.Unsafe<Static<T[number]>>({
    type: 'object',
    discriminator: { propertyName: 'type' },
    oneOf: branches,
    description,
  });
}

/** A JSON object with values of any type. */
export const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' });

/** A JSON object with text values. */
export const TextByName = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
});

/** Names of objects and fields as used in the API. */
export const API_NAME_PATTERN = '^[a-z][a-z0-9_]{0,39}$';

/** Semantic Versioning 2.0.0, the expression suggested by its specification. */
export const SEMVER_PATTERN =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$';
